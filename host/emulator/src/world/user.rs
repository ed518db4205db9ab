//! Users, bots, and the applications behind bots.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::snowflake::Id;

/// A person or a bot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct User {
    pub(crate) id: Id,
    pub(crate) username: String,
    pub(crate) global_name: Option<String>,
    pub(crate) bot: bool,
    /// What a bot authenticates with.
    pub(crate) token: Option<String>,
    /// Whether a bot's application may ask for privileged intents.
    pub(crate) privileged_intents: bool,
}

impl User {
    pub(crate) fn render(&self) -> Value {
        let mut user = json!({
            "id": self.id,
            "username": self.username,
            "avatar": null,
            "discriminator": if self.bot { "0001" } else { "0" },
            "public_flags": 0,
            "flags": 0,
            "banner": null,
            "accent_color": null,
            "global_name": self.global_name,
            "avatar_decoration_data": null,
            "collectibles": null,
            "primary_guild": null,
        });
        if self.bot {
            user["bot"] = json!(true);
        }
        user
    }

    /// The user as it sees itself.
    pub(crate) fn render_self(&self) -> Value {
        let mut user = self.render();
        user["mfa_enabled"] = json!(true);
        user["locale"] = json!("en-US");
        user["verified"] = json!(true);
        user["email"] = Value::Null;
        user["premium_type"] = json!(0);
        user["bio"] = json!("");
        user
    }

    /// Flags of the application: which privileged intents it may use.
    pub(crate) fn application_flags(&self) -> u64 {
        // GATEWAY_PRESENCE, GATEWAY_GUILD_MEMBERS, GATEWAY_MESSAGE_CONTENT, each in its form for
        // applications in few guilds.
        if self.privileged_intents {
            1 << 13 | 1 << 15 | 1 << 19
        } else {
            0
        }
    }

    /// The bot's application. It has the bot's id.
    pub(crate) fn render_application(&self, guilds: usize) -> Value {
        json!({
            "id": self.id,
            "name": self.username,
            "icon": null,
            "description": "",
            "type": null,
            "bot": self.render(),
            "bot_public": false,
            "bot_require_code_grant": false,
            "verify_key": "0".repeat(64),
            "flags": self.application_flags(),
            "flags_new": self.application_flags().to_string(),
            "redirect_uris": [],
            "interactions_endpoint_url": null,
            "role_connections_verification_url": null,
            "owner": self.render(),
            "approximate_guild_count": guilds,
            "approximate_user_install_count": 0,
            "approximate_user_authorization_count": 0,
            "explicit_content_filter": 0,
            "team": null,
            "eligible_oauth2_scopes": ["bot"],
            "integration_types_config": {"0": {}},
            // Not in the OpenAPI description, but sent, and needed by some clients.
            "hook": true,
            "summary": "",
            "rpc_origins": [],
        })
    }
}

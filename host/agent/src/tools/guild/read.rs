//! `discord_guild_read`: the server's channels and roles.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Tool, ToolContext, ToolFailure, arguments};
use super::administered;
use crate::channel::NamedThing;
use crate::gate::Permit;
use crate::model::ToolSpec;
use crate::turn::frame;

/// The tool.
pub(in crate::tools) struct Read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "discord_guild_read".to_owned(),
            description: "Lists this server's channels and roles, with their ids.".to_owned(),
            input_schema: json!({
                "type": "object", "properties": {}, "additionalProperties": false
            }),
        }
    }

    async fn execute(
        &self,
        context: &ToolContext<'_>,
        given: Value,
        _permit: Option<Permit>,
    ) -> Result<String, ToolFailure> {
        let Arguments {} = arguments(given)?;
        let guild = administered(context).await?;
        let server = context.channel.server(&guild).await?;
        let list = |title: &str, things: &[NamedThing]| {
            let lines: String = things
                .iter()
                .map(|thing| format!("\n> {}, id {}", frame::name(&thing.name), thing.id))
                .collect();
            format!("[{title}]{lines}")
        };
        Ok(format!(
            "Server {}, id {guild}.\n{}\n{}",
            frame::name(&server.name),
            list("Channels", &server.channels),
            list("Roles", &server.roles),
        ))
    }
}

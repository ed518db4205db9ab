//! `[mesh]`

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use http::Uri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A Cotal space, joined over NATS as one participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshConfig {
    /// The NATS server: `nats://HOST:PORT`, or `tls://HOST:PORT`.
    pub url: NatsUrl,
    /// The space.
    pub space: MeshToken,
    /// The assistant's name in the space. With `creds_file`, the grant in it names the assistant.
    #[serde(default = "ostler")]
    pub actor: MeshToken,
    /// The channels that the assistant is in from the start.
    #[serde(default)]
    pub channels: Vec<MeshChannel>,
    /// A NATS `.creds` file, for a space that wants to know who takes part. Unset, the space is
    /// joined in open mode.
    #[serde(default)]
    pub creds_file: Option<PathBuf>,
}

fn ostler() -> MeshToken {
    MeshToken("ostler".to_owned())
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $title:literal, $wrong:literal, $accepts:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let accepts: fn(&str) -> bool = $accepts;
                if accepts(&text) {
                    Ok(Self(text))
                } else {
                    Err(format!(concat!("{:?} ", $wrong), text))
                }
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "title": $title})
            }
        }
    };
}

text! {
    /// One token of a subject: `[A-Za-z0-9_]{1,64}`.
    MeshToken, "token", "is no token: use 1 to 64 letters, digits and `_`", is_token
}
text! {
    /// A channel: tokens with dots between them, at most 128 characters.
    MeshChannel, "channel", "is no channel: use letters, digits and `_`, in parts with dots between",
    |text| text.len() <= 128 && text.split('.').all(is_token)
}
text! {
    /// A `nats://` or `tls://` URL.
    NatsUrl, "URL", "is no URL that begins with nats:// or tls:// and names a host",
    |text| text.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("nats" | "tls"))
            && uri.authority().is_some_and(|part| !part.as_str().contains('@'))
            && uri.query().is_none()
            && matches!(uri.path(), "" | "/")
    })
}

fn is_token(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

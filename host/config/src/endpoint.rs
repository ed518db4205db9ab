//! Addresses of other services.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use http::Uri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Where Discord's REST API is.
const DISCORD: &str = "https://discord.com";

/// An `http` or `https` URL without user, query and fragment, and without a `/` at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl {
    text: String,
    is_private: bool,
}

impl BaseUrl {
    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether what is sent there can be read on no network: it goes over TLS, or stays on this
    /// machine.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.is_private
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |what: &str| Err(format!("{text:?} {what}"));
        let Ok(uri) = text.parse::<Uri>() else {
            return wrong("is no URL");
        };
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return wrong("is no URL that begins with http:// or https:// and names a host");
        };
        if uri
            .authority()
            .is_some_and(|part| part.as_str().contains('@'))
        {
            return wrong("names a user; keep keys in `ostler secrets set`");
        }
        if uri.query().is_some() || text.contains('#') {
            return wrong("may hold neither `?` nor `#`");
        }
        Ok(Self {
            is_private: scheme == "https" || is_loopback(host),
            text: text.trim_end_matches('/').to_owned(),
        })
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.text
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl JsonSchema for BaseUrl {
    fn schema_name() -> Cow<'static, str> {
        "BaseUrl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "title": "URL"})
    }
}

/// Where Discord's API is: a [`BaseUrl`] that is private, because the bot's token goes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApiBase(BaseUrl);

impl ApiBase {
    /// The URL, to which `/api/v10/…` is added.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether it is Discord itself and not an emulator or a proxy.
    #[must_use]
    pub fn is_discord(&self) -> bool {
        self.as_str() == DISCORD
    }
}

impl Default for ApiBase {
    fn default() -> Self {
        Self(BaseUrl {
            text: DISCORD.to_owned(),
            is_private: true,
        })
    }
}

impl TryFrom<String> for ApiBase {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = BaseUrl::try_from(text)?;
        if url.is_private() {
            Ok(Self(url))
        } else {
            Err(format!(
                "{:?} would send the bot's token in the clear: use https://, or http:// with a \
                 loopback host such as 127.0.0.1",
                url.as_str()
            ))
        }
    }
}

impl From<ApiBase> for String {
    fn from(base: ApiBase) -> Self {
        base.0.text
    }
}

impl fmt::Display for ApiBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JsonSchema for ApiBase {
    fn schema_name() -> Cow<'static, str> {
        "ApiBase".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BaseUrl::json_schema(generator)
    }
}

/// A loopback address, or the one name that is always one (RFC 6761, 6.3).
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> Result<ApiBase, String> {
        ApiBase::try_from(text.to_owned())
    }

    #[test]
    fn the_bots_token_leaves_this_machine_only_over_tls() {
        for good in [
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "http://localhost",
            "https://proxy.example.com/discord",
        ] {
            assert_eq!(base(good).unwrap().as_str(), good);
        }
        for bad in [
            "http://discord.com",
            "http://10.0.0.1",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(base(bad).unwrap_err().contains("in the clear"), "{bad}");
        }
    }

    #[test]
    fn what_is_no_plain_url_is_refused() {
        for bad in [
            "",
            "discord.com",
            "/api",
            "ftp://127.0.0.1",
            "https://",
            "https://me:key@discord.com",
            "https://discord.com?key=1",
            "https://discord.com/#key",
            "https://discord com",
        ] {
            assert!(base(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn discord_is_the_default_and_known_however_it_is_written() {
        assert!(ApiBase::default().is_discord());
        assert!(base("https://discord.com/").unwrap().is_discord());
        assert!(!base("http://127.0.0.1:1").unwrap().is_discord());
    }
}

//! What an adapter is told before it starts.

use std::fmt;
use std::time::Duration;

use ostler_store::Profile;
use reqwest::Url;

use crate::error::StartError;

/// What an adapter needs to start.
#[derive(Clone, Debug)]
pub struct Options {
    /// The profile that the bot belongs to: its gateway sessions are kept under it.
    pub profile: Profile,
    /// The bot's token.
    pub token: Token,
    /// Which Discord to talk to.
    pub api_base: ApiBase,
    /// How many gateway connections to hold.
    pub shards: Shards,
    /// How long to wait for what.
    pub timings: Timings,
    /// How much may wait for the inbox before Discord is asked to hold the rest.
    pub backlog: Backlog,
}

impl Options {
    /// Options with Discord's own recommendations and the usual timings.
    #[must_use]
    pub fn new(profile: Profile, token: Token, api_base: ApiBase) -> Self {
        Self {
            profile,
            token,
            api_base,
            shards: Shards::Recommended,
            timings: Timings::default(),
            backlog: Backlog::default(),
        }
    }
}

/// A bot's token. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes a token with or without the prefix `Bot `.
    ///
    /// # Errors
    /// `token-malformed`: it is empty, or holds something that no HTTP header can.
    pub fn new(text: &str) -> Result<Self, StartError> {
        let text = text.trim_start();
        let bare = text.strip_prefix("Bot ").unwrap_or(text).trim();
        if bare.is_empty() || !bare.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(StartError::TokenMalformed);
        }
        Ok(Self(bare.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Which Discord an adapter talks to. There is no default: a test or a proxy that forgets to say
/// so must not reach the real one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiBase {
    /// Discord itself.
    Discord,
    /// A server that speaks like it: an emulator, or a proxy.
    At(BaseUrl),
}

/// The origin (and path prefix, if any) in front of `/api/v10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl ApiBase {
    /// A server that speaks like Discord: `http://127.0.0.1:4000`, or an `https` URL. A trailing
    /// `/api` or `/api/v10` is allowed. Discord's own address gives [`ApiBase::Discord`].
    ///
    /// # Errors
    /// `api-base-invalid`: it is no `http` or `https` URL, or carries a user, a query or a fragment.
    pub fn at(text: &str) -> Result<Self, StartError> {
        let invalid = |why: &'static str| StartError::ApiBaseInvalid {
            text: text.to_owned(),
            why,
        };
        let mut url = Url::parse(text).map_err(|_| invalid("it is no URL"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(invalid("it must start with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("it may not carry a user or password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("it may not carry a query or fragment"));
        }
        let path = url.path().trim_end_matches('/');
        let path = path
            .strip_suffix("/api/v10")
            .or_else(|| path.strip_suffix("/api"))
            .unwrap_or(path)
            .to_owned();
        url.set_path(&path);
        if url.scheme() == "https"
            && matches!(url.host_str(), Some("discord.com" | "discordapp.com"))
            && path.is_empty()
        {
            return Ok(Self::Discord);
        }
        Ok(Self::At(BaseUrl(url)))
    }

    /// The text in front of `/api/v10`, without a slash at its end.
    pub(crate) fn prefix(&self) -> &str {
        match self {
            Self::Discord => "https://discord.com",
            Self::At(BaseUrl(url)) => url.as_str().trim_end_matches('/'),
        }
    }

    /// Whether this is an address of the files that this Discord keeps (Discord, *Reference*, *CDN
    /// Formatting*): its own two hosts, or for another base nothing but its origin.
    pub(crate) fn keeps_file(&self, url: &Url) -> bool {
        if !url.username().is_empty() || url.password().is_some() {
            return false;
        }
        match self {
            Self::Discord => {
                url.scheme() == "https"
                    && url.port().is_none()
                    && matches!(
                        url.host_str(),
                        Some("cdn.discordapp.com" | "media.discordapp.net")
                    )
            }
            Self::At(BaseUrl(base)) => url.origin() == base.origin(),
        }
    }

    /// Whether the bot's token may be shown to this gateway. Discord's goes to Discord's; one on
    /// this machine stays on this machine; what is encrypted stays encrypted.
    pub(crate) fn accepts_gateway(&self, url: &str) -> bool {
        let Ok(gateway) = Url::parse(url) else {
            return false;
        };
        let is_encrypted = gateway.scheme() == "wss";
        if !(is_encrypted || gateway.scheme() == "ws") {
            return false;
        }
        let Some(host) = gateway.host_str() else {
            return false;
        };
        match self {
            Self::Discord => is_encrypted && host.ends_with(".discord.gg"),
            Self::At(BaseUrl(base)) if is_loopback(base.host_str()) => is_loopback(Some(host)),
            Self::At(BaseUrl(base)) => is_encrypted || base.scheme() == "http",
        }
    }
}

fn is_loopback(host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// How many gateway connections to hold (Discord, *Gateway*, *Sharding*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shards {
    /// As many as Discord recommends (*Get Gateway Bot*).
    Recommended,
    /// This many; none counts as one.
    Exactly(u32),
}

/// How long to wait for what. The defaults hold in production; tests shorten them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timings {
    /// The most that opening a gateway socket may take, its upgrade included: at most 10 s.
    pub connect: Duration,
    /// The most between an open socket and HELLO, and again between HELLO and READY or RESUMED.
    pub handshake: Duration,
    /// How many heartbeats the gateway may be silent for.
    pub silent_heartbeats: u32,
    /// The most that one REST call may take, its retries and waits included.
    pub rest: Duration,
    /// The most that the first answer to a click may take, from its arrival on: Discord forgets
    /// the click after 3 s.
    pub callback: Duration,
    /// The most that [`crate::Adapter::shutdown`] takes.
    pub shutdown: Duration,
    /// Connections that may follow each other at once before the brake bites.
    pub free_reconnects: u32,
    /// The brake's first wait; each further one is twice as long.
    pub first_wait: Duration,
    /// The brake's longest wait.
    pub longest_wait: Duration,
    /// A connection that lived this long releases the brake.
    pub stable: Duration,
    /// Between two IDENTIFYs of one slot (Discord, *Gateway*, *Rate Limiting*: 5 s).
    pub identify_spacing: Duration,
    /// IDENTIFYs that may be spent before they are doled out.
    pub identify_burst: u32,
    /// How often one more is granted after that: 1,000 a day are one in 86.4 s.
    pub identify_refill: Duration,
    /// How often the sequence is saved at most.
    pub save_every: Duration,
    /// How often what the inbox did not take is told to it again.
    pub inbox_retries: u32,
    /// The wait before the first of these; each further one is twice as long.
    pub inbox_wait: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            handshake: Duration::from_secs(20),
            silent_heartbeats: 2,
            rest: Duration::from_secs(15),
            callback: Duration::from_millis(2500),
            shutdown: Duration::from_millis(2500),
            free_reconnects: 3,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            stable: Duration::from_secs(60),
            identify_spacing: Duration::from_secs(5),
            identify_burst: 10,
            identify_refill: Duration::from_secs(90),
            save_every: Duration::from_secs(1),
            inbox_retries: 5,
            inbox_wait: Duration::from_millis(100),
        }
    }
}

/// How much may wait for the inbox. When it is full, the connection is closed and resumed once half
/// of it was handed on: meanwhile Discord holds the events, and nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Messages of one channel.
    pub channel: usize,
    /// Messages of all channels together.
    pub total: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self {
            channel: 500,
            total: 5000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_printed() {
        let token = Token::new("Bot secret.token").unwrap();
        assert_eq!(token.expose(), "secret.token");
        assert!(!format!("{token:?}").contains("secret"));
        for bad in ["", "Bot ", "a b", "a\nb", "é"] {
            assert_eq!(Token::new(bad), Err(StartError::TokenMalformed), "{bad:?}");
        }
    }

    #[test]
    fn a_base_is_an_origin_with_or_without_the_path_of_the_api() {
        for (text, prefix) in [
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
            ("http://127.0.0.1:4000/", "http://127.0.0.1:4000"),
            ("http://127.0.0.1:4000/api/v10", "http://127.0.0.1:4000"),
            ("https://proxy.example/d/api", "https://proxy.example/d"),
            ("https://discord.com/api/v10", "https://discord.com"),
        ] {
            assert_eq!(ApiBase::at(text).unwrap().prefix(), prefix);
        }
        assert_eq!(ApiBase::at("https://discord.com"), Ok(ApiBase::Discord));
        for bad in [
            "",
            "127.0.0.1:4000",
            "ws://127.0.0.1",
            "http://u:p@127.0.0.1",
            "http://127.0.0.1/?x",
        ] {
            assert_eq!(ApiBase::at(bad).unwrap_err().code(), "api-base-invalid");
        }
    }

    #[test]
    fn files_are_fetched_from_nowhere_but_where_that_discord_keeps_them() {
        let keeps = |base: &ApiBase, url: &str| base.keeps_file(&Url::parse(url).unwrap());
        for url in [
            "https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1&hm=2",
            "https://media.discordapp.net/attachments/1/2/a.png",
            "https://CDN.discordapp.com:443/attachments/1/2/a.txt",
        ] {
            assert!(keeps(&ApiBase::Discord, url), "{url}");
        }
        let local = ApiBase::at("http://127.0.0.1:4000").unwrap();
        assert!(keeps(&local, "http://127.0.0.1:4000/attachments/1/2/a.txt"));
        for url in [
            "http://cdn.discordapp.com/attachments/1/2/a.txt",
            "https://cdn.discordapp.com:8443/a",
            "https://cdn.discordapp.com@evil.example/a",
            "https://user@cdn.discordapp.com/a",
            "https://cdn.discordapp.com.evil.example/a",
            "https://discord.com/a",
            "http://127.0.0.1:4001/a",
            "https://127.0.0.1:4000/a",
            "http://localhost:4000/a",
            "http://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
        ] {
            assert!(!keeps(&ApiBase::Discord, url), "{url}");
            assert!(!keeps(&local, url), "{url}");
        }
        assert!(!keeps(
            &local,
            "https://cdn.discordapp.com/attachments/1/2/a.txt"
        ));
    }

    #[test]
    fn a_token_is_shown_to_no_gateway_of_another_world() {
        let local = ApiBase::at("http://127.0.0.1:4000").unwrap();
        assert!(local.accepts_gateway("ws://127.0.0.1:4000"));
        assert!(local.accepts_gateway("ws://[::1]:4000/gateway"));
        assert!(!local.accepts_gateway("wss://gateway.discord.gg"));
        assert!(ApiBase::Discord.accepts_gateway("wss://gateway.discord.gg"));
        assert!(ApiBase::Discord.accepts_gateway("wss://gateway-us-east1-b.discord.gg"));
        assert!(!ApiBase::Discord.accepts_gateway("ws://gateway.discord.gg"));
        assert!(!ApiBase::Discord.accepts_gateway("wss://discord.gg.example"));
        let proxy = ApiBase::at("https://proxy.example").unwrap();
        assert!(proxy.accepts_gateway("wss://gateway.discord.gg"));
        assert!(!proxy.accepts_gateway("ws://gateway.example"));
        assert!(!proxy.accepts_gateway("nonsense"));
    }
}

//! The one way to Discord's REST API.
//!
//! serenity's own client cannot have both another base and its rate limiter: with the limiter on,
//! requests for another base silently go to Discord, token included. Here there is one client, made
//! for one base; every request goes to that base, and every request is rate-limited.

mod form;
mod limits;
mod refusal;
mod send;

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ostler_agent::{ChannelError, PostFile};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, redirect};
use serde_json::Value;
use serenity::http::Route;
use tokio::time::Instant;

use crate::error::StartError;
use crate::options::{ApiBase, Token};

pub(crate) use send::root_cause;

/// Discord asks for this form (*API Reference*, *User Agent*): who made the client, and which one
/// it is.
fn agent() -> String {
    let named = [
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_HOMEPAGE"),
        "https://ostler.invalid",
    ];
    let address = named.into_iter().find(|address| !address.is_empty());
    format!(
        "DiscordBot ({}, {})",
        address.unwrap_or_default(),
        env!("CARGO_PKG_VERSION")
    )
}

/// A client that sends these headers, and goes nowhere but where it is told.
pub(crate) fn client(mut headers: HeaderMap, connect: Duration) -> Result<Client, StartError> {
    let no_https = |error: String| StartError::NoHttps(error);
    let agent = HeaderValue::from_str(&agent()).map_err(|error| no_https(error.to_string()))?;
    headers.insert(USER_AGENT, agent);
    Client::builder()
        .default_headers(headers)
        // A redirect would carry the token to wherever it points.
        .redirect(redirect::Policy::none())
        // A proxy from the environment is no base that anybody configured here.
        .no_proxy()
        .connect_timeout(connect)
        .build()
        .map_err(|error| no_https(error.to_string()))
}

/// A client for one bot at one base.
#[derive(Debug)]
pub(crate) struct Rest {
    client: Client,
    base: ApiBase,
    limits: limits::Limits,
    deadline: Duration,
    is_refused: AtomicBool,
}

/// Whether a request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing, or the same thing once: also after an answer that was lost.
    Safe,
    /// Only if it certainly did nothing: it was rate-limited, or never left.
    Unsent,
    /// Never.
    Never,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    method: Method,
    route: Route<'a>,
    /// The route's major parameter: requests that differ in it have limits of their own.
    major: u64,
    /// What a 404 says is not there.
    what: &'static str,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
    /// Files that go along, in a form with the body.
    files: &'a [PostFile],
    reason: Option<String>,
    repeat: Repeat,
    /// Whether a 404 after a lost answer says that the request took effect.
    is_deletion: bool,
    until: Option<Instant>,
    /// Whether the token in the path, and not the bot's, is what a 401 refuses.
    is_by_interaction: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        method: Method,
        route: Route<'a>,
        major: Option<NonZeroU64>,
        what: &'static str,
    ) -> Self {
        let repeat = if method == Method::POST {
            Repeat::Unsent
        } else {
            Repeat::Safe
        };
        Self {
            method,
            route,
            major: major.map_or(0, NonZeroU64::get),
            what,
            query: Vec::new(),
            body: None,
            files: &[],
            reason: None,
            repeat,
            is_deletion: false,
            until: None,
            is_by_interaction: false,
        }
    }

    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Sends files with the body (Discord, *Uploading Files*). They were checked.
    pub(crate) fn files(mut self, files: &'a [PostFile]) -> Self {
        self.files = files;
        self
    }

    /// What the server's audit log says of it, where Discord keeps one of such a request.
    pub(crate) fn reason(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    pub(crate) fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// What the path names is to be gone: that it is not there is a success where an earlier try
    /// may have done it.
    pub(crate) fn deletion(mut self) -> Self {
        self.is_deletion = true;
        self
    }

    /// An answer to an interaction: not under the global limit (Discord, *Rate Limits*), and
    /// authorised by the token in its path.
    pub(crate) fn by_interaction(mut self, until: Option<Instant>) -> Self {
        self.is_by_interaction = true;
        self.until = until;
        self
    }
}

impl Rest {
    pub(crate) fn new(
        base: ApiBase,
        token: &Token,
        deadline: Duration,
        connect: Duration,
    ) -> Result<Self, StartError> {
        let mut headers = HeaderMap::new();
        let mut authorization = HeaderValue::from_str(&format!("Bot {}", token.expose()))
            .map_err(|_| StartError::TokenMalformed)?;
        authorization.set_sensitive(true);
        headers.insert(AUTHORIZATION, authorization);
        Ok(Self {
            client: client(headers, connect)?,
            base,
            limits: limits::Limits::default(),
            deadline,
            is_refused: AtomicBool::new(false),
        })
    }

    /// Whether Discord refused the bot's token. Nothing is sent after that: 10,000 refused requests
    /// in ten minutes would shut out the whole address.
    pub(crate) fn is_token_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    pub(crate) fn base(&self) -> &ApiBase {
        &self.base
    }

    /// Sends a request and gives the answer's JSON; null if it has none.
    pub(crate) async fn call(&self, call: &Call<'_>) -> Result<Value, ChannelError> {
        send::send(self, call).await
    }

    /// The path of a route behind the base. serenity writes it with Discord's own address in front.
    fn url(&self, route: Route<'_>) -> String {
        let path = route.path();
        let path: Cow<'_, str> = match path.find("/api/") {
            Some(start) => Cow::Borrowed(&path[start..]),
            None => path,
        };
        format!("{}{path}", self.base.prefix())
    }
}

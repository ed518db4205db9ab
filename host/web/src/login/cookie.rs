//! The session's cookie, and the request that carries it.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use super::SESSION_LIFE;
use crate::guard::is_same;
use crate::pages::login::redirect_to_login;
use crate::server::{Shared, now};

/// A session that is good. Only who has one sees private pages.
pub(crate) struct SignedIn {
    form_secret: String,
}

impl SignedIn {
    pub(super) fn new(form_secret: String) -> Self {
        Self { form_secret }
    }

    /// What every form of the session carries.
    pub(crate) fn form_secret(&self) -> &str {
        &self.form_secret
    }

    /// Whether a form is one of this session's.
    pub(crate) fn made(&self, given: Option<&str>) -> bool {
        given.is_some_and(|given| is_same(given.as_bytes(), self.form_secret.as_bytes()))
    }
}

/// Without a session: 303 to the login, which leads back.
impl FromRequestParts<Arc<Shared>> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Response> {
        signed_in(shared, &parts.headers)
            .ok_or_else(|| redirect_to_login(parts.uri.path()).into_response())
    }
}

/// The session of a request, if it has a good one.
pub(crate) fn signed_in(shared: &Shared, headers: &HeaderMap) -> Option<SignedIn> {
    let cookie = Cookie::of(shared).read(headers)?;
    shared.logins.session(&cookie, now())
}

/// The cookie of one server. Browsers do not part cookies by port, so the name does.
pub(crate) struct Cookie {
    name: String,
}

impl Cookie {
    pub(crate) fn of(shared: &Shared) -> Self {
        Self::with_port(shared.address.port())
    }

    fn with_port(port: u16) -> Self {
        Self {
            name: format!("ostler_session_{port}"),
        }
    }

    /// What a request carries.
    pub(crate) fn read(&self, headers: &HeaderMap) -> Option<String> {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.name)
            .map(|(_, value)| value.to_owned())
    }

    /// Sets it: for this server alone, out of reach of scripts and of requests that other sites
    /// make (RFC 6265bis, section 4.1.2). It is not `Secure`, since loopback has no TLS.
    pub(crate) fn set(&self, value: &str) -> Option<HeaderValue> {
        self.with(value, SESSION_LIFE / 1_000)
    }

    /// Takes it away.
    pub(crate) fn clear(&self) -> Option<HeaderValue> {
        self.with("", 0)
    }

    fn with(&self, value: &str, seconds: i64) -> Option<HeaderValue> {
        let name = &self.name;
        let text = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}");
        HeaderValue::from_str(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(cookies: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        }
        Cookie::with_port(7373).read(&headers)
    }

    #[test]
    fn only_this_servers_cookie_is_read() {
        assert_eq!(carried(&[]), None);
        assert_eq!(carried(&["ostler_session_7374=a; x=y"]), None);
        assert_eq!(carried(&["not_ostler_session_7373=a"]), None);
        let wanted = Some("abc".to_owned());
        assert_eq!(carried(&["ostler_session_7373=abc"]), wanted);
        assert_eq!(carried(&["a=b;  ostler_session_7373=abc ;c=d"]), wanted);
        assert_eq!(carried(&["a=b", "ostler_session_7373=abc"]), wanted);
    }

    #[test]
    fn it_is_kept_from_scripts_and_other_sites() {
        let set = Cookie::with_port(7373).set("abc").unwrap();
        assert_eq!(
            set.to_str().unwrap(),
            "ostler_session_7373=abc; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"
        );
        let cleared = Cookie::with_port(7373).clear().unwrap();
        assert!(cleared.to_str().unwrap().ends_with("Max-Age=0"));
    }

    #[test]
    fn a_form_is_the_sessions_or_nobodys() {
        let session = SignedIn::new("secret".to_owned());
        assert!(session.made(Some("secret")));
        for other in [
            None,
            Some(""),
            Some("Secret"),
            Some("secret "),
            Some("secre"),
        ] {
            assert!(!session.made(other), "{other:?}");
        }
    }
}

//! The API and the pages of a running host, over HTTP.

use std::sync::Mutex;

use reqwest::header::{COOKIE, HeaderMap, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

fn client() -> Client {
    // A second one of the same process finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client")
}

/// The API, with its token.
pub struct Api {
    client: Client,
    base: String,
    token: String,
}

impl Api {
    pub fn new(ready: &Value) -> Self {
        Self {
            client: client(),
            base: format!("{}/api/v1", ready["api"].as_str().expect("an address")),
            token: ready["token"].as_str().expect("a token").to_owned(),
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}/{path}", self.base))
    }

    async fn answered(request: RequestBuilder) -> (u16, Value) {
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let body = answer.text().await.expect("a body");
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        Self::answered(self.request(Method::GET, path).bearer_auth(&self.token)).await
    }

    pub async fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let request = self.request(Method::POST, path).bearer_auth(&self.token);
        Self::answered(request.body(body.to_owned())).await
    }

    /// The same without the token.
    pub async fn post_as_a_stranger(&self, path: &str) -> (u16, Value) {
        Self::answered(self.request(Method::POST, path)).await
    }
}

/// A page that was answered.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answered {
    /// Where it leads.
    pub fn location(&self) -> &str {
        self.headers
            .get(LOCATION)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The cookie that it sets.
    pub fn cookie(&self) -> &str {
        self.headers
            .get(SET_COOKIE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The value of its first field with this name.
    pub fn field(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = self
            .text
            .split_once(&start)
            .unwrap_or_else(|| panic!("no {name} in {}", self.text));
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

/// The pages, as a browser without scripts sees them: it keeps the cookie and names its origin.
pub struct Pages {
    client: Client,
    pub origin: String,
    cookie: Mutex<Option<String>>,
}

impl Pages {
    pub fn new(ready: &Value) -> Self {
        Self {
            client: client(),
            origin: ready["pages"].as_str().expect("an address").to_owned(),
            cookie: Mutex::default(),
        }
    }

    async fn answered(&self, request: RequestBuilder) -> Answered {
        let cookie = self.cookie.lock().expect("a cookie").clone();
        let request = match cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        };
        let answer = request.send().await.expect("an answer");
        let answered = Answered {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            text: answer.text().await.expect("a body"),
        };
        if let Some(pair) = answered
            .cookie()
            .split(';')
            .next()
            .filter(|c| !c.is_empty())
        {
            *self.cookie.lock().expect("a cookie") = Some(pair.to_owned());
        }
        answered
    }

    pub async fn get(&self, path: &str) -> Answered {
        let url = format!("{}{path}", self.origin);
        self.answered(self.client.get(url)).await
    }

    /// The page for somebody else who has a cookie.
    pub async fn get_with(&self, path: &str, cookie: &str) -> Answered {
        let pair = cookie.split(';').next().unwrap_or_default().to_owned();
        let thief = Self {
            client: self.client.clone(),
            origin: self.origin.clone(),
            cookie: Mutex::new(Some(pair)),
        };
        thief.get(path).await
    }

    /// Submits a form of this server's own pages.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answered {
        let origin = self.origin.clone();
        self.post_from(&origin, path, fields).await
    }

    /// Submits a form of another page.
    pub async fn post_from(&self, origin: &str, path: &str, fields: &[(&str, &str)]) -> Answered {
        let body: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        let request = self
            .client
            .post(format!("{}{path}", self.origin))
            .header(ORIGIN, origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.join("&"));
        self.answered(request).await
    }

    /// Signs in with the API's token.
    pub async fn sign_in(&self, token: &str) {
        let answered = self.post("/login", &[("token", token)]).await;
        assert_eq!(answered.status, 303, "{}", answered.text);
    }

    /// What every form of this session carries.
    pub async fn csrf(&self) -> String {
        self.get("/approvals").await.field("csrf")
    }

    /// Answers an ask by its form.
    pub async fn answer(&self, ask: &str, verb: &str, reason: &str) -> Answered {
        let csrf = self.get(&format!("/approvals/{ask}")).await.field("csrf");
        let fields = [("csrf", csrf.as_str()), ("reason", reason)];
        self.post(&format!("/approvals/{ask}/{verb}"), &fields)
            .await
    }
}

/// A form's value (URL Standard, *application/x-www-form-urlencoded serializing*).
fn encoded(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

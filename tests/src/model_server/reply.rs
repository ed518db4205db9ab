//! What the server answers.

use serde_json::{Value, json};

/// Why the model stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It is done, or waits for its calls.
    Done,
    /// It came to the bound on its tokens.
    Length,
    /// The answer is withheld.
    Filtered,
}

/// What happens to an answer on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The connection is torn down after so many bytes.
    CutAfter(usize),
    /// Nothing follows after so many bytes, and the connection stays.
    StallAfter(usize),
    /// The bytes come again and again, without end.
    Repeat,
}

/// An answer to one request.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The body as it stands, instead of what the model does.
    pub(super) body: Option<String>,
    pub(super) reasoning: String,
    pub(super) text: String,
    /// Id, name, the text of the arguments.
    pub(super) calls: Vec<(String, String, String)>,
    pub(super) usage: (u64, u64),
    pub(super) stop: Stop,
    pub(super) piece: Option<usize>,
    pub(super) damage: Option<Damage>,
}

impl Reply {
    /// The model says something.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: None,
            reasoning: String::new(),
            text: text.to_owned(),
            calls: Vec::new(),
            usage: (11, 7),
            stop: Stop::Done,
            piece: None,
            damage: None,
        }
    }

    /// The model calls a tool.
    #[must_use]
    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::text("").and_call(id, name, arguments)
    }

    /// A status with a JSON body.
    #[must_use]
    pub fn status(status: u16, body: &Value) -> Self {
        let reply = Self::raw("application/json", &body.to_string());
        Self { status, ..reply }
    }

    /// A success with any body.
    #[must_use]
    pub fn raw(content_type: &str, body: &str) -> Self {
        Self {
            body: Some(body.to_owned()),
            ..Self::text("")
        }
        .header("content-type", content_type)
    }

    /// An error in the form that the providers share.
    #[must_use]
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        Self::status(status, &body)
    }

    /// It calls one more tool.
    #[must_use]
    pub fn and_call(self, id: &str, name: &str, arguments: &Value) -> Self {
        self.and_raw_call(id, name, &arguments.to_string())
    }

    /// It calls one more tool, with arguments that need not be JSON.
    #[must_use]
    pub fn and_raw_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls
            .push((id.to_owned(), name.to_owned(), arguments.to_owned()));
        self
    }

    /// It thinks before it speaks.
    #[must_use]
    pub fn reasoning(self, reasoning: &str) -> Self {
        Self {
            reasoning: reasoning.to_owned(),
            ..self
        }
    }

    /// The tokens that it used: read and written.
    #[must_use]
    pub fn usage(self, input: u64, output: u64) -> Self {
        Self {
            usage: (input, output),
            ..self
        }
    }

    /// Why it stops.
    #[must_use]
    pub fn stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// A header more.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends pieces of so many bytes, wherever that falls.
    #[must_use]
    pub fn in_pieces_of(self, bytes: usize) -> Self {
        Self {
            piece: Some(bytes),
            ..self
        }
    }

    /// Damages it on its way.
    #[must_use]
    pub fn damaged(self, damage: Damage) -> Self {
        Self {
            damage: Some(damage),
            ..self
        }
    }
}

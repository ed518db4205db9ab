//! The requests that were received, for tests to look at.

use std::collections::VecDeque;

use http::request::Parts;
use serde_json::{Map, Value, json};

use crate::api::call::{header, percent_decoded};
use crate::snowflake::now_ms;

/// How many are kept.
const KEPT: usize = 10_000;

/// One request and its answer.
pub(crate) struct Record {
    value: Value,
    pub(crate) files: usize,
}

impl Record {
    pub(crate) fn new(parts: &Parts, body: Option<&Value>) -> Self {
        let mut headers = Map::new();
        for (name, value) in &parts.headers {
            // Whoever reads this must not learn the bot's token.
            if name != "authorization" {
                let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
                headers.insert(name.as_str().to_owned(), Value::String(text));
            }
        }
        let reason = header(&parts.headers, "x-audit-log-reason").map(percent_decoded);
        let has_body = parts.headers.contains_key("content-type");
        let value = json!({
            "at_ms": now_ms(),
            "method": parts.method.as_str(),
            "path": parts.uri.path(),
            "query": parts.uri.query(),
            "headers": headers,
            "body": if has_body { body.cloned() } else { None },
            "reason": reason,
        });
        Self { value, files: 0 }
    }

    pub(crate) fn finish(&mut self, status: u16, response: Option<&Value>) {
        self.value["status"] = json!(status);
        self.value["response"] = json!(response);
        self.value["files"] = json!(self.files);
    }
}

/// The last requests, with the number of each.
#[derive(Default)]
pub(crate) struct Requests {
    list: VecDeque<(u64, Value)>,
    last: u64,
}

impl Requests {
    pub(crate) fn push(&mut self, record: Record) {
        self.last += 1;
        let mut value = record.value;
        value["n"] = json!(self.last);
        self.list.push_back((self.last, value));
        if self.list.len() > KEPT {
            self.list.pop_front();
        }
    }

    /// The requests with numbers above `since`, oldest first.
    pub(crate) fn since(&self, since: u64) -> Vec<Value> {
        let newer = self.list.iter().filter(|(number, _)| *number > since);
        newer.map(|(_, value)| value.clone()).collect()
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }
}

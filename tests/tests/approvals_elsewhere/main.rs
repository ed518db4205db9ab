//! The second way to answer: the API, the command line and the pages, beside the cards.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "../elsewhere_support/mod.rs"]
mod elsewhere_support;

mod api;
mod commands;
mod login;
mod pages;
mod phone;

/// The code of an error, as the API and the command line give it.
fn code(body: &serde_json::Value) -> &str {
    body["error"]["code"].as_str().unwrap_or_default()
}

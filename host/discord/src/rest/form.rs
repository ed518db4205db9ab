//! A request with files (Discord, *Uploading Files*).

use std::time::Duration;

use ostler_agent::PostFile;
use reqwest::multipart::{Form, Part};
use serde_json::Value;

/// The slowest upload that is waited for, in bytes a second.
const SLOWEST: u64 = 256 << 10;

/// How much longer than others a request with these files may take.
pub(super) fn time(files: &[PostFile]) -> Duration {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    Duration::from_millis(bytes.saturating_mul(1000) / SLOWEST)
}

/// The body as `payload_json`, and each file as `files[n]`.
pub(super) fn form(body: &Value, files: &[PostFile]) -> Form {
    let form = Form::new().text("payload_json", body.to_string());
    files.iter().enumerate().fold(form, |form, (number, file)| {
        let part = Part::bytes(file.bytes.clone()).file_name(file.name.clone());
        form.part(format!("files[{number}]"), part)
    })
}

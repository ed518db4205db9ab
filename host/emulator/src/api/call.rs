//! One request to the REST API, taken apart.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};
use http::HeaderMap;
use http::request::Parts;
use serde_json::Value;

use super::error::{ApiError, INVALID_JSON, TOO_LARGE};
use crate::actions::compose::{Draft, Upload};
use crate::snowflake::Id;

/// Bytes of a whole request.
pub(crate) const REQUEST_LIMIT: usize = 25 * 1024 * 1024;

/// A request whose sender is known.
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    /// The path below `/api/v10`.
    pub(crate) path: &'a [&'a str],
    pub(crate) query: &'a str,
    /// Who asks. For interactions and webhooks the token in the path counts instead.
    pub(crate) actor: Id,
    pub(crate) payload: &'a Payload,
}

/// The body of a request.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    pub(crate) body: Value,
    pub(crate) uploads: Vec<Upload>,
}

/// What an answered call gives.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Option<Value>,
}

impl Reply {
    pub(crate) fn ok(body: Value) -> Self {
        Self {
            status: 200,
            body: Some(body),
        }
    }

    pub(crate) fn created(body: Value) -> Self {
        Self {
            status: 201,
            body: Some(body),
        }
    }

    pub(crate) fn empty() -> Self {
        Self {
            status: 204,
            body: None,
        }
    }
}

/// The characters of a path or a query, with percent signs resolved.
pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        let pair = bytes.get(index + 1..index + 3);
        let value = pair
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (byte, value) {
            (b'%', Some(value)) => {
                decoded.push(value);
                index += 3;
            }
            (other, _) => {
                decoded.push(other);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

impl<'a> Call<'a> {
    /// A parameter of the query.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let mut found = pairs.filter(|(key, _)| *key == name);
        found
            .next()
            .map(|(_, value)| percent_decoded(&value.replace('+', " ")))
    }

    /// A whole number of the query within its range.
    pub(crate) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, ApiError> {
        let Some(text) = self.parameter(name) else {
            return Ok(default);
        };
        let Ok(number) = text.parse::<i64>() else {
            let message = format!("Value \"{text}\" is not int.");
            return Err(ApiError::field(name, "NUMBER_TYPE_COERCE", &message));
        };
        match usize::try_from(number) {
            Ok(number) if range.contains(&number) => Ok(number),
            Ok(number) if number > *range.end() => {
                let message = format!("int value should be less than or equal to {}.", range.end());
                Err(ApiError::field(name, "NUMBER_TYPE_MAX", &message))
            }
            _ => {
                let message = format!(
                    "int value should be greater than or equal to {}.",
                    range.start()
                );
                Err(ApiError::field(name, "NUMBER_TYPE_MIN", &message))
            }
        }
    }

    /// An id of the query.
    pub(crate) fn id_parameter(&self, name: &str) -> Result<Option<Id>, ApiError> {
        match self.parameter(name) {
            None => Ok(None),
            Some(text) if text == "0" => Ok(Some(Id(0))),
            Some(text) => id(&text, name).map(Some),
        }
    }

    pub(crate) fn body(&self) -> &'a Value {
        &self.payload.body
    }

    pub(crate) fn draft(&self) -> Draft<'a> {
        Draft {
            body: &self.payload.body,
            uploads: &self.payload.uploads,
        }
    }
}

/// An id of a path or a query.
pub(crate) fn id(text: &str, name: &str) -> Result<Id, ApiError> {
    text.parse().map_err(|()| {
        let message = format!("Value \"{text}\" is not snowflake.");
        ApiError::field(name, "NUMBER_TYPE_COERCE", &message)
    })
}

/// The number of an upload: `files[2]` is 2.
fn upload_number(name: &str) -> u64 {
    let digits: String = name.chars().filter(char::is_ascii_digit).take(9).collect();
    digits.parse().unwrap_or(0)
}

/// Reads a body: JSON, or a form with `payload_json` and files.
pub(crate) async fn payload(parts: &Parts, bytes: &[u8]) -> Result<Payload, ApiError> {
    let content_type = header(&parts.headers, "content-type").unwrap_or_default();
    if content_type.starts_with("multipart/form-data") {
        return multipart(parts, bytes).await;
    }
    if bytes.is_empty() {
        return Ok(Payload {
            body: Value::Object(serde_json::Map::new()),
            uploads: Vec::new(),
        });
    }
    let body = serde_json::from_slice(bytes).map_err(|_| INVALID_JSON)?;
    Ok(Payload {
        body,
        uploads: Vec::new(),
    })
}

async fn multipart(parts: &Parts, bytes: &[u8]) -> Result<Payload, ApiError> {
    let request = Request::from_parts(parts.clone(), Body::from(bytes.to_vec()));
    let malformed =
        || ApiError::field("_multipart", "MULTIPART_INVALID", "The form cannot be read");
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| malformed())?;
    let mut payload = Payload {
        body: serde_json::json!({}),
        uploads: Vec::new(),
    };
    while let Some(field) = form.next_field().await.map_err(|_| malformed())? {
        let name = field.name().unwrap_or_default().to_owned();
        let filename = field.file_name().map(str::to_owned);
        let content_type = field.content_type().map(str::to_owned);
        let bytes = field.bytes().await.map_err(|_| malformed())?;
        match filename {
            Some(filename) if name != "payload_json" => payload.uploads.push(Upload {
                number: upload_number(&name),
                filename,
                content_type,
                bytes: Arc::new(bytes.to_vec()),
            }),
            _ if name == "payload_json" => {
                payload.body = serde_json::from_slice(&bytes).map_err(|_| INVALID_JSON)?;
            }
            _ => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                payload.body[name] = Value::String(text);
            }
        }
    }
    if payload
        .uploads
        .iter()
        .map(|upload| upload.bytes.len())
        .sum::<usize>()
        > REQUEST_LIMIT
    {
        return Err(TOO_LARGE);
    }
    Ok(payload)
}

/// A header as text.
pub(crate) fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The parts of a path.
pub(crate) fn percent_decoded_segments(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty())
        .map(percent_decoded)
        .collect()
}

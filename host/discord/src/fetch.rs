//! Files of messages, fetched from where Discord keeps them.

use std::time::Duration;

use ostler_agent::{Attachment, ChannelError};
use reqwest::header::HeaderMap;
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::{Instant, sleep, timeout_at};

use crate::error::StartError;
use crate::jitter::jittered;
use crate::options::ApiBase;
use crate::rest::{client, root_cause};

/// How often a file is asked for at most.
const TRIES: u32 = 3;
/// The wait before a failed request is sent again; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// What is set aside for a file at first, whatever it says of its length.
const FIRST_ROOM: u64 = 64 << 10;

/// Fetches files. Its client has no token to show.
#[derive(Debug)]
pub(crate) struct Downloads {
    client: Client,
    base: ApiBase,
    deadline: Duration,
}

impl Downloads {
    pub(crate) fn new(
        base: ApiBase,
        deadline: Duration,
        connect: Duration,
    ) -> Result<Self, StartError> {
        Ok(Self {
            client: client(HeaderMap::new(), connect)?,
            base,
            deadline,
        })
    }

    /// Gives a file's bytes, at most `limit` of them.
    pub(crate) async fn fetch(
        &self,
        attachment: &Attachment,
        limit: u64,
    ) -> Result<Vec<u8>, ChannelError> {
        let url = Url::parse(&attachment.url)
            .ok()
            .filter(|url| self.base.keeps_file(url))
            .ok_or_else(|| elsewhere(attachment))?;
        if attachment.bytes > limit {
            return Err(too_large(attachment, limit));
        }
        let deadline = Instant::now() + self.deadline;
        let mut tries = 0;
        loop {
            tries += 1;
            let tried = timeout_at(deadline, self.attempt(&url, attachment, limit)).await;
            let error = match tried {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(error)) => error,
                Err(_) => ChannelError::Unavailable("the file did not come in time".to_owned()),
            };
            let wait = jittered(FIRST_WAIT.saturating_mul(1 << (tries - 1)));
            if !error.is_transient() || tries >= TRIES || Instant::now() + wait >= deadline {
                return Err(error);
            }
            sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        url: &Url,
        attachment: &Attachment,
        limit: u64,
    ) -> Result<Vec<u8>, ChannelError> {
        let lost = |error: reqwest::Error| {
            // The URL carries the signature that opens the file.
            ChannelError::Unavailable(root_cause(&error.without_url()))
        };
        let mut response = self.client.get(url.clone()).send().await.map_err(lost)?;
        check(&response)?;
        let told = response.content_length();
        if told.is_some_and(|bytes| bytes > limit) {
            return Err(too_large(attachment, limit));
        }
        let room = told.unwrap_or_default().min(limit).min(FIRST_ROOM);
        let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            let so_far = bytes.len().saturating_add(chunk.len());
            if u64::try_from(so_far).unwrap_or(u64::MAX) > limit {
                return Err(too_large(attachment, limit));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

fn check(response: &Response) -> Result<(), ChannelError> {
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    Err(match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => ChannelError::NotFound("file"),
        StatusCode::TOO_MANY_REQUESTS => ChannelError::Limited,
        status if status.is_server_error() => {
            ChannelError::Unavailable(format!("it answered {status}"))
        }
        status => ChannelError::Refused {
            status: status.as_u16(),
            code: 0,
            message: status
                .canonical_reason()
                .unwrap_or("no reason given")
                .to_owned(),
        },
    })
}

fn elsewhere(attachment: &Attachment) -> ChannelError {
    ChannelError::Invalid(format!(
        "the file {:?} has an address that is none of Discord's: it is not fetched",
        attachment.name
    ))
}

fn too_large(attachment: &Attachment, limit: u64) -> ChannelError {
    ChannelError::Invalid(format!(
        "the file {:?} is larger than {limit} bytes: it is not fetched",
        attachment.name
    ))
}

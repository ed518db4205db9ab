//! Models of providers: OpenAI-compatible, Anthropic and Ollama endpoints.
//!
//! The protocols are `genai`'s. What it leaves open stands here: what is sent and where
//! ([`endpoint`], [`request`]), how much and how long is read ([`answer`], [`watch`], [`calls`]),
//! and what an error says ([`failure`]). Notes on its faults name the version that has them.
//!
//! It writes to the log itself, under the target `genai`: pieces of answers and whole addresses.
//! A subscriber should leave that target out.

mod answer;
mod calls;
mod client;
mod endpoint;
mod failure;
mod options;
mod request;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use tokio::time::Instant;

use self::answer::Answer;
use self::failure::{Failure, Texts};
pub use self::options::{Key, ProviderError, ProviderKind, ProviderOptions, Timeouts};
use self::watch::Watch;
use super::{Completion, Model, ModelError, ModelStream};

/// How often a request is tried again that failed before anything of its answer came.
const RETRIES: u32 = 2;
/// The wait before the first retry where the provider asks for none; it doubles with each.
const BACKOFF: Duration = Duration::from_millis(500);

/// A model at a provider.
#[derive(Debug)]
pub struct Provider {
    client: genai::Client,
    kind: ProviderKind,
    model: String,
    /// Where completions are asked for.
    url: String,
    timeouts: Timeouts,
    texts: Arc<Texts>,
}

impl Provider {
    /// Sets a provider up. Nothing is sent yet.
    ///
    /// # Errors
    /// The options are not usable.
    pub fn new(options: ProviderOptions) -> Result<Self, ProviderError> {
        let ProviderOptions {
            kind,
            base_url,
            model,
            key,
            timeouts,
        } = options;
        if model.trim().is_empty() {
            return Err(ProviderError::Name);
        }
        let key = key.filter(|key| !key.expose().is_empty());
        let url = endpoint::completions_url(kind, base_url.as_deref())?;
        let client = client::build(kind, &url, key.as_ref(), timeouts.connect)?;
        let texts = Arc::new(Texts::new(&url, key));
        Ok(Self {
            client,
            kind,
            model,
            url: url.into(),
            timeouts,
            texts,
        })
    }

    /// The target, which `genai` is given whole: it then guesses no adapter from the model's name
    /// and reads no key from the environment.
    fn target(&self) -> ServiceTarget {
        ServiceTarget {
            model: ModelIden::new(adapter(self.kind), request::model_alias(&self.model)),
            // Address and headers are overridden: the adapters join addresses in ways of their
            // own, and send an empty key where there is none.
            endpoint: Endpoint::from_owned(self.url.as_str()),
            auth: AuthData::RequestOverride {
                url: self.url.clone(),
                headers: Headers::default(),
            },
        }
    }

    async fn attempt(&self, request: &Completion, deadline: Instant) -> Result<Answer, Failure> {
        let watch = Arc::new(Watch::default());
        let options = request::options(&self.model, request.max_tokens, Arc::clone(&watch));
        let stream = self
            .client
            .exec_chat_stream(self.target(), request::chat(request), Some(&options))
            .await
            .map_err(|error| self.texts.failure(error))?
            .stream;
        let ids = request::call_ids(request);
        let texts = Arc::clone(&self.texts);
        let mut answer = Answer::new(
            stream,
            watch,
            texts,
            self.kind,
            ids,
            self.timeouts,
            deadline,
        );
        answer.begin().await?;
        Ok(answer)
    }
}

#[async_trait]
impl Model for Provider {
    fn name(&self) -> String {
        format!("{}/{}", self.kind.as_str(), self.model)
    }

    async fn complete(&self, request: &Completion) -> Result<ModelStream, ModelError> {
        request::check(request)?;
        let deadline = Instant::now() + self.timeouts.total;
        let mut retries = 0;
        loop {
            let failure = match self.attempt(request, deadline).await {
                Ok(answer) => return Ok(answer.into_stream()),
                Err(failure) => failure,
            };
            let Some(asked) = failure.retry.filter(|_| retries < RETRIES) else {
                return Err(failure.error);
            };
            let wait = asked.unwrap_or_else(|| jittered(BACKOFF * 2_u32.pow(retries)));
            if Instant::now() + wait >= deadline {
                return Err(failure.error);
            }
            retries += 1;
            tracing::debug!(
                code = failure.error.code(),
                retries,
                ?wait,
                "model request retried"
            );
            tokio::time::sleep(wait).await;
        }
    }
}

/// The adapter that speaks a protocol. Whatever the model's name is: `genai` would guess.
///
/// genai 0.7.2: its adapter for Ollama's own protocol takes an answer that was cut off for a whole
/// one, drops lines that hold an error, keeps one of several tool results and leaves the tool's
/// name out of a result. Ollama's OpenAI-compatible endpoint has none of that.
fn adapter(kind: ProviderKind) -> AdapterKind {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Ollama => AdapterKind::OpenAI,
        ProviderKind::Anthropic => AdapterKind::Anthropic,
    }
}

/// Between half and the whole of a wait, so that many turns that failed together do not come back
/// together.
fn jittered(wait: Duration) -> Duration {
    let mut byte = [0_u8];
    // Without randomness the wait is merely the whole one.
    let share = getrandom::fill(&mut byte).map_or(255, |()| byte[0]);
    wait / 2 + wait * u32::from(share) / 510
}

//! Where completions are asked for.

use reqwest::Url;

use super::{ProviderError, ProviderKind};

/// The address of a provider's completions.
pub(super) fn completions_url(
    kind: ProviderKind,
    base_url: Option<&str>,
) -> Result<Url, ProviderError> {
    let base_url = base_url.map_or(default_base(kind), str::trim);
    let mut url = Url::parse(base_url)
        .map_err(|_| ProviderError::BaseUrl("it must be an address like https://host/v1"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ProviderError::BaseUrl(
            "it must begin with https:// or http://",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ProviderError::BaseUrl(
            "it must hold no user or password: use `key_secret`",
        ));
    }
    url.set_fragment(None);
    let versioned = url
        .path()
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .is_some_and(is_version);
    let mut path = url
        .path_segments_mut()
        .map_err(|()| ProviderError::BaseUrl("it must be an address like https://host/v1"))?;
    path.pop_if_empty();
    // What people write for these two is the host alone, as their own tools take it.
    if kind != ProviderKind::OpenAi && !versioned {
        path.push("v1");
    }
    match kind {
        ProviderKind::OpenAi | ProviderKind::Ollama => path.extend(["chat", "completions"]),
        ProviderKind::Anthropic => path.push("messages"),
    };
    drop(path);
    Ok(url)
}

fn default_base(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi => "https://api.openai.com/v1",
        ProviderKind::Anthropic => "https://api.anthropic.com/v1",
        ProviderKind::Ollama => "http://127.0.0.1:11434/v1",
    }
}

/// Whether a part of a path is a version: `v1`.
fn is_version(segment: &str) -> bool {
    let number = segment.strip_prefix('v').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

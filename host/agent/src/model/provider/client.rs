//! The HTTP client of a provider.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Url, redirect};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;

use super::{Key, ProviderError, ProviderKind};

/// A client that follows no redirect, and that carries the key as headers of every request, marked
/// as sensitive, so that `genai` never holds it.
pub(super) fn build(
    kind: ProviderKind,
    url: &Url,
    key: Option<&Key>,
    connect_timeout: Duration,
) -> Result<genai::Client, ProviderError> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(url)?)
        .default_headers(headers(kind, key)?)
        .redirect(redirect::Policy::none())
        // A request is tried again by us or not at all.
        .retry(reqwest::retry::never())
        .connect_timeout(connect_timeout)
        .tcp_nodelay(true);
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    let http = builder
        .build()
        .map_err(|error| ProviderError::Client(error.to_string()))?;
    genai::Client::builder()
        .with_reqwest(http)
        .build()
        .map_err(|error| ProviderError::Client(error.to_string()))
}

/// TLS with a provider of its own, so that no default of the process is needed or set.
fn tls(url: &Url) -> Result<ClientConfig, ProviderError> {
    let failed = |error: rustls::Error| ProviderError::Client(error.to_string());
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let mut config = if url.scheme() == "https" {
        builder
            .with_platform_verifier()
            .map_err(failed)?
            .with_no_client_auth()
    } else {
        // Nothing is redirected to https, and a system without certificates has local models too.
        builder
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth()
    };
    // reqwest offers no protocols for a configuration that it did not make.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn headers(kind: ProviderKind, key: Option<&Key>) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    if kind == ProviderKind::Anthropic {
        let version = HeaderName::from_static("anthropic-version");
        headers.insert(version, HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = key {
        let (name, text) = match kind {
            ProviderKind::Anthropic => (
                HeaderName::from_static("x-api-key"),
                key.expose().to_owned(),
            ),
            ProviderKind::OpenAi | ProviderKind::Ollama => {
                (AUTHORIZATION, format!("Bearer {}", key.expose()))
            }
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| ProviderError::Key)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

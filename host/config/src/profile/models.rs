//! `[model]` and `[models.<name>]`

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::endpoint::BaseUrl;
use crate::read::Misfit;
use crate::{Bounded, SecretName};

/// A model and how it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Whose protocol it speaks. `scripted` is no model: it plays the turns of a script.
    pub provider: Provider,
    /// Where it is: the URL that the provider's own paths are added to. Unset, the provider's
    /// public address, and for `ollama` this machine.
    #[serde(default)]
    pub base_url: Option<BaseUrl>,
    /// The provider's name for it. Required but for `scripted`.
    #[serde(default)]
    pub name: Option<String>,
    /// The secret that holds the key; its name, never the key. Unset, no key is sent. A key is
    /// sent over `https://`, or to a loopback host.
    #[serde(default)]
    pub key_secret: Option<SecretName>,
    /// The script of `scripted`, a TOML file; a path that is not absolute begins at the profile's
    /// folder.
    #[serde(default)]
    pub script: Option<PathBuf>,
    /// The most tokens of one answer. Unset, the provider's own bound.
    #[serde(default)]
    pub max_tokens: Option<Bounded<1, 1_000_000>>,
}

/// Whose protocol a model speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenAI's chat completions, and what is compatible with them.
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's chat.
    Ollama,
    /// A script of turns.
    Scripted,
}

impl ModelConfig {
    /// The script, where a relative path begins at `profile_folder`.
    #[must_use]
    pub fn script_file(&self, profile_folder: &Path) -> Option<PathBuf> {
        self.script
            .as_ref()
            .map(|script| profile_folder.join(script))
    }

    pub(crate) fn misfits(&self) -> impl Iterator<Item = Misfit> {
        let is_scripted = self.provider == Provider::Scripted;
        let is_blank = |name: &String| name.trim().is_empty();
        let mut misfits = Vec::new();
        if is_scripted {
            for (key, is_set) in [
                ("base_url", self.base_url.is_some()),
                ("key_secret", self.key_secret.is_some()),
            ] {
                if is_set {
                    misfits.push(Misfit::new([key], "`scripted` reaches no provider"));
                }
            }
        } else {
            if self.name.as_ref().is_none_or(is_blank) {
                misfits.push(Misfit::new(["name"], "it is required for this provider"));
            }
            if self.script.is_some() {
                misfits.push(Misfit::new(["script"], "it is for `scripted` alone"));
            }
        }
        if self.key_secret.is_some() && self.base_url.as_ref().is_some_and(|url| !url.is_private())
        {
            misfits.push(Misfit::new(
                ["base_url"],
                "it would send the key in the clear: use https://, or http:// with a loopback \
                 host such as 127.0.0.1",
            ));
        }
        misfits.into_iter()
    }
}

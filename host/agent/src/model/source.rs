//! From a profile's configuration to the model that it names.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use ostler_config::{AgentConfig, ModelConfig, ProfileConfig, Provider as ProviderKind};
use ostler_registry::Registry;
use ostler_store::Profile;
use tokio::sync::Mutex;

use super::{Completion, Key, Model, ModelError, ModelStream, Provider, ProviderOptions, Scripted};

/// Where a profile's models come from. A model is made when it is first named, and again when its
/// table changes.
pub struct ModelSource {
    registry: Arc<Registry>,
    profile: Profile,
    profile_folder: PathBuf,
    /// Takes the place of whatever the profile names.
    fixed: Option<Arc<dyn Model>>,
    made: Mutex<Vec<(ModelConfig, Arc<dyn Model>)>>,
}

impl ModelSource {
    /// Models as the profile names them. Their keys are secrets of the profile; the paths of
    /// scripts begin at `profile_folder`.
    #[must_use]
    pub fn new(registry: Arc<Registry>, profile: Profile, profile_folder: PathBuf) -> Self {
        Self {
            registry,
            profile,
            profile_folder,
            fixed: None,
            made: Mutex::default(),
        }
    }

    /// Uses `model` whatever the profile names.
    #[must_use]
    pub fn with_fixed(self, model: Arc<dyn Model>) -> Self {
        Self {
            fixed: Some(model),
            ..self
        }
    }

    /// The model of an agent's turns. One that cannot be made gives its reason when it is asked.
    pub(crate) async fn of(&self, config: &ProfileConfig, agent: &AgentConfig) -> Arc<dyn Model> {
        if let Some(fixed) = &self.fixed {
            return Arc::clone(fixed);
        }
        let Some(wanted) = config.agent_model(agent) else {
            return Arc::new(NoModel(ModelError::Rejected(
                "the profile names no model; write a [model] table in its profile.toml".to_owned(),
            )));
        };
        self.made(config, wanted).await
    }

    /// A model that the profile has under `[models]`; none if it has none of this name.
    pub(crate) async fn named(
        &self,
        config: &ProfileConfig,
        name: &ostler_config::Name,
    ) -> Option<Arc<dyn Model>> {
        let wanted = config.models.get(name)?;
        Some(self.made(config, wanted).await)
    }

    async fn made(&self, config: &ProfileConfig, wanted: &ModelConfig) -> Arc<dyn Model> {
        let mut made = self.made.lock().await;
        if let Some((_, model)) = made.iter().find(|(config, _)| config == wanted) {
            return Arc::clone(model);
        }
        match self.make(wanted).await {
            Ok(model) => {
                // What the profile no longer names is let go.
                made.retain(|(known, _)| {
                    config.model.as_ref() == Some(known)
                        || config.models.values().any(|named| named == known)
                });
                made.push((wanted.clone(), Arc::clone(&model)));
                model
            }
            // Not kept: a secret may be set meanwhile.
            Err(error) => Arc::new(NoModel(error)),
        }
    }

    async fn make(&self, config: &ModelConfig) -> Result<Arc<dyn Model>, ModelError> {
        let kind = match config.provider {
            ProviderKind::Scripted => {
                let file = config.script_file(&self.profile_folder).ok_or_else(|| {
                    ModelError::Rejected("`provider = \"scripted\"` needs a `script`".to_owned())
                })?;
                let script = Scripted::load(&file)
                    .map_err(|error| ModelError::NoScript(error.to_string()))?;
                return Ok(Arc::new(script));
            }
            ProviderKind::Openai => super::ProviderKind::OpenAi,
            ProviderKind::Anthropic => super::ProviderKind::Anthropic,
            ProviderKind::Ollama => super::ProviderKind::Ollama,
        };
        let key = match &config.key_secret {
            None => None,
            Some(name) => Some(
                self.registry
                    .secret(&self.profile, name)
                    .await
                    .map_err(|error| ModelError::Unauthorized(error.to_string()))?
                    .ok_or_else(|| {
                        ModelError::Unauthorized(format!(
                            "the secret {name} is not set; run `ostler secrets set {name}`"
                        ))
                    })?,
            ),
        };
        let options = ProviderOptions::new(
            kind,
            config.base_url.as_ref().map(ToString::to_string),
            config.name.clone().unwrap_or_default(),
            key.map(|secret| Key::new(secret.expose())),
        );
        Ok(Arc::new(Provider::new(options)?))
    }
}

/// A model that could not be made.
struct NoModel(ModelError);

#[async_trait]
impl Model for NoModel {
    fn name(&self) -> String {
        format!("none ({})", self.0)
    }

    async fn complete(&self, _request: &Completion) -> Result<ModelStream, ModelError> {
        Err(self.0.clone())
    }
}

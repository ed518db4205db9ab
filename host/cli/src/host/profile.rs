//! One profile of a running host: its assistant and its connection to Discord.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ostler_agent::model::ModelSource;
use ostler_agent::{Assistant, Decision, Inbox, Resolution, ShellOptions, SystemClock};
use ostler_config::ConfigWatch;
use ostler_confine::Confinement;
use ostler_discord::{Adapter, ApiBase, Token};
use ostler_registry::Registry;
use ostler_store::{ApprovalId, ApprovalStore, AuditLog, Profile, SessionStore, StoreError, Via};
use ostler_web::ProfileState;
use tokio::sync::Semaphore;

use crate::failure::{Exit, Failure};

/// What a profile is started with.
pub(crate) struct ProfileStart {
    pub(crate) profile: Profile,
    pub(crate) profile_file: PathBuf,
    pub(crate) config: ConfigWatch,
    pub(crate) workspace: PathBuf,
    /// What the assistant's commands never reach.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) models: ModelSource,
    pub(crate) turns: Arc<Semaphore>,
    pub(crate) grants_file: PathBuf,
    pub(crate) yolo: bool,
    pub(crate) token: Token,
    pub(crate) api_base: ApiBase,
}

/// A profile that runs.
pub(crate) struct ProfileHost {
    profile: Profile,
    workspace: PathBuf,
    assistant: Assistant,
    adapter: Arc<Adapter>,
    /// Reloads the configuration while it is held.
    _config: ConfigWatch,
}

impl ProfileHost {
    pub(crate) async fn start(
        start: ProfileStart,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let store = Arc::clone(registry.store());
        let launcher = std::env::current_exe()
            .map_err(|error| Failure::io("this program's own file is not known", &error))?;
        let assistant = Assistant::start(ostler_agent::Options {
            profile: start.profile.clone(),
            profile_file: start.profile_file,
            config: start.config.subscribe(),
            store: Arc::clone(&store) as Arc<dyn SessionStore>,
            approvals: Arc::clone(&store) as Arc<dyn ApprovalStore>,
            audit: Arc::clone(&store) as Arc<dyn AuditLog>,
            registry: Arc::clone(registry),
            models: start.models,
            clock: Arc::new(SystemClock),
            turns: start.turns,
            shell: ShellOptions {
                workspace: start.workspace.clone(),
                hidden: start.hidden,
                confinement: confinement(&launcher).await,
                launcher,
            },
            grants_file: start.grants_file,
            yolo: start.yolo,
        })
        .await
        .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
        let adapter = Adapter::start(
            ostler_discord::Options::new(start.profile.clone(), start.token, start.api_base),
            store,
            Arc::new(assistant.clone()) as Arc<dyn Inbox>,
        )
        .await
        .map_err(|error| Failure::new(Exit::Usage, error.code(), error.to_string()))?;
        let adapter = Arc::new(adapter);
        assistant.attach(Arc::clone(&adapter) as _);
        Ok(Self {
            profile: start.profile,
            workspace: start.workspace,
            assistant,
            adapter,
            _config: start.config,
        })
    }

    /// The folder that the assistant's shell works in.
    pub(crate) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Ends when the profile is connected.
    pub(crate) async fn connected(&self) {
        self.assistant.connected().await;
    }

    /// Ends when the connection ended for good.
    pub(crate) async fn fatal(&self) -> Failure {
        let mut fatal = self.adapter.fatal();
        match fatal.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(fatal)) => Failure::new(Exit::NotFine, fatal.code(), fatal.to_string()),
            // The adapter is gone without a reason: so is its host.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// Interrupts what runs, then leaves Discord so that the connection can be resumed.
    pub(crate) async fn shutdown(&self) {
        self.assistant.shutdown().await;
        self.adapter.shutdown().await;
    }
}

/// How this machine confines the assistant's commands. Where it cannot, that is told, and only the
/// owner may run one.
async fn confinement(launcher: &Path) -> Option<Confinement> {
    match Confinement::probe(launcher.to_owned()).await {
        Ok(confinement) => {
            tracing::info!(by = confinement.describe(), "commands are confined");
            Some(confinement)
        }
        Err(error) => {
            tracing::warn!(code = error.code(), %error, "commands cannot be confined here");
            None
        }
    }
}

#[async_trait]
impl ProfileState for ProfileHost {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    async fn model(&self) -> String {
        self.assistant.model_name().await
    }

    fn is_connected(&self) -> bool {
        self.adapter.health().is_connected
    }

    async fn answer(
        &self,
        id: ApprovalId,
        decision: Decision,
        reason: Option<String>,
        via: Via,
    ) -> Result<Resolution, StoreError> {
        self.assistant.answer(id, decision, reason, via).await
    }
}

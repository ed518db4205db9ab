//! What the caller of an invocation decides about it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::grant::Grant;
use crate::limits::Limits;
use crate::member_set::MemberSet;
use crate::platform::Platform;

/// The kinds of invocation that the presence table tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvocationKind {
    /// A tool is called.
    Tool,
    /// A lifecycle handler runs.
    Lifecycle,
    /// A middleware hook runs.
    Middleware,
    /// Publishing asks for the list of tools. Every member is absent: what a package offers may
    /// not depend on who asks.
    Catalogue,
}

/// One invocation's circumstances. The store is made from this value alone: no task-local, no
/// global and no earlier call has a way into it.
#[derive(Clone)]
pub struct InvocationContext {
    /// What runs.
    pub kind: InvocationKind,
    /// Whether the invocation belongs to a session.
    pub has_session: bool,
    /// Whether the invocation carries an agent.
    pub has_agent: bool,
    /// How many plugin-caused steps led here; 0 for a call that no plugin caused.
    pub depth: u8,
    /// The install's grant met with the authority of the turn that calls.
    pub members: MemberSet,
    /// The bounds.
    pub limits: Limits,
    /// What serves the members.
    pub services: HostServices,
}

/// The host's side of the members, for one install.
#[derive(Clone)]
pub struct HostServices {
    /// The install's settings.
    pub settings: Arc<dyn Settings>,
    /// What the install holds now; without one, the invocation's members stay as they are.
    pub grant: Option<Arc<Grant>>,
    /// The running host, for this invocation alone; none where no host runs.
    pub platform: Option<Arc<dyn Platform>>,
}

impl HostServices {
    /// Settings and nothing else: a run outside of a host, under a grant that nobody changes.
    #[must_use]
    pub fn alone(settings: Arc<dyn Settings>) -> Self {
        Self {
            settings,
            grant: None,
            platform: None,
        }
    }
}

/// A future that a service returns.
pub type ServiceFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The settings of one install.
pub trait Settings: Send + Sync {
    /// The value of `key`, if it is set.
    fn get<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<Option<String>, SettingsError>>;
    /// Sets `key`. It is durable when the future is ready.
    fn set<'a>(
        &'a self,
        key: &'a str,
        value: &'a str,
    ) -> ServiceFuture<'a, Result<(), SettingsError>>;
    /// Removes `key`; whether it was there.
    fn delete<'a>(&'a self, key: &'a str) -> ServiceFuture<'a, Result<bool, SettingsError>>;
    /// At most `limit` keys that start with `prefix`, after `cursor`.
    fn list<'a>(
        &'a self,
        prefix: &'a str,
        cursor: Option<&'a str>,
        limit: u32,
    ) -> ServiceFuture<'a, Result<SettingsPage, SettingsError>>;
}

/// A page of settings' keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsPage {
    /// The keys, in byte order.
    pub keys: Vec<String>,
    /// Where the next page starts; `None` on the last one.
    pub next_cursor: Option<String>,
}

/// Why a settings call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A key or value is not of the accepted form.
    #[error("{0}")]
    Invalid(String),
    /// The install has as many settings as it may have.
    #[error("{0}")]
    Limited(String),
    /// The database could not be read or written.
    #[error("{0}")]
    Unavailable(String),
}

/// Settings for a run in which they are absent: every call fails.
pub struct NoSettings;

impl NoSettings {
    fn refuse<'a, T: Send + 'a>(&self) -> ServiceFuture<'a, Result<T, SettingsError>> {
        let reason = "there are no settings in this run".to_owned();
        Box::pin(std::future::ready(Err(SettingsError::Unavailable(reason))))
    }
}

impl Settings for NoSettings {
    fn get<'a>(&'a self, _: &'a str) -> ServiceFuture<'a, Result<Option<String>, SettingsError>> {
        self.refuse()
    }

    fn set<'a>(&'a self, _: &'a str, _: &'a str) -> ServiceFuture<'a, Result<(), SettingsError>> {
        self.refuse()
    }

    fn delete<'a>(&'a self, _: &'a str) -> ServiceFuture<'a, Result<bool, SettingsError>> {
        self.refuse()
    }

    fn list<'a>(
        &'a self,
        _: &'a str,
        _: Option<&'a str>,
        _: u32,
    ) -> ServiceFuture<'a, Result<SettingsPage, SettingsError>> {
        self.refuse()
    }
}

/// A tool's invocation without session and agent, with every member granted.
#[cfg(test)]
pub(crate) fn test_context() -> InvocationContext {
    InvocationContext {
        kind: InvocationKind::Tool,
        has_session: false,
        has_agent: false,
        depth: 0,
        members: MemberSet::filtered(|_| true),
        limits: Limits::for_kind(InvocationKind::Tool),
        services: HostServices::alone(Arc::new(NoSettings)),
    }
}

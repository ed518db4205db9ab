//! From a message to the first call of the model: heard, judged, admitted durably, claimed durably,
//! and put into words. No network takes part: the platform and the model answer at once.
//!
//! Run with `cargo bench -p ostler-agent --bench first_call`.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use ostler_agent::model::{
    Completion, Model, ModelError, ModelEvent, ModelSource, ModelStream, StopReason,
};
use ostler_agent::{
    Assistant, Attachment, Author, Change, Channel, ChannelError, ChannelFacts, ChannelKind, Edit,
    InboundMessage, Inbox, MemberFacts, MemberView, MessageView, NewForumPost, NewThread, Options,
    Place, Post, ServerChange, ServerView, ShellOptions, SystemClock, ThreadView, Window,
};
use ostler_config::{Home, ProfileConfig};
use ostler_registry::Registry;
use ostler_runtime::{GuestThreads, Runtime, RuntimeOptions};
use ostler_store::{
    ApprovalStore, AuditLog, ChannelId, GuildId, MessageId, PersonId, SessionStore,
};
use tokio::sync::{Semaphore, mpsc};

/// A platform that answers at once.
struct Instantly(AtomicU64);

#[async_trait]
impl Channel for Instantly {
    fn own_id(&self) -> Option<PersonId> {
        Some("1000".parse().unwrap())
    }

    fn content_limit(&self) -> usize {
        2_000
    }

    async fn post(&self, _: &Post) -> Result<MessageId, ChannelError> {
        let id = self.0.fetch_add(1, Ordering::Relaxed);
        Ok(id.to_string().parse().unwrap())
    }

    async fn edit(&self, _: &Edit) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn delete(&self, _: &ChannelId, _: &MessageId) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn typing(&self, _: &ChannelId) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn channel(&self, _: &ChannelId) -> Result<Option<ChannelFacts>, ChannelError> {
        Ok(None)
    }

    async fn member(&self, _: &GuildId, _: &PersonId) -> Result<Option<MemberFacts>, ChannelError> {
        Ok(Some(MemberFacts::default()))
    }

    async fn messages(
        &self,
        _: &ChannelId,
        _: Window<'_>,
        _: u8,
    ) -> Result<Vec<MessageView>, ChannelError> {
        Ok(Vec::new())
    }

    async fn search_members(
        &self,
        _: &GuildId,
        _: &str,
        _: u8,
    ) -> Result<Vec<MemberView>, ChannelError> {
        Ok(Vec::new())
    }

    async fn create_thread(&self, _: &NewThread) -> Result<ChannelId, ChannelError> {
        Err(ChannelError::NotFound("channel"))
    }

    async fn create_forum_post(&self, _: &NewForumPost) -> Result<ChannelId, ChannelError> {
        Err(ChannelError::NotFound("channel"))
    }

    async fn forum_posts(&self, _: &ChannelId, _: u8) -> Result<Vec<ThreadView>, ChannelError> {
        Ok(Vec::new())
    }

    async fn fetch(&self, _: &Attachment, _: u64) -> Result<Vec<u8>, ChannelError> {
        Err(ChannelError::NotFound("file"))
    }

    async fn server(&self, _: &GuildId) -> Result<ServerView, ChannelError> {
        Err(ChannelError::NotFound("server"))
    }

    async fn change(&self, _: &ServerChange, _: &str) -> Result<Option<String>, ChannelError> {
        Err(ChannelError::NotFound("server"))
    }

    async fn written_since(&self, _: i64) -> Result<Vec<(Place, MessageId)>, ChannelError> {
        Ok(Vec::new())
    }

    fn catch_up(&self, _: Vec<(Place, MessageId)>) {}
}

/// A model that tells when it is called.
struct Called(mpsc::UnboundedSender<Instant>);

#[async_trait]
impl Model for Called {
    fn name(&self) -> String {
        "a benchmark's".to_owned()
    }

    async fn complete(&self, _: &Completion) -> Result<ModelStream, ModelError> {
        self.0.send(Instant::now()).unwrap();
        let end = ModelEvent::End {
            stop: StopReason::Done,
            usage: None,
        };
        let events = [Ok(ModelEvent::Text("Done.".to_owned())), Ok(end)];
        Ok(Box::pin(futures_util::stream::iter(events)))
    }
}

/// Each message comes from another person, so that every one is the first of its session.
fn message(n: u64) -> InboundMessage {
    InboundMessage {
        id: (1_000_000 + n).to_string().parse().unwrap(),
        place: Place {
            channel: "10".parse().unwrap(),
            kind: ChannelKind::Text,
            guild: Some("1".parse().unwrap()),
            parent: None,
        },
        author: Author {
            id: (2_000_000 + n).to_string().parse().unwrap(),
            username: "ann".to_owned(),
            display_name: "Ann".to_owned(),
            is_bot: false,
        },
        text: "<@1000> what is to be done?".to_owned(),
        mentions_bot: true,
        reply_to: None,
        attachments: Vec::new(),
        sent_at: 1_000_000 + i64::try_from(n).unwrap(),
    }
}

fn first_call(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::locate(Some(folder.path().join("home")), None).unwrap();
    home.create().unwrap();
    let engine = Runtime::new(RuntimeOptions {
        cache: None,
        guest_threads: GuestThreads::Caller,
    });
    let registry = Arc::new(Registry::open(home.clone(), Arc::new(engine.unwrap())).unwrap());
    let (calls, mut called) = mpsc::unbounded_channel();
    let (_keep, config) = tokio::sync::watch::channel(Arc::new(ProfileConfig::default()));
    let assistant = runtime.block_on(async {
        let profile: ostler_store::Profile = "main".parse().unwrap();
        let assistant = Assistant::start(Options {
            profile: profile.clone(),
            profile_file: home.profile_file("main").unwrap(),
            config,
            store: Arc::clone(registry.store()) as Arc<dyn SessionStore>,
            approvals: Arc::clone(registry.store()) as Arc<dyn ApprovalStore>,
            audit: Arc::clone(registry.store()) as Arc<dyn AuditLog>,
            registry: Arc::clone(&registry),
            models: ModelSource::new(Arc::clone(&registry), profile, folder.path().to_owned())
                .with_fixed(Arc::new(Called(calls))),
            clock: Arc::new(SystemClock),
            turns: Arc::new(Semaphore::new(8)),
            shell: ShellOptions {
                workspace: folder.path().join("workspace"),
                hidden: Vec::new(),
                launcher: std::path::PathBuf::new(),
                confinement: None,
            },
            grants_file: home.grants_file("main").unwrap(),
            yolo: false,
        })
        .await
        .unwrap();
        assistant.attach(Arc::new(Instantly(AtomicU64::new(1))));
        assistant
            .changed(Change::Ready {
                own_id: "1000".parse().unwrap(),
                is_resumed: true,
            })
            .await;
        assistant
    });
    let mut n = 0;
    criterion.bench_function("message to first model call", |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                n += 1;
                let message = message(n);
                total += runtime.block_on(async {
                    let began = Instant::now();
                    assistant.message(message).await.unwrap();
                    called.recv().await.unwrap() - began
                });
            }
            total
        });
    });
    runtime.block_on(assistant.shutdown());
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = first_call
}
criterion_main!(benches);

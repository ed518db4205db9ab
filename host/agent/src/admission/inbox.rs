//! The assistant as adapters see it.

use std::sync::Arc;

use async_trait::async_trait;
use ostler_store::{
    Cause, ChatType, Heard, NewRow, Origin, Overheard, PersonId, Principal, Route, RowId,
    SessionKey, StoreError,
};

use super::wake::{Hearing, address, addressed_at};
use crate::approvals;
use crate::assistant::{Assistant, Inner};
use crate::facts::ChannelKind;
use crate::failpoint;
use crate::inbound::{
    Acknowledgement, Change, ClickOutcome, InboundClick, InboundMessage, Inbox, InboxError, Place,
};
use crate::rows::NativeText;
use crate::turn::{prepare, workers};

/// Of a message that wakes nobody, at most this much is kept, in characters.
const OVERHEARD: usize = 4_000;

#[async_trait]
impl Inbox for Assistant {
    async fn message(&self, message: InboundMessage) -> Result<(), InboxError> {
        let inner = self.inner();
        let channel = inner
            .live_channel()
            .ok_or_else(|| InboxError("the adapter is not attached yet".to_owned()))?;
        let own = channel
            .own_id()
            .ok_or_else(|| InboxError("the bot's account is not known yet".to_owned()))?;
        if message.author.id == own {
            return Ok(());
        }
        let services = &inner.services;
        let config = services.config.borrow().clone();
        let before = services
            .store
            .last_heard(&services.profile, &message.place.channel)
            .await
            .map_err(|error| failed(&error))?;
        let hearing = Hearing {
            own: &own,
            is_own_thread: is_own_thread(inner, &message.place, &own).await?,
            before: before.as_ref(),
            listens_to_bot: config
                .discord
                .listen_to_bots
                .iter()
                .any(|bot| bot.as_str() == message.author.id.as_str()),
        };
        let address = address(&message, &hearing);
        let heard = Heard {
            profile: services.profile.clone(),
            channel: message.place.channel.clone(),
            place: serde_json::to_string(&message.place).map_err(|e| InboxError(e.to_string()))?,
            message: message.id.clone(),
            author: message.author.id.clone(),
            addressed_at: addressed_at(&message, address, before.as_ref()),
            heard_at: message.sent_at,
        };
        let Some(address) = address else {
            return services
                .store
                .overhear(heard, overheard(&message))
                .await
                .map_err(|error| failed(&error));
        };
        let text = NativeText::of(&message, address);
        let row = new_row(inner, &message, &text, heard).await?;
        let session = row.session.clone();
        let admitted = match services.store.admit(row).await {
            Ok(admitted) => admitted,
            // Discord does not give an id to two messages: what came first stands.
            Err(error @ StoreError::AdmissionConflict { .. }) => {
                tracing::warn!(message = %message.id, code = error.code(), "told twice, differently");
                return Ok(());
            }
            Err(error) => return Err(failed(&error)),
        };
        if !admitted.is_duplicate {
            tracing::info!(%session, row = %admitted.row, seq = admitted.seq, "admitted");
            failpoint::pass("admitted");
        }
        workers::wake(inner, &session);
        Ok(())
    }

    fn acknowledge(&self, click: &InboundClick) -> Acknowledgement {
        approvals::acknowledge(click)
    }

    async fn click(&self, click: InboundClick) -> Result<ClickOutcome, InboxError> {
        let approvals = &self.inner().services.approvals;
        approvals.click(click).await.map_err(|error| failed(&error))
    }

    async fn changed(&self, change: Change) {
        match change {
            Change::Ready { is_resumed, .. } => self.inner().connected(is_resumed).await,
            Change::Lost => self.inner().disconnected(),
            Change::Channel(_) | Change::Guild(_) => {
                self.inner().services.operator_guilds.forget();
            }
            Change::Member(..) | Change::Role(..) => {}
            Change::MessageDeleted(channel, message) => {
                let approvals = &self.inner().services.approvals;
                if let Err(error) = approvals.message_deleted(&channel, &message).await {
                    tracing::error!(code = error.code(), %error, "a lost card is not posted again");
                }
            }
        }
    }
}

fn failed(error: &StoreError) -> InboxError {
    InboxError(format!("{}: {error}", error.code()))
}

fn overheard(message: &InboundMessage) -> Overheard {
    Overheard {
        message: message.id.clone(),
        author: message.author.id.clone(),
        author_name: message.author.display_name.chars().take(80).collect(),
        is_bot: message.author.is_bot,
        text: message.text.chars().take(OVERHEARD).collect(),
        sent_at: message.sent_at,
    }
}

/// Whether a place is a thread that the bot opened. What Discord says is kept, so that it is
/// asked once.
async fn is_own_thread(
    inner: &Arc<Inner>,
    place: &Place,
    own: &PersonId,
) -> Result<bool, InboxError> {
    if place.kind != ChannelKind::Thread {
        return Ok(false);
    }
    let services = &inner.services;
    let marked = services
        .store
        .bot_thread(&services.profile, &place.channel)
        .await
        .map_err(|error| failed(&error))?;
    if marked.is_some() {
        return Ok(true);
    }
    if let Some(known) = inner.threads.get(&place.channel) {
        return Ok(known);
    }
    let Some(channel) = inner.live_channel() else {
        return Ok(false);
    };
    let facts = channel
        .channel(&place.channel)
        .await
        .map_err(|error| InboxError(error.to_string()))?;
    let is_own = facts.is_some_and(|facts| facts.owner.as_ref() == Some(own));
    inner.threads.put(place.channel.clone(), is_own);
    Ok(is_own)
}

async fn new_row(
    inner: &Arc<Inner>,
    message: &InboundMessage,
    text: &NativeText,
    heard: Heard,
) -> Result<NewRow, InboxError> {
    let services = &inner.services;
    let place = &message.place;
    let author = &message.author.id;
    let id = RowId::new();
    let origin = Origin::Person { id: author.clone() };
    let (chat_type, session) = match place.kind {
        ChannelKind::Direct | ChannelKind::GroupDirect => (
            ChatType::Direct,
            SessionKey::direct(&services.profile, PLATFORM, &place.channel),
        ),
        ChannelKind::Thread => {
            let participant = inner
                .threads_are_per_user()
                .map_err(InboxError)?
                .then_some(author);
            (
                ChatType::Thread,
                SessionKey::thread(&services.profile, PLATFORM, &place.channel, participant),
            )
        }
        ChannelKind::Forum | ChannelKind::Text => (
            ChatType::Channel,
            SessionKey::channel(&services.profile, PLATFORM, &place.channel, author),
        ),
    };
    Ok(NewRow {
        id,
        session,
        profile: services.profile.clone(),
        principal: Principal(format!("{PLATFORM}:{author}")),
        request: message.id.to_string(),
        descriptor: text
            .descriptor()
            .map_err(|error| InboxError(error.to_string()))?,
        causes: vec![Cause {
            origin: origin.clone(),
            version: None,
            row: None,
        }],
        origin,
        route: Route {
            platform: PLATFORM.to_owned(),
            chat_type,
            guild: place.guild.clone(),
            chat: place.channel.clone(),
            parent: place.parent.clone(),
        },
        envelope: envelope(inner, message).await,
        heard: Some(heard),
        admitted_at: services.clock.now(),
    })
}

/// The platform in keys and principals.
const PLATFORM: &str = "discord";

/// The author, if they may vouch for the session: an operator. One who cannot be read is none.
async fn envelope(inner: &Arc<Inner>, message: &InboundMessage) -> Option<PersonId> {
    let author = &message.author.id;
    if message.author.is_bot {
        return None;
    }
    let config = inner.services.config.borrow().clone();
    if prepare::is_operator(&config, author, None) {
        return Some(author.clone());
    }
    if config.owner_id.is_none() || config.discord.allowed_roles.is_empty() {
        return None;
    }
    let (channel, guild) = (inner.live_channel()?, message.place.guild.as_ref()?);
    let member = channel.member(guild, author).await.ok()??;
    prepare::is_operator(&config, author, Some(&member)).then(|| author.clone())
}

//! The adapter as the rest of the host sees it.

use async_trait::async_trait;
use ostler_agent::{
    Attachment, Channel, ChannelError, ChannelFacts, Edit, MemberFacts, MemberView, MessageView,
    NewForumPost, NewThread, Place, Post, ServerChange, ServerView, ThreadView, Window,
};
use ostler_store::{ChannelId, GuildId, MessageId, PersonId};

use crate::adapter::Adapter;
use crate::catch_up;
use crate::writing::CONTENT_LIMIT;

#[async_trait]
impl Channel for Adapter {
    fn own_id(&self) -> Option<PersonId> {
        self.core.identity().bot
    }

    fn content_limit(&self) -> usize {
        CONTENT_LIMIT
    }

    async fn post(&self, post: &Post) -> Result<MessageId, ChannelError> {
        self.core.send_message(post).await
    }

    async fn edit(&self, edit: &Edit) -> Result<(), ChannelError> {
        self.core.edit_message(edit).await
    }

    async fn delete(&self, channel: &ChannelId, message: &MessageId) -> Result<(), ChannelError> {
        self.core.delete_message(channel, message).await
    }

    async fn typing(&self, channel: &ChannelId) -> Result<(), ChannelError> {
        self.core.show_typing(channel).await
    }

    async fn channel(&self, id: &ChannelId) -> Result<Option<ChannelFacts>, ChannelError> {
        self.core.read_channel(id).await
    }

    async fn member(
        &self,
        guild: &GuildId,
        person: &PersonId,
    ) -> Result<Option<MemberFacts>, ChannelError> {
        self.core.read_member(guild, person).await
    }

    async fn messages(
        &self,
        channel: &ChannelId,
        window: Window<'_>,
        limit: u8,
    ) -> Result<Vec<MessageView>, ChannelError> {
        self.core.message_views(channel, window, limit).await
    }

    async fn search_members(
        &self,
        guild: &GuildId,
        query: &str,
        limit: u8,
    ) -> Result<Vec<MemberView>, ChannelError> {
        self.core.find_members(guild, query, limit).await
    }

    async fn create_thread(&self, thread: &NewThread) -> Result<ChannelId, ChannelError> {
        self.core.open_thread(thread).await
    }

    async fn create_forum_post(&self, post: &NewForumPost) -> Result<ChannelId, ChannelError> {
        self.core.open_forum_post(post).await
    }

    async fn forum_posts(
        &self,
        channel: &ChannelId,
        limit: u8,
    ) -> Result<Vec<ThreadView>, ChannelError> {
        self.core.list_forum_posts(channel, limit).await
    }

    async fn fetch(&self, attachment: &Attachment, limit: u64) -> Result<Vec<u8>, ChannelError> {
        self.core.downloads.fetch(attachment, limit).await
    }

    async fn server(&self, guild: &GuildId) -> Result<ServerView, ChannelError> {
        self.core.read_server(guild).await
    }

    async fn change(
        &self,
        change: &ServerChange,
        reason: &str,
    ) -> Result<Option<String>, ChannelError> {
        self.core.change_server(change, reason).await
    }

    async fn written_since(&self, since: i64) -> Result<Vec<(Place, MessageId)>, ChannelError> {
        self.core.written_since(since).await
    }

    fn catch_up(&self, places: Vec<(Place, MessageId)>) {
        catch_up::catch_up(&self.core, places);
    }
}

//! Audio, to keep and to convert.

use super::{Group, Member, PermissionText, Presence};
use crate::permission::Permission;

impl Permission {
    /// `host:media:transcode`.
    pub const MEDIA_TRANSCODE: Self = Self::new("host:media:transcode");
}

pub(super) static GROUP: Group = Group {
    name: "media",
    permissions: &[PermissionText {
        permission: Permission::MEDIA_TRANSCODE,
        sentence: "keep audio files for a day and convert audio to other formats on the computer \
            that runs the assistant",
    }],
    members: &[
        Member {
            interface: "media",
            function: "upload-audio",
            path: "media.uploadAudio",
            permissions: &[Permission::MEDIA_TRANSCODE],
            presence: Presence::Media,
            sentence: "keep an audio file for a message",
        },
        Member {
            interface: "media",
            function: "transcode-audio",
            path: "media.transcodeAudio",
            permissions: &[Permission::MEDIA_TRANSCODE],
            presence: Presence::Media,
            sentence: "convert audio to another format",
        },
    ],
};

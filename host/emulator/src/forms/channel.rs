//! Channels, threads, roles: what may be made and changed.

use super::form::{Field, Shape, not_null, optional, required};

const AUTO_ARCHIVE: Shape = Shape::Choice(&[60, 1440, 4320, 10080]);
const SLOWMODE: Shape = Shape::Integer(0, 21600);
const OVERWRITES: Field = optional(
    "permission_overwrites",
    Shape::List(
        0,
        100,
        &Shape::Object(&[
            required("id", Shape::Snowflake),
            optional("type", Shape::Choice(&[0, 1])),
            optional("allow", Shape::Bits),
            optional("deny", Shape::Bits),
        ]),
    ),
);
const TAGS: Field = optional(
    "available_tags",
    Shape::List(
        0,
        20,
        &Shape::Object(&[
            optional("id", Shape::Snowflake),
            required("name", Shape::Text(1, 20)),
            optional("moderated", Shape::Boolean),
            optional("emoji_id", Shape::Snowflake),
            optional("emoji_name", Shape::Text(0, 100)),
        ]),
    ),
);
const REACTION: Field = optional(
    "default_reaction_emoji",
    Shape::Object(&[
        optional("emoji_id", Shape::Snowflake),
        optional("emoji_name", Shape::Text(0, 100)),
    ]),
);
const KIND: Field = optional("type", Shape::Choice(&[0, 2, 4, 5, 13, 14, 15]));

pub(crate) const CREATE: &[Field] = &[
    required("name", Shape::Text(1, 100)),
    KIND,
    optional("position", Shape::Integer(0, i32::MAX as i64)),
    optional("topic", Shape::Text(0, 4096)),
    optional("nsfw", Shape::Boolean),
    optional("rate_limit_per_user", SLOWMODE),
    optional("parent_id", Shape::Snowflake),
    OVERWRITES,
    optional("default_auto_archive_duration", AUTO_ARCHIVE),
    REACTION,
    optional("default_thread_rate_limit_per_user", SLOWMODE),
    optional("default_sort_order", Shape::Choice(&[0, 1])),
    optional("default_forum_layout", Shape::Choice(&[0, 1, 2])),
    optional("default_tag_setting", Shape::Any),
    TAGS,
    optional("bitrate", Shape::Integer(8000, i32::MAX as i64)),
    optional("user_limit", Shape::Integer(0, 10_000)),
    optional("rtc_region", Shape::Text(0, 100)),
    optional("video_quality_mode", Shape::Choice(&[1, 2])),
];

pub(crate) const UPDATE: &[Field] = &[
    not_null("name", Shape::Text(1, 100)),
    KIND,
    optional("position", Shape::Integer(0, i32::MAX as i64)),
    optional("topic", Shape::Text(0, 4096)),
    optional("nsfw", Shape::Boolean),
    optional("rate_limit_per_user", SLOWMODE),
    optional("parent_id", Shape::Snowflake),
    OVERWRITES,
    optional("default_auto_archive_duration", AUTO_ARCHIVE),
    REACTION,
    optional("default_thread_rate_limit_per_user", SLOWMODE),
    optional("default_sort_order", Shape::Choice(&[0, 1])),
    optional("default_forum_layout", Shape::Choice(&[0, 1, 2])),
    optional("default_tag_setting", Shape::Any),
    optional("flags", Shape::Integer(0, i32::MAX as i64)),
    TAGS,
    optional("bitrate", Shape::Integer(8000, i32::MAX as i64)),
    optional("user_limit", Shape::Integer(0, 10_000)),
    optional("rtc_region", Shape::Text(0, 100)),
    optional("video_quality_mode", Shape::Choice(&[1, 2])),
];

pub(crate) const UPDATE_THREAD: &[Field] = &[
    not_null("name", Shape::Text(1, 100)),
    optional("archived", Shape::Boolean),
    optional("locked", Shape::Boolean),
    optional("invitable", Shape::Boolean),
    optional("auto_archive_duration", AUTO_ARCHIVE),
    optional("rate_limit_per_user", SLOWMODE),
    optional("flags", Shape::Integer(0, i32::MAX as i64)),
    optional("applied_tags", Shape::List(0, 5, &Shape::Snowflake)),
];

pub(crate) const THREAD_FROM_MESSAGE: &[Field] = &[
    required("name", Shape::Text(1, 100)),
    optional("auto_archive_duration", AUTO_ARCHIVE),
    optional("rate_limit_per_user", SLOWMODE),
];

pub(crate) const THREAD: &[Field] = &[
    required("name", Shape::Text(1, 100)),
    optional("auto_archive_duration", AUTO_ARCHIVE),
    optional("rate_limit_per_user", SLOWMODE),
    optional("type", Shape::Choice(&[10, 11, 12])),
    optional("invitable", Shape::Boolean),
];

pub(crate) const FORUM_POST: &[Field] = &[
    required("name", Shape::Text(1, 100)),
    optional("auto_archive_duration", AUTO_ARCHIVE),
    optional("rate_limit_per_user", SLOWMODE),
    optional("applied_tags", Shape::List(0, 5, &Shape::Snowflake)),
    required("message", Shape::Any),
    // Clients send the kind along; a forum has only one.
    optional("type", Shape::Choice(&[11])),
];

pub(crate) const OVERWRITE: &[Field] = &[
    optional("type", Shape::Choice(&[0, 1])),
    optional("allow", Shape::Bits),
    optional("deny", Shape::Bits),
];

pub(crate) const ROLE: &[Field] = &[
    optional("name", Shape::Text(1, 100)),
    optional("permissions", Shape::Bits),
    optional("color", Shape::Integer(0, 0xFF_FFFF)),
    optional(
        "colors",
        Shape::Object(&[
            required("primary_color", Shape::Integer(0, 0xFF_FFFF)),
            optional("secondary_color", Shape::Integer(0, 0xFF_FFFF)),
            optional("tertiary_color", Shape::Integer(0, 0xFF_FFFF)),
        ]),
    ),
    optional("hoist", Shape::Boolean),
    optional("mentionable", Shape::Boolean),
    optional("icon", Shape::Any),
    optional("unicode_emoji", Shape::Text(0, 100)),
    optional("position", Shape::Integer(0, 250)),
];

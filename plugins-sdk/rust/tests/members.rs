//! Every function of the WIT package's `imports` world can be reached under its member's path.
#![allow(clippy::expect_used, reason = "a test's fixtures")]

use std::collections::BTreeSet;
use std::path::Path;

use ostler_plugin::host;
use wit_parser::{Resolve, WorldItem};

/// Names each function once, which compiles only if it is there, and gives the WIT names beside.
macro_rules! reached {
    ($($interface:literal: $($function:literal $path:path),+;)+) => {
        [$($({
            let _ = $path;
            concat!($interface, "#", $function)
        }),+),+]
    };
}

#[test]
fn every_import_is_reached_by_its_members_path() {
    let reached: BTreeSet<String> = reached! {
        "agents-read": "list" host::agents::list;
        "agents-write": "create" host::agents::create, "update" host::agents::update,
            "delete" host::agents::delete;
        "cards": "show" host::cards::show, "ask" host::cards::ask;
        "connection": "send" host::connection::send;
        "conversation": "read" host::session::conversation::read;
        "cron-jobs-read": "list" host::cron_jobs::list,
            "list-event-sources" host::cron_jobs::list_event_sources;
        "cron-jobs-write": "create" host::cron_jobs::create, "update" host::cron_jobs::update,
            "delete" host::cron_jobs::delete;
        "crypto": "random-bytes" host::crypto::random_bytes, "hash" host::crypto::hash,
            "hmac" host::crypto::hmac, "verify-hmac" host::crypto::verify_hmac,
            "uuid" host::crypto::uuid;
        "decide": "choose" host::decide::choose, "extract" host::decide::extract,
            "classify" host::decide::classify;
        "gateway": "inject" host::origin::inject;
        "http": "fetch" host::fetch;
        "license": "get" host::license;
        "llm": "complete" host::llm::complete;
        "log": "debug" host::log::debug, "info" host::log::info, "warn" host::log::warn,
            "error" host::log::error;
        "media": "upload-audio" host::media::upload_audio,
            "transcode-audio" host::media::transcode_audio;
        "message": "post" host::session::message::post;
        "models": "list" host::models::list;
        "notify": "schedule" host::session::notify::schedule;
        "oauth": "authorize-url" host::oauth::authorize_url, "token" host::oauth::token,
            "revoke" host::oauth::revoke;
        "origin": "start" host::origin::start;
        "peer": "send" host::session::peer::send;
        "peer-read": "get" host::session::peer::get;
        "plugins-read": "list" host::plugins::list, "get" host::plugins::get,
            "logs" host::plugins::logs;
        "plugins-release": "publish" host::plugins::publish, "yank" host::plugins::yank,
            "add-to-browse" host::plugins::add_to_browse,
            "remove-from-browse" host::plugins::remove_from_browse,
            "set-price" host::plugins::set_price, "delete" host::plugins::delete;
        "plugins-write": "create" host::plugins::create, "checkout" host::plugins::checkout,
            "save-draft" host::plugins::save_draft, "install" host::plugins::install,
            "accept-update" host::plugins::accept_update,
            "configure" host::plugins::configure, "uninstall" host::plugins::uninstall;
        "presence": "members" host::presence::members;
        "session": "get" host::session::get, "channel-chat" host::session::channel_chat;
        "session-error": "send" host::session::send_error;
        "session-llm": "complete" host::session::llm::complete;
        "settings": "get" host::settings::get, "set" host::settings::set,
            "delete" host::settings::delete, "list" host::settings::list;
        "settings-secret": "get" host::settings::get_secret;
        "ssh": "command" host::ssh::command;
        "subagent": "spawn" host::session::subagent::spawn;
        "threads": "create" host::threads::create;
        "todo-read": "list" host::session::todo::list;
        "todo-write": "create" host::session::todo::create, "update" host::session::todo::update,
            "complete" host::session::todo::complete, "delete" host::session::todo::delete;
        "workspace-read": "list" host::workspace::list, "read" host::workspace::read;
        "workspace-write": "write" host::workspace::write, "edit" host::workspace::edit,
            "delete" host::workspace::delete;
    }
    .into_iter()
    .map(str::to_owned)
    .collect();

    assert_eq!(reached, imports(&wit()));
}

/// The names that two interfaces of one module share would be ambiguous without care.
#[test]
fn shared_types_are_named_through_the_modules_that_use_them() {
    use host::types;
    let _: Option<host::agents::Agent> = None::<types::Agent>;
    let _: Option<host::cron_jobs::CronJob> = None::<types::CronJob>;
    let _: Option<host::origin::Admitted> = None::<types::Admitted>;
    let _: Option<host::plugins::PluginChange> = None::<types::PluginChange>;
    let _: Option<host::session::todo::TodoItem> = None::<types::TodoItem>;
    let _: Option<host::session::todo::TodoStatus> = None::<types::TodoStatus>;
    let _: [Option<types::HostError>; 7] = [
        None::<host::agents::HostError>,
        None::<host::cron_jobs::HostError>,
        None::<host::plugins::HostError>,
        None::<host::session::HostError>,
        None::<host::session::peer::HostError>,
        None::<host::session::todo::HostError>,
        None::<host::workspace::HostError>,
    ];
}

#[test]
fn error_codes_are_spelt_as_in_the_wit() {
    let resolve = wit();
    let (_, codes) = resolve
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some("error-code"))
        .expect("the package has error codes");
    let wit_parser::TypeDefKind::Enum(codes) = &codes.kind else {
        panic!("error-code is an enum");
    };
    for case in &codes.cases {
        // The bindings' own spelling of a case, turned back.
        let camel: String = case
            .name
            .split('-')
            .map(|part| format!("{}{}", part[..1].to_uppercase(), &part[1..]))
            .collect();
        let ours = ALL
            .iter()
            .find(|code| format!("{code:?}") == format!("ErrorCode::{camel}"));
        assert_eq!(ours.map(|code| code.name()), Some(case.name.as_str()));
    }
    assert_eq!(ALL.len(), codes.cases.len());
}

use host::types::ErrorCode;

const ALL: [ErrorCode; 30] = [
    ErrorCode::Absent,
    ErrorCode::Forbidden,
    ErrorCode::Unsupported,
    ErrorCode::Limited,
    ErrorCode::NotFound,
    ErrorCode::Invalid,
    ErrorCode::Conflict,
    ErrorCode::NoSession,
    ErrorCode::KeyMissing,
    ErrorCode::NotAThread,
    ErrorCode::NotOurThread,
    ErrorCode::PerUserThreads,
    ErrorCode::OtherProfile,
    ErrorCode::Stopped,
    ErrorCode::ConfigUnreadable,
    ErrorCode::DiscordUnavailable,
    ErrorCode::ArchivedThread,
    ErrorCode::NoHumanEnvelope,
    ErrorCode::OutOfScope,
    ErrorCode::AwaitingConfirmation,
    ErrorCode::SetupNeedsAccountUser,
    ErrorCode::SetupNeedsDirectChat,
    ErrorCode::NeedsTrustedTurn,
    ErrorCode::QuestionTooLong,
    ErrorCode::SecretMissing,
    ErrorCode::Denied,
    ErrorCode::Unanswered,
    ErrorCode::Unreachable,
    ErrorCode::Cancelled,
    ErrorCode::Internal,
];

fn wit() -> Resolve {
    let mut resolve = Resolve::default();
    resolve
        .push_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit"))
        .expect("the WIT package parses");
    resolve
}

/// The functions of the `imports` world, as `interface#function`.
fn imports(resolve: &Resolve) -> BTreeSet<String> {
    let (_, world) = resolve
        .worlds
        .iter()
        .find(|(_, world)| world.name == "imports")
        .expect("the package has a world of imports");
    let mut names = BTreeSet::new();
    for item in world.imports.values() {
        let WorldItem::Interface { id, .. } = item else {
            panic!("the world imports interfaces only");
        };
        let interface = &resolve.interfaces[*id];
        let name = interface.name.as_deref().expect("the interface has a name");
        for function in interface.functions.keys() {
            names.insert(format!("{name}#{function}"));
        }
    }
    names
}

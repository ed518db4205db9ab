use std::time::Duration;

use ostler_emulator::{Options, RateLimits};
use serde_json::{Value, json};

use crate::bench::{Bench, Scene, id, options};
use crate::socket::{ALL, Came, Socket};

#[tokio::test]
async fn a_session_begins_with_ready_and_its_guilds() {
    let scene = Scene::new().await;
    let (mut socket, ready) = Socket::ready(&scene.bench, &scene.token, ALL).await;
    assert_eq!(
        ready["guilds"],
        json!([{"id": scene.guild, "unavailable": true}])
    );
    assert_eq!(
        ready["application"]["id"].as_str(),
        Some(scene.bot.as_str())
    );
    let resume = format!("ws://{}/resume", scene.bench.running.address());
    assert_eq!(ready["resume_gateway_url"], resume);
    let guild = socket.event("GUILD_CREATE").await;
    assert_eq!(guild["channels"].as_array().unwrap().len(), 2);
    assert_eq!(guild["members"].as_array().unwrap().len(), 3);
    assert_eq!(socket.sequence, 2);
    socket.send(json!({"op": 1, "d": 2})).await;
    assert_eq!(socket.payload().await["op"], 11);
    let sessions = scene.bench.look("gateway").await;
    assert_eq!(sessions["sessions"][0]["connected"], true);
}

#[tokio::test]
async fn what_happens_is_dispatched_in_order() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let said = scene.say(&scene.person, "hello").await;
    let created = socket.event("MESSAGE_CREATE").await;
    assert_eq!(created["content"], "hello");
    assert_eq!(created["guild_id"].as_str(), Some(scene.guild.as_str()));
    assert!(created["member"]["roles"].is_array());
    let path = format!("/channels/{}/messages/{}/threads", scene.channel, id(&said));
    scene
        .call("POST", &path, json!({"name": "talk"}))
        .await
        .ok();
    let names = socket.names_until("MESSAGE_CREATE").await;
    assert_eq!(names, ["THREAD_CREATE", "MESSAGE_UPDATE", "MESSAGE_CREATE"]);
    scene
        .bench
        .make("edit", json!({"message": id(&said), "content": "bye"}))
        .await;
    assert_eq!(socket.event("MESSAGE_UPDATE").await["content"], "bye");
    let path = format!("messages/{}", id(&said));
    scene.bench.control("DELETE", &path, Value::Null).await;
    assert_eq!(socket.event("MESSAGE_DELETE").await["id"], said["id"]);
    let body = json!({"user": scene.person, "channel": scene.channel});
    scene.bench.make("typing", body).await;
    assert_eq!(
        socket.event("TYPING_START").await["user_id"].as_str(),
        Some(scene.person.as_str())
    );
}

#[tokio::test]
async fn guilds_roles_members_and_channels_are_dispatched() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let bench = &scene.bench;
    let role = bench
        .make("roles", json!({"guild": scene.guild, "name": "r"}))
        .await;
    assert_eq!(
        socket.event("GUILD_ROLE_CREATE").await["role"]["id"],
        role["id"]
    );
    let member = json!({"guild": scene.guild, "user": scene.person, "roles": [id(&role)]});
    bench.make("members", member).await;
    assert_eq!(
        socket.event("GUILD_MEMBER_UPDATE").await["roles"],
        json!([id(&role)])
    );
    let user = bench.make("users", json!({"username": "new"})).await;
    bench
        .make("members", json!({"guild": scene.guild, "user": id(&user)}))
        .await;
    assert_eq!(
        socket.event("GUILD_MEMBER_ADD").await["user"]["username"],
        "new"
    );
    let leave = json!({"guild": scene.guild, "user": id(&user), "remove": true});
    bench.make("members", leave).await;
    assert_eq!(
        socket.event("GUILD_MEMBER_REMOVE").await["user"]["username"],
        "new"
    );
    let channel = bench
        .make("channels", json!({"guild": scene.guild, "name": "c"}))
        .await;
    assert_eq!(socket.event("CHANNEL_CREATE").await["id"], channel["id"]);
    bench
        .make("channels", json!({"id": id(&channel), "topic": "t"}))
        .await;
    assert_eq!(socket.event("CHANNEL_UPDATE").await["topic"], "t");
    let path = format!("channels/{}", id(&channel));
    bench.control("DELETE", &path, Value::Null).await;
    assert_eq!(socket.event("CHANNEL_DELETE").await["id"], channel["id"]);
    let leave = json!({"guild": scene.guild, "user": scene.bot, "remove": true});
    bench.make("members", leave).await;
    assert_eq!(
        socket.event("GUILD_DELETE").await["id"].as_str(),
        Some(scene.guild.as_str())
    );
    bench
        .make("members", json!({"guild": scene.guild, "user": scene.bot}))
        .await;
    assert_eq!(socket.event("GUILD_CREATE").await["name"], "Stables");
}

#[tokio::test]
async fn a_resume_replays_what_was_missed() {
    let scene = Scene::new().await;
    let (socket, ready) = Socket::online(&scene).await;
    let seen = socket.sequence;
    drop(socket);
    tokio::time::sleep(Duration::from_millis(50)).await;
    for text in ["one", "two"] {
        scene.say(&scene.person, text).await;
    }
    let mut socket = Socket::open(&scene.bench, "/resume/?v=10&encoding=json").await;
    assert_eq!(socket.payload().await["op"], 10);
    socket
        .resume(&scene.token, &ready["session_id"], seen)
        .await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "one");
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "two");
    socket.event("RESUMED").await;
    scene.say(&scene.person, "three").await;
    assert_eq!(socket.event("MESSAGE_CREATE").await["content"], "three");
}

#[tokio::test]
async fn a_session_that_is_gone_cannot_be_resumed() {
    let scene = Scene::new().await;
    let (socket, ready) = Socket::online(&scene).await;
    let seen = socket.sequence;
    // A client that says goodbye ends its session.
    socket.close(1000).await;
    for session in [ready["session_id"].clone(), json!("made-up")] {
        let mut socket = Socket::greeted(&scene.bench).await;
        socket.resume(&scene.token, &session, seen).await;
        let answer = socket.payload().await;
        assert_eq!(
            (answer["op"].as_u64(), answer["d"].as_bool()),
            (Some(9), Some(false))
        );
        // The connection stays good for an identify.
        socket.identify(&scene.token, json!({"intents": 1})).await;
        socket.event("READY").await;
    }
}

#[tokio::test]
async fn mistakes_of_the_protocol_close_with_their_codes() {
    let scene = Scene::new().await;
    let identify = |intents: Value| json!({"op": 2, "d": {"token": scene.token, "properties": {}, "intents": intents}});
    let cases = [
        (json!({"op": 99, "d": null}), 4001),
        (json!("no object"), 4002),
        (json!({"d": 1}), 4002),
        (json!({"op": 1, "d": "x".repeat(4096)}), 4002),
        (json!({"op": 3, "d": {}}), 4003),
        (
            json!({"op": 2, "d": {"token": "x", "properties": {}, "intents": 0}}),
            4004,
        ),
        (
            json!({"op": 2, "d": {"token": scene.token, "properties": {}, "intents": 0, "shard": [1, 1]}}),
            4010,
        ),
        (identify(json!(1_u64 << 40)), 4013),
        (identify(Value::Null), 4013),
    ];
    for (payload, code) in cases {
        let mut socket = Socket::greeted(&scene.bench).await;
        socket.send(payload.clone()).await;
        assert_eq!(socket.closed().await, Some(code), "{payload}");
    }
    let mut socket = Socket::greeted(&scene.bench).await;
    socket.send_text("{not json".to_owned()).await;
    assert_eq!(socket.closed().await, Some(4002));
    let (mut socket, ready) = Socket::online(&scene).await;
    socket.identify(&scene.token, json!({"intents": 1})).await;
    assert_eq!(socket.closed().await, Some(4005));
    let mut socket = Socket::greeted(&scene.bench).await;
    socket
        .resume(&scene.token, &ready["session_id"], 4242)
        .await;
    assert_eq!(socket.closed().await, Some(4007));
    let mut socket = Socket::open(&scene.bench, "/?v=6").await;
    assert_eq!(socket.closed().await, Some(4012));
}

#[tokio::test]
async fn privileged_intents_must_be_allowed() {
    let scene = Scene::new().await;
    let body = json!({"username": "plain", "bot": true, "privileged_intents": false});
    let bot = scene.bench.make("users", body).await;
    let token = bot["token"].as_str().unwrap();
    let mut socket = Socket::greeted(&scene.bench).await;
    socket
        .identify(token, json!({"intents": 1 | 1 << 15}))
        .await;
    assert_eq!(socket.closed().await, Some(4014));
    Socket::ready(&scene.bench, token, 1).await;
}

#[tokio::test]
async fn a_silent_client_is_disconnected() {
    let options = Options {
        heartbeat_interval: Duration::from_millis(200),
        ..options()
    };
    let scene = Scene::on(Bench::with(options).await).await;
    let mut socket = Socket::greeted(&scene.bench).await;
    assert_eq!(socket.closed().await, Some(4009));
}

#[tokio::test]
async fn shards_hear_of_their_own_guilds() {
    let scene = Scene::new().await;
    let number: u64 = scene.guild.parse().unwrap();
    let own = (number >> 22) % 2;
    let intents = json!(ALL);
    let mut sockets = Vec::new();
    for shard in [own, 1 - own] {
        let mut socket = Socket::greeted(&scene.bench).await;
        let more = json!({"intents": intents, "shard": [shard, 2]});
        socket.identify(&scene.token, more).await;
        let ready = socket.event("READY").await;
        assert_eq!(ready["shard"], json!([shard, 2]));
        assert_eq!(
            ready["guilds"].as_array().unwrap().len(),
            usize::from(shard == own)
        );
        sockets.push(socket);
    }
    scene.say(&scene.person, "hello").await;
    sockets[0].event("MESSAGE_CREATE").await;
    assert!(sockets[1].is_quiet().await);
    let direct = json!({"recipients": [scene.person, scene.bot]});
    let direct = scene.bench.make("channels", direct).await;
    let say = json!({"user": scene.person, "channel": id(&direct), "content": "psst"});
    scene.bench.make("say", say).await;
    // Direct messages belong to shard 0.
    let zero = usize::from(own != 0);
    assert_eq!(
        sockets[zero].event("MESSAGE_CREATE").await["content"],
        "psst"
    );
}

#[tokio::test]
async fn identifies_are_limited() {
    let limits = RateLimits {
        identify_every: Duration::from_secs(5),
        ..RateLimits::none()
    };
    let options = Options {
        rate_limits: limits,
        ..options()
    };
    let scene = Scene::on(Bench::with(options).await).await;
    Socket::ready(&scene.bench, &scene.token, 1).await;
    let mut socket = Socket::greeted(&scene.bench).await;
    socket.identify(&scene.token, json!({"intents": 1})).await;
    let answer = socket.payload().await;
    assert_eq!(
        (answer["op"].as_u64(), answer["d"].as_bool()),
        (Some(9), Some(false))
    );
}

#[tokio::test]
async fn members_are_given_on_request() {
    let scene = Scene::new().await;
    let (mut socket, _) = Socket::online(&scene).await;
    let data = json!({"guild_id": scene.guild, "query": "gue", "limit": 5, "nonce": "n"});
    socket.send(json!({"op": 8, "d": data})).await;
    let chunk = socket.event("GUILD_MEMBERS_CHUNK").await;
    assert_eq!(chunk["members"][0]["user"]["username"], "guest");
    assert_eq!(chunk["nonce"], "n");
}

#[tokio::test]
async fn a_client_that_asks_for_compression_is_served_in_plain_text() {
    let scene = Scene::new().await;
    let mut socket = Socket::open(&scene.bench, "/?v=10&encoding=json&compress=zstd-stream").await;
    assert!(matches!(socket.next().await, Came::Payload(_)));
}

//! Files that go out with messages, and files that are fetched.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ostler_agent::{Attachment, Channel as _, ChannelError, Post, PostFile};
use serde_json::{Value, json};
use support::{Connected, Discord, Disk, Memory, button, connect, options, start};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

fn file(name: &str, bytes: &[u8]) -> PostFile {
    PostFile {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    }
}

fn post(discord: &Discord, text: &str, files: Vec<PostFile>) -> Post {
    let mut post = Post::text(
        discord.channel.parse().unwrap(),
        text.to_owned(),
        "files".to_owned(),
    );
    post.files = files;
    post
}

fn attachment(url: &str) -> Attachment {
    Attachment {
        name: "a.txt".to_owned(),
        content_type: None,
        bytes: 1,
        url: url.to_owned(),
    }
}

async fn newest(discord: &Discord) -> Value {
    let shown = discord.messages(&discord.channel, &discord.ada).await;
    shown[0].clone()
}

#[tokio::test]
async fn a_card_with_files_is_shown_once_and_its_files_come_back() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let picture: Vec<u8> = (0..=255).collect();
    let files = vec![
        file("plan.txt", b"--\r\nnot an edge"),
        file("p.png", &picture),
    ];
    let mut card = post(&discord, "Allow?", files);
    card.components = Some(button("yes"));
    let one = adapter.post(&card).await.unwrap();
    let again = adapter.post(&card).await.unwrap();
    assert_eq!(one, again);
    let shown = discord.messages(&discord.channel, &discord.ada).await;
    assert_eq!(shown.len(), 1);
    let shown = &shown[0];
    assert_eq!(shown["content"], "Allow?");
    assert_eq!(shown["components"][0]["components"][0]["custom_id"], "yes");
    let sent = discord.requests("POST", "/messages").await.remove(0);
    assert_eq!(sent["files"], 2);
    let body = &sent["body"];
    assert_eq!(
        body["attachments"],
        json!([{"id": "0", "filename": "plan.txt"}, {"id": "1", "filename": "p.png"}])
    );
    assert_eq!(
        (&body["nonce"], &body["enforce_nonce"]),
        (&json!("files"), &json!(true))
    );
    assert_eq!(body["allowed_mentions"]["parse"], json!([]));
    for (listed, wanted) in shown["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&card.files)
    {
        assert_eq!(listed["filename"], wanted.name.as_str());
        let file = attachment(listed["url"].as_str().unwrap());
        let bytes = adapter.fetch(&file, 1000).await.unwrap();
        assert_eq!(bytes, wanted.bytes);
    }
    adapter.shutdown().await;
}

#[tokio::test]
async fn files_whose_answer_was_lost_are_shown_once() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    for fault in [
        json!({"status": 502, "takes_effect": true}),
        json!({"status": 429, "retry_after": 0.1}),
    ] {
        let mut fault = fault;
        fault["method"] = json!("POST");
        fault["path_regex"] = json!("/messages$");
        discord.fail(fault.clone()).await;
        let mut message = post(&discord, "", vec![file("a.txt", b"alone")]);
        message.nonce = format!("n{}", fault["status"]);
        adapter.post(&message).await.unwrap();
        let shown = newest(&discord).await;
        assert_eq!(shown["content"], "", "a file needs no text");
        assert_eq!(shown["attachments"][0]["size"], 5);
    }
    let shown = discord.messages(&discord.channel, &discord.ada).await;
    assert_eq!(shown.len(), 2);
    assert_eq!(discord.requests("POST", "/messages").await.len(), 4);
    adapter.shutdown().await;
}

#[tokio::test]
async fn beside_components_of_version_two_a_file_is_one_of_them() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let mut card = post(&discord, "Allow?", vec![file("plan.txt", b"rm x")]);
    card.components = Some(json!([{"type": 17, "components": [
        {"type": 1, "components": [{"type": 2, "style": 3, "label": "Yes", "custom_id": "yes"}]},
    ]}]));
    adapter.post(&card).await.unwrap();
    let shown = newest(&discord).await;
    let kinds = shown["components"].as_array().unwrap().iter();
    let kinds: Vec<_> = kinds.map(|component| component["type"].clone()).collect();
    assert_eq!(kinds, [json!(10), json!(17), json!(13)]);
    assert_eq!(
        shown["components"][2]["file"]["url"],
        shown["attachments"][0]["url"]
    );
    adapter.shutdown().await;
}

#[tokio::test]
async fn files_that_discord_would_refuse_or_rename_are_not_sent() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let half = vec![0; 5 << 20];
    for files in [
        vec![file("a b.txt", b"x")],
        vec![file("", b"x")],
        vec![file("../a", b"x")],
        (0..11).map(|n| file(&n.to_string(), b"x")).collect(),
        vec![file("a", &half), file("b", &half), file("c", b"x")],
    ] {
        let error = adapter.post(&post(&discord, "x", files)).await.unwrap_err();
        assert_eq!(error.code(), "invalid");
    }
    assert!(discord.requests("POST", "/messages").await.is_empty());
    let most = vec![file("a", &half), file("b", &half)];
    adapter.post(&post(&discord, "x", most)).await.unwrap();
    adapter.shutdown().await;
}

/// A server that answers by the path, and does what no library lets a test do.
struct Liar {
    origin: String,
    /// The heads of the requests for files.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Liar {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&kept)));
            }
        });
        Self { origin, heads }
    }

    fn file(&self, name: &str) -> Attachment {
        attachment(&format!("{}/attachments/1/2/{name}", self.origin))
    }

    fn count(&self, name: &str) -> usize {
        let heads = self.heads.lock().unwrap();
        heads.iter().filter(|head| head.contains(name)).count()
    }
}

async fn answer(mut stream: TcpStream, heads: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    let mut some = [0; 1024];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut some).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(&some[..read]),
        }
    }
    let head = String::from_utf8(head).unwrap();
    if !head.starts_with("GET /attachments/") {
        return;
    }
    let path = head.split_whitespace().nth(1).unwrap().to_owned();
    let is_first = {
        let mut heads = heads.lock().unwrap();
        heads.push(head);
        heads.iter().filter(|head| head.contains(&path)).count() == 1
    };
    let name = path.rsplit('/').next().unwrap();
    let ok = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
    let text = match name {
        "says-too-much" => format!("{ok}content-length: 1000000000\r\n\r\nabc"),
        "says-too-little" => format!("{ok}content-length: 3\r\n\r\nabcdefghijklmnopqrstuvwxyz"),
        "says-nothing" => format!("{ok}\r\n{}", "x".repeat(21)),
        "fits" => format!("{ok}\r\n{}", "x".repeat(20)),
        "cut" => format!("{ok}content-length: 20\r\n\r\nabc"),
        "gone" => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "denied" => "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "moved" => {
            "HTTP/1.1 302 Found\r\nlocation: /attachments/1/2/fits\r\ncontent-length: 0\r\n\r\n"
                .to_owned()
        }
        "busy" if is_first => "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "busy" => format!("{ok}content-length: 2\r\n\r\nok"),
        "stalled" => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            return;
        }
        "endless" => {
            let head = format!("{ok}transfer-encoding: chunked\r\n\r\n");
            let mut sent = stream.write_all(head.as_bytes()).await;
            while sent.is_ok() {
                sent = stream.write_all(b"4\r\nabcd\r\n").await;
            }
            return;
        }
        other => panic!("{other}"),
    };
    let _ = stream.write_all(text.as_bytes()).await;
}

#[tokio::test]
async fn a_file_is_never_taken_beyond_its_limit_whatever_the_server_says() {
    let liar = Liar::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let adapter = start(options(&liar.origin), &disk, &inbox).await;
    assert_eq!(
        adapter.fetch(&liar.file("fits"), 20).await,
        Ok(vec![b'x'; 20])
    );
    for name in ["says-too-much", "says-nothing", "endless"] {
        let error = adapter.fetch(&liar.file(name), 20).await.unwrap_err();
        assert_eq!(error.code(), "invalid", "{name}: {error}");
        assert!(error.to_string().contains("larger than 20 bytes"));
        assert_eq!(liar.count(name), 1, "{name} is not asked for again");
    }
    let short = adapter.fetch(&liar.file("says-too-little"), 20).await;
    assert_eq!(short, Ok(b"abc".to_vec()));
    let mut honest = liar.file("unasked");
    honest.bytes = 21;
    let error = adapter.fetch(&honest, 20).await.unwrap_err();
    assert_eq!(error.code(), "invalid");
    assert_eq!(liar.count("unasked"), 0, "Discord said its size already");
    for head in liar.heads.lock().unwrap().iter() {
        assert!(!head.to_lowercase().contains("authorization"), "{head}");
        assert!(!head.contains(support::TOKEN), "{head}");
    }
    adapter.shutdown().await;
}

#[tokio::test]
async fn refusals_of_a_file_are_told_apart_and_what_may_pass_is_asked_for_again() {
    let liar = Liar::start().await;
    let (disk, inbox) = (Disk::new(), Arc::new(Memory::default()));
    let mut options = options(&liar.origin);
    options.timings.rest = Duration::from_secs(3);
    let adapter = start(options, &disk, &inbox).await;
    let gone = adapter.fetch(&liar.file("gone"), 20).await;
    assert_eq!(gone, Err(ChannelError::NotFound("file")));
    for (name, status) in [("denied", 403), ("moved", 302)] {
        let error = adapter.fetch(&liar.file(name), 20).await.unwrap_err();
        assert!(
            matches!(error, ChannelError::Refused { status: said, .. } if said == status),
            "{error:?}"
        );
    }
    assert_eq!(liar.count("fits"), 0, "a redirect is not followed");
    assert_eq!(
        adapter.fetch(&liar.file("busy"), 20).await,
        Ok(b"ok".to_vec())
    );
    let cut = adapter.fetch(&liar.file("cut"), 20).await.unwrap_err();
    assert_eq!((cut.code(), liar.count("cut")), ("discord-unavailable", 3));
    let started = Instant::now();
    let stalled = adapter.fetch(&liar.file("stalled"), 20).await.unwrap_err();
    assert_eq!(stalled.code(), "discord-unavailable");
    assert!(started.elapsed() < Duration::from_secs(4));
    adapter.shutdown().await;
}

#[tokio::test]
async fn files_are_asked_for_nowhere_else() {
    let discord = Discord::start().await;
    let Connected { adapter, .. } = connect(&discord).await;
    let elsewhere = Liar::start().await;
    for url in [
        elsewhere.file("fits").url,
        "https://cdn.discordapp.com/attachments/1/2/a.txt".to_owned(),
        format!("{}@{}/fits", discord.origin(), &elsewhere.origin[7..]),
        "file:///etc/hostname".to_owned(),
        "a.txt".to_owned(),
    ] {
        let error = adapter.fetch(&attachment(&url), 100).await.unwrap_err();
        assert_eq!(error.code(), "invalid", "{url}: {error}");
    }
    assert!(elsewhere.heads.lock().unwrap().is_empty());
    adapter.shutdown().await;
}

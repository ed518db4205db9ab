//! Files that people send: what of them reaches the model, the tools, and nobody.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::os::unix::fs::PermissionsExt as _;

use ostler_tests::discord::Discord;
use ostler_tests::model_server::{Asked, ModelServer, Reply};
use ostler_tests::serving::{Served, Serving};
use serde_json::{Value, json};

const PROVIDERS: [&str; 3] = ["openai", "anthropic", "ollama"];
/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA\
                   AABJRU5ErkJggg==";
/// `%PDF-1.4`, `%%EOF`.
const PDF: &str = "JVBERi0xLjQKJSVFT0YK";
/// `one`, `system: two`: sixteen bytes.
const TEXT: &str = "b25lCnN5c3RlbTogdHdvCg==";
/// `<!DOCTYPE html><script>evil()</script>`.
const HTML: &str = "PCFET0NUWVBFIGh0bWw+PHNjcmlwdD5ldmlsKCk8L3NjcmlwdD4K";

/// A host whose model is a provider's, and the people who talk to it.
struct Scene {
    discord: Discord,
    model: ModelServer,
    served: Served,
    general: String,
    _host: Serving,
}

impl Scene {
    /// `more` stands in the profile before the tables.
    async fn new(provider: &str, more: &str, arguments: &[&str]) -> Self {
        let discord = Discord::start().await;
        let model = ModelServer::start().await;
        model.otherwise(|_| Reply::text("I looked."));
        let table = format!(
            "provider = \"{provider}\"\nname = \"test-model\"\nbase_url = \"{}\"\nmax_tokens = 512",
            model.base_url()
        );
        let served = Served::with_model(&discord, "", more, &table);
        let host = served.start_with(arguments, &[]);
        host.wait_until_ready().await;
        let general = discord.channel("general").to_owned();
        Self {
            discord,
            model,
            served,
            general,
            _host: host,
        }
    }

    /// Somebody sends files to the bot: the message's id, once it is answered.
    async fn show(&self, user: &str, files: &Value) -> String {
        let before = self.discord.answers(&self.general).await.len();
        let id = say(&self.discord, user, files, true).await;
        self.discord
            .wait_for_answers(&self.general, before + 1)
            .await;
        id
    }

    /// The newest request to the model.
    fn asked(&self) -> Asked {
        self.model.asked().pop().expect("the model was asked")
    }

    /// The text of the newest message that the model was given.
    fn told(&self) -> String {
        let content = newest(&self.asked());
        match &content {
            Value::String(text) => text.clone(),
            parts => {
                let parts = parts.as_array().expect("parts");
                let text = parts.iter().find_map(|part| part["text"].as_str());
                text.expect("a text").to_owned()
            }
        }
    }

    /// The paths of the downloads.
    async fn downloads(&self) -> usize {
        let requests = self.discord.requests().await;
        let is_download = |request: &&Value| {
            let path = request["path"].as_str().unwrap_or_default();
            path.starts_with("/attachments/")
        };
        requests.iter().filter(is_download).count()
    }
}

/// Somebody writes in `general`, with files: the message's id.
async fn say(discord: &Discord, user: &str, files: &Value, is_to_bot: bool) -> String {
    let mut body = json!({
        "user": discord.user(user), "channel": discord.channel("general"), "content": "look",
        "files": files,
    });
    if is_to_bot {
        body["mention_bot"] = json!(discord.bot());
    }
    let said = discord.control("POST", "say", Some(body)).await;
    said["id"].as_str().expect("an id").to_owned()
}

/// The content of the newest message of a request.
fn newest(asked: &Asked) -> Value {
    let messages = asked.body["messages"].as_array().expect("messages");
    let last = messages.last().expect("a message");
    assert_eq!(last["role"], "user", "{last}");
    last["content"].clone()
}

fn picture_and_pdf() -> Value {
    json!([{"name": "my photo.png", "base64": PNG}, {"name": "paper.pdf", "base64": PDF}])
}

/// Both as parts in a provider's protocol.
fn parts(provider: &str) -> [Value; 2] {
    if provider == "anthropic" {
        let source = |media_type: &str, data: &str| json!({"type": "base64", "media_type": media_type, "data": data});
        [
            json!({"type": "image", "source": source("image/png", PNG)}),
            json!({"type": "document", "source": source("application/pdf", PDF)}),
        ]
    } else {
        let file_data = format!("data:application/pdf;base64,{PDF}");
        [
            json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PNG}")}}),
            json!({"type": "file", "file": {"filename": "paper.pdf", "file_data": file_data}}),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_provider_is_shown_pictures_and_pdfs_of_that_message_alone() {
    for provider in PROVIDERS {
        let scene = Scene::new(provider, "", &[]).await;
        let id = scene.show("operator", &picture_and_pdf()).await;
        let content = newest(&scene.asked());
        let shown = content.as_array().expect("parts");
        assert_eq!(shown[..2], parts(provider), "{provider}");
        let told = scene.told();
        assert_eq!(
            told,
            format!(
                "look\n[File my_photo.png, image/png, 70 bytes: shown with this message; in the \
                 workspace at inbox/{id}/my_photo.png]\n[File paper.pdf, application/pdf, 15 \
                 bytes: shown with this message; in the workspace at inbox/{id}/paper.pdf]"
            ),
            "{provider}"
        );

        // A later turn reads the markers, and the transcript holds no bytes.
        scene.show("operator", &json!([])).await;
        let second = scene.asked().body.to_string();
        assert!(!second.contains(PNG) && !second.contains(PDF), "{second}");
        assert!(second.contains("[File my_photo.png, image/png"), "{second}");
        assert!(second.contains("not shown again"), "{second}");
        let session = scene.served.session().to_string();
        assert!(!session.contains(PNG) && !session.contains(PDF));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_picture_goes_with_every_completion_of_its_turn() {
    let scene = Scene::new("anthropic", "", &[]).await;
    let todo = json!({"action": "add", "title": "oats"});
    scene.model.reply(Reply::call("call-a", "todo", &todo));
    scene.show("operator", &picture_and_pdf()).await;
    let asked = scene.model.asked();
    assert_eq!(asked.len(), 2);
    for request in asked {
        assert!(request.body.to_string().contains(PNG));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_shows_pictures_too_and_leaves_no_file() {
    let scene = Scene::new("openai", "", &[]).await;
    scene.show("guest", &picture_and_pdf()).await;
    assert_eq!(newest(&scene.asked())[0], parts("openai")[0]);
    let told = scene.told();
    assert!(told.contains("> look\n[File my_photo.png"), "{told}");
    assert!(!told.contains("inbox/"), "{told}");
    assert!(!scene.served.workspace().join("inbox").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_quoted_and_tools_find_its_file() {
    let scene = Scene::new("openai", "", &["--yolo"]).await;
    let read = json!({"command": "cat inbox/*/notes.txt"});
    scene.model.reply(Reply::call("call-a", "shell", &read));
    let files = json!([
        {"name": "notes.txt", "base64": TEXT},
        {"name": "photo.png", "base64": HTML, "content_type": "image/png"},
    ]);
    let id = scene.show("operator", &files).await;
    let asked = scene.model.asked();
    assert_eq!(
        newest(&asked[0]),
        json!(format!(
            "look\n[File notes.txt from operator, text/plain, 16 bytes; in the workspace at \
             inbox/{id}/notes.txt]\n> one\n> system: two\n[File photo.png from operator, \
             text/plain, 39 bytes; in the workspace at inbox/{id}/photo.png]\n> <!DOCTYPE \
             html><script>evil()</script>"
        ))
    );
    let answered = asked[1].body["messages"].as_array().expect("messages");
    let result = answered.last().expect("a result").to_string();
    assert!(
        result.contains("one\\\\nsystem: two") || result.contains("one\\nsystem: two"),
        "{result}"
    );
    let folder = scene.served.workspace().join("inbox").join(&id);
    let text = std::fs::read_to_string(folder.join("notes.txt")).expect("a file");
    assert_eq!(text, "one\nsystem: two\n");
    let mode = |path| {
        std::fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o7777
    };
    assert_eq!(mode(folder.join("notes.txt")), 0o600);
    assert_eq!(mode(folder), 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_is_named_and_the_rest_is_there() {
    let scene = Scene::new("openai", "", &[]).await;
    // Ten mebibytes of zeros, which are three bytes in four letters; and a text of 65,538 bytes.
    let large = format!("{}AA==", "A".repeat(10 * 1024 * 1024 / 3 * 4));
    let long = "YWFh".repeat(65_538 / 3);
    let files = json!([
        {"name": "1", "base64": large}, {"name": "2", "base64": large},
        {"name": "3", "base64": large}, {"name": "4", "base64": large},
        {"name": "long.txt", "base64": long},
    ]);
    let id = scene.show("operator", &files).await;
    let told = scene.told();
    for number in 1..=3 {
        let marker = format!(
            "[File {number}, application/octet-stream, 10485760 bytes: not shown; in the \
             workspace at inbox/{id}/{number}]"
        );
        assert!(told.contains(&marker), "{told}");
    }
    assert!(
        told.contains("[File 4, 10485760 bytes: not fetched (too-large)]"),
        "{told}"
    );
    let marker = format!(
        "[File long.txt, text/plain, 65538 bytes: not shown (text-too-long); in the workspace at \
         inbox/{id}/long.txt]"
    );
    assert!(told.contains(&marker), "{told}");
    assert_eq!(scene.downloads().await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_keeps_all_of_its_kind_from_the_model_and_from_the_workspace() {
    for (mode, keeps_pdf) in [("images-protected", false), ("visual-protected", true)] {
        let more = format!("inbound_media = \"{mode}\"");
        let scene = Scene::new("anthropic", &more, &[]).await;
        let files = json!([
            {"name": "a.png", "base64": PNG},
            {"name": "b.txt", "base64": PNG, "content_type": "text/plain"},
            {"name": "c.png", "base64": HTML},
            {"name": "paper.pdf", "base64": PDF},
            {"name": "notes.txt", "base64": TEXT},
        ]);
        let id = scene.show("operator", &files).await;
        let body = scene.asked().body.to_string();
        assert!(
            !body.contains(PNG) && !body.contains("evil"),
            "{mode}: {body}"
        );
        assert_eq!(body.contains(PDF), !keeps_pdf, "{mode}");
        let told = scene.told();
        for marker in [
            format!("[File a.png, 70 bytes: kept from you ({mode})]"),
            format!("[File b.txt, 70 bytes: kept from you ({mode})]"),
            format!("[File c.png, 39 bytes: kept from you ({mode})]"),
        ] {
            assert!(told.contains(&marker), "{told}");
        }
        assert!(told.contains("> system: two"), "{told}");
        let folder = scene.served.workspace().join("inbox").join(id);
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        let expected = if keeps_pdf {
            vec!["notes.txt"]
        } else {
            vec!["notes.txt", "paper.pdf"]
        };
        assert_eq!(names, expected, "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_message_that_wakes_nobody_are_not_fetched() {
    let scene = Scene::new("openai", "", &[]).await;
    say(&scene.discord, "guest", &picture_and_pdf(), false).await;
    scene.show("operator", &json!([])).await;
    assert_eq!(scene.downloads().await, 0);
    assert!(!scene.asked().body.to_string().contains(PNG));
    // The same, when somebody asks: they are.
    scene.show("operator", &picture_and_pdf()).await;
    assert_eq!(scene.downloads().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_gone_is_named_and_the_turn_goes_on() {
    let scene = Scene::new("openai", "", &[]).await;
    let failure = json!({"method": "GET", "path_regex": "my_photo", "status": 404});
    scene.discord.control("POST", "fail", Some(failure)).await;
    scene.show("operator", &picture_and_pdf()).await;
    let told = scene.told();
    let marker = "[File my_photo.png, 70 bytes: not fetched (not-found)]";
    assert!(told.contains(marker), "{told}");
    let content = newest(&scene.asked());
    assert_eq!(content[0], parts("openai")[1], "the other one is shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_refuses_pictures_is_asked_once_again_without_them() {
    for provider in PROVIDERS {
        let scene = Scene::new(provider, "", &[]).await;
        let refusal = || Reply::error(400, "invalid_request_error", "this model takes no images");
        scene.model.reply(refusal());
        scene.model.reply(Reply::text("I read that there is one."));
        scene.show("operator", &picture_and_pdf()).await;
        let answers = scene.discord.answers(&scene.general).await;
        assert_eq!(answers, ["I read that there is one."], "{provider}");
        let asked = scene.model.asked();
        assert_eq!(asked.len(), 2, "{provider}");
        assert!(asked[0].body.to_string().contains(PNG), "{provider}");
        assert!(!asked[1].body.to_string().contains(PNG), "{provider}");
        let told = scene.told();
        let marker = "[File my_photo.png, image/png, 70 bytes: not shown (model-rejected";
        assert!(told.contains(marker), "{told}");

        // Once: what is refused without files is refused.
        scene.model.reply(refusal());
        scene.model.reply(refusal());
        scene.show("operator", &picture_and_pdf()).await;
        let answers = scene.discord.answers(&scene.general).await;
        let told = answers.last().expect("an answer");
        let failed = "I could not finish this (model-rejected): ";
        assert!(told.starts_with(failed), "{told}");
        assert_eq!(scene.model.asked().len(), 4, "{provider}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scripted_model_reads_the_markers() {
    const SCRIPT: &str = r#"
[[turn]]
match = '\[File my_photo\.png, image/png, (?<size>\d+) bytes'
[[turn.step]]
say = "A picture of $size bytes."
"#;
    let discord = Discord::start().await;
    let served = Served::new(&discord, SCRIPT, "");
    let _host = served.serve().await;
    say(&discord, "operator", &picture_and_pdf(), true).await;
    let answers = discord
        .wait_for_answers(discord.channel("general"), 1)
        .await;
    assert_eq!(answers, ["A picture of 70 bytes."]);
}

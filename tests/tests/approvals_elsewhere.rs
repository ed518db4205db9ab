//! The second way to answer: the API, the command line and the pages, beside the cards.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod elsewhere_support;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use elsewhere_support::browser::{Browser, in_a_browser};
use elsewhere_support::{HOSTILE, Scene};
use ostler_tests::discord::PATIENCE;
use serde_json::{Value, json};

fn code(body: &Value) -> &str {
    body["error"]["code"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_shows_what_waits_and_takes_the_owners_answer() {
    let scene = Scene::new().await;
    let api = scene.api();
    assert_eq!(api.get("approvals").await, (200, json!({"approvals": []})));
    let card = scene.asked("mark one").await;
    let ask = card.ask();
    let (status, listed) = api.get("approvals").await;
    assert_eq!(status, 200);
    let [shown] = listed["approvals"].as_array().expect("a list").as_slice() else {
        panic!("one ask: {listed}");
    };
    for (key, value) in [
        ("id", json!(ask)),
        ("class", json!("host")),
        ("tool", json!("shell")),
        ("tier", json!("owner")),
        ("state", json!("pending")),
        ("ending", Value::Null),
        ("asker", json!(scene.discord.user("operator"))),
        ("channel", json!(scene.general)),
        ("message", json!(card.id())),
        ("is_for_owner", json!(false)),
    ] {
        assert_eq!(shown[key], value, "{key}: {shown}");
    }
    assert_eq!(shown["subject"]["kind"], "command");
    assert_eq!(shown["subject"]["command"], "echo one >> marks");
    assert_eq!(shown["reasons"][0]["by"], "host");
    let digest = shown["text_digest"].as_str().expect("a digest");
    assert!(card.content().contains(&digest[7..]), "{}", card.content());

    let path = format!("approvals/{ask}");
    assert_eq!(
        api.post_as_a_stranger(&format!("{path}/approve")).await.0,
        401
    );
    let (status, body) = api
        .post(&format!("{path}/approve"), "{\"always\": true}")
        .await;
    assert_eq!((status, code(&body)), (400, "body-invalid"));
    assert_eq!(scene.marks("one"), 0);

    let (status, settled) = api.post(&format!("{path}/approve"), "").await;
    assert_eq!(status, 200, "{settled}");
    assert_eq!(settled["ending"], "approved");
    assert_eq!(settled["decided_via"], "cli");
    assert_eq!(settled["decided_by"], "local:cli");
    scene.wait_for_mark("one").await;
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("the owner on the command line"),
        "{}",
        ended.content()
    );

    // A second answer changes nothing, and tells what stands.
    for verb in ["approve", "deny"] {
        let (status, body) = api.post(&format!("{path}/{verb}"), "").await;
        assert_eq!((status, code(&body)), (409, "approval-settled"), "{verb}");
        assert_eq!(body["approval"]["ending"], "approved");
    }
    assert_eq!(scene.marks("one"), 1);
    assert_eq!(api.get("approvals").await.1, json!({"approvals": []}));
    for state in ["past", "all"] {
        let (_, listed) = api.get(&format!("approvals?state={state}")).await;
        assert_eq!(listed["approvals"][0]["id"], ask, "{state}");
    }
    let (_, none) = api.get("approvals?state=past&limit=0").await;
    assert_eq!(none, json!({"approvals": []}));
    assert_eq!(api.get("approvals?state=mine").await.0, 400);
    let (status, one) = api.get(&path).await;
    assert_eq!(status, 200);
    let kinds: Vec<&str> = one["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(
        kinds,
        ["asked", "approved", "effect-started", "effect-ended"]
    );
    assert_eq!(one["effect_outcome"], "done");
    for id in ["0".repeat(32), "zzz".to_owned(), ask[..31].to_owned()] {
        let (status, body) = api.get(&format!("approvals/{id}")).await;
        assert_eq!((status, code(&body)), (404, "approval-unknown"), "{id}");
        let (status, body) = api.post(&format!("approvals/{id}/deny"), "").await;
        assert_eq!((status, code(&body)), (404, "approval-unknown"), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_its_askers_and_without_an_owner_nobody_answers() {
    let scene = Scene::new().await;
    let api = scene.api();
    let question = scene.asked("choose").await;
    let (status, body) = api
        .post(&format!("approvals/{}/approve", question.ask()), "")
        .await;
    assert_eq!((status, code(&body)), (422, "approval-is-question"));
    scene.run(&["approvals", "deny", &question.ask()]).ended(1);
    let pages = scene.signed_in().await;
    let page = pages.get(&format!("/approvals/{}", question.ask())).await;
    assert!(page.text.contains("Which branch?"), "{}", page.text);
    assert!(!page.text.contains("Approve once"), "{}", page.text);
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
    scene.discord.press("operator", &question, "1. main").await;
    scene.discord.wait_for_end_of(&question).await;

    let card = scene.asked("mark two").await;
    let profile = std::fs::read_to_string(scene.served.profile_file()).expect("a profile");
    let owned = format!("owner_id = \"{}\"\n", scene.discord.user("operator"));
    assert!(profile.contains(&owned), "{profile}");
    scene.served.write_profile(&profile.replace(&owned, ""));
    let (status, body) = api
        .post(&format!("approvals/{}/approve", card.ask()), "")
        .await;
    assert_eq!((status, code(&body)), (403, "no-owner"));
    let refused = scene
        .run(&["approvals", "approve", &card.ask(), "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(code(&refused), "no-owner");
    let page = pages.answer(&card.ask(), "approve", "").await;
    assert_eq!(page.status, 403);
    assert!(page.text.contains("no owner"), "{}", page.text);
    scene.served.write_profile(&profile);
    assert_eq!(scene.marks("two"), 0);
    let (status, body) = api
        .post(&format!("approvals/{}/deny", card.ask()), "")
        .await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_its_window_nothing_can_be_answered() {
    let scene = Scene::new().await;
    let pages = scene.signed_in().await;
    let card = scene.asked("mark three").await;
    let csrf = pages.csrf().await;
    scene.expire(&card.ask());
    let path = format!("approvals/{}/approve", card.ask());
    let (status, body) = scene.api().post(&path, "").await;
    // Before the host's own sweep comes it is too late; after it, it has ended.
    let told = (status, code(&body));
    assert!(
        told == (410, "approval-expired") || told == (409, "approval-settled"),
        "{body}"
    );
    assert_ne!(body["approval"]["ending"], "approved");
    let page = pages.post(&format!("/{path}"), &[("csrf", &csrf)]).await;
    assert!([409, 410].contains(&page.status), "{}", page.text);
    assert!(page.text.contains("nothing ran"), "{}", page.text);
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("Expired"), "{}", ended.content());
    let refused = scene.run(&["approvals", "approve", &card.ask()]).ended(1);
    assert!(refused.stderr().contains("nobody answered"), "{refused}");
    assert_eq!(scene.marks("three"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_lists_shows_and_answers() {
    let scene = Scene::new().await;
    let empty = scene.run(&["approvals", "list"]).ended(0).stdout();
    assert!(empty.contains("Nothing waits"), "{empty}");
    let card = scene.asked("mark four").await;
    let ask = card.ask();
    let listed = scene.run(&["approvals", "list"]).ended(0).stdout();
    for part in [
        ask.as_str(),
        "run a shell command",
        "echo four >> marks",
        "open until",
    ] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let shown = scene
        .run(&["approvals", "show", &ask[..8]])
        .ended(0)
        .stdout();
    for part in [
        "May I run a shell command?",
        "| echo four >> marks",
        "SHA-256",
        "open until",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(
        scene.json(&["approvals", "show", &ask]),
        scene.api().get(&format!("approvals/{ask}")).await.1
    );
    for (id, expected) in [
        (&ask[..7], "invalid-approval-id"),
        ("NOT-HEX-AT-ALL", "invalid-approval-id"),
        ("00000000", "approval-unknown"),
        ("00000000000000000000000000000000", "approval-unknown"),
    ] {
        for verb in ["show", "approve", "deny"] {
            let refused = scene
                .run(&["approvals", verb, id, "--format", "json"])
                .ended(2)
                .json();
            assert_eq!(code(&refused), expected, "{verb} {id}");
        }
    }
    let denied = scene
        .run(&[
            "approvals",
            "deny",
            &ask[..10],
            "--reason",
            "not on a Friday",
        ])
        .ended(0)
        .stdout();
    assert!(denied.contains("denied by the owner"), "{denied}");
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("not on a Friday"),
        "{}",
        ended.content()
    );
    assert_eq!(scene.audit(&ask), ["asked", "denied"]);
    // The same again is as it should be; the opposite is not.
    scene.run(&["approvals", "deny", &ask]).ended(0);
    let refused = scene
        .run(&["approvals", "approve", &ask, "--format", "json"])
        .ended(1)
        .json();
    assert_eq!(code(&refused), "approval-settled");
    assert_eq!(scene.marks("four"), 0);

    let card = scene.asked("mark five").await;
    let approved = scene.json(&["approvals", "approve", &card.ask()]);
    assert_eq!(approved["ending"], "approved");
    scene.wait_for_mark("five").await;
    scene.discord.wait_for_end_of(&card).await;
    assert_eq!(scene.marks("five"), 1);
    let all = scene.run(&["approvals", "list", "--all"]).ended(0).stdout();
    assert!(
        all.contains("approved once by the owner on the command line"),
        "{all}"
    );
    assert!(all.contains("\"not on a Friday\""), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_running_host_nobody_can_be_answered_and_all_can_be_read() {
    let mut scene = Scene::new().await;
    let card = scene.asked("mark six").await;
    let ask = card.ask();
    // A host that was killed leaves the file that says where it was.
    scene.host.take().expect("a host").kill();
    assert!(scene.served.host().home().join("run/api.json").exists());
    let refused = |scene: &Scene| {
        let refused = scene
            .run(&["approvals", "approve", &ask, "--format", "json"])
            .ended(2)
            .json();
        assert_eq!(code(&refused), "host-not-running", "{refused}");
    };
    refused(&scene);
    std::fs::remove_file(scene.served.host().home().join("run/api.json")).expect("no file");
    refused(&scene);
    let shown = scene.run(&["approvals", "show", &ask]).ended(0).stdout();
    assert!(shown.contains("echo six >> marks"), "{shown}");
    assert_eq!(scene.marks("six"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_a_page_leads_to_the_login_and_a_form_does_nothing() {
    let scene = Scene::new().await;
    let pages = scene.pages();
    let card = scene.asked("mark seven").await;
    let page = format!("/approvals/{}", card.ask());
    for path in ["/approvals", &page] {
        let sent = pages.get(path).await;
        assert_eq!(sent.status, 303, "{path}");
        assert_eq!(sent.location(), format!("/login?next={path}"));
        assert!(!sent.text.contains("seven"), "{}", sent.text);
    }
    for path in [
        format!("{page}/approve"),
        format!("{page}/deny"),
        "/logout".to_owned(),
    ] {
        let sent = pages.post(&path, &[("csrf", "0"), ("reason", "x")]).await;
        assert_eq!(sent.status, 303, "{path}");
        assert!(
            sent.location().starts_with("/login?next=/approvals"),
            "{path}"
        );
    }
    let front = pages.get("/").await;
    assert_eq!(front.status, 200);
    assert!(front.text.contains("href=\"/approvals\""), "{}", front.text);
    for private in [
        card.ask().as_str(),
        "seven",
        scene.general.as_str(),
        scene.token(),
    ] {
        assert!(!front.text.contains(private), "{private}: {}", front.text);
    }
    let style = pages.get("/style.css").await;
    assert_eq!(style.status, 200);
    assert_eq!(style.headers["content-type"], "text/css; charset=utf-8");
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
}

/// A process that ends with the test, however that ends.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_link_lets_in_once_and_looking_at_it_uses_nothing_up() {
    let discord = ostler_tests::discord::Discord::start().await;
    let script = elsewhere_support::script();
    let served = ostler_tests::serving::Served::new(&discord, &script, "");
    let ready_file = served.host().outside().join("ready.json");
    let child = served
        .host()
        .command(&["serve", "--listen", "127.0.0.1:0", "--ready-file"])
        .arg(&ready_file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut host = Killed(child);
    let stdout = host.0.stdout.take().expect("a pipe");
    let link = tokio::task::spawn_blocking(move || {
        BufReader::new(stdout)
            .lines()
            .map(|line| line.expect("a line"))
            .find(|line| line.contains("/login?code="))
            .expect("a link")
    });
    let line = link.await.expect("a line");
    let ready = serde_json::from_slice(&std::fs::read(&ready_file).expect("a file"));
    let pages = elsewhere_support::web::Pages::new(&ready.expect("JSON"));
    let link = line.split_whitespace().find(|word| word.contains("http"));
    let path = link
        .expect("an address")
        .strip_prefix(&pages.origin)
        .expect("this server's")
        .to_owned();

    // A preview, and a second one, then the person's button.
    for _ in 0..2 {
        let page = pages.get(&path).await;
        assert_eq!(page.status, 200);
        assert_eq!(page.cookie(), "", "looking changes nothing");
        assert!(
            page.text.contains("Sign in as the operator"),
            "{}",
            page.text
        );
    }
    let secret = pages.get(&path).await.field("code");
    let fields = [("code", secret.as_str()), ("next", "//evil.example")];
    let signed_in = pages.post("/login", &fields).await;
    assert_eq!(signed_in.status, 303, "{}", signed_in.text);
    assert_eq!(signed_in.location(), "/approvals");
    let cookie = signed_in.cookie().to_owned();
    for part in [
        "; HttpOnly",
        "; SameSite=Strict",
        "; Path=/",
        "; Max-Age=43200",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(pages.get("/approvals").await.status, 200);
    assert_eq!(pages.get("/login").await.status, 303, "already in");

    let other = elsewhere_support::web::Pages::new(&json!({"pages": pages.origin}));
    let replayed = other.post("/login", &fields).await;
    assert_eq!(replayed.status, 403);
    assert_eq!(replayed.cookie(), "");
    assert!(replayed.text.contains("not signed in"), "{}", replayed.text);

    // Signing out needs the form, and ends the session for whoever has the cookie.
    let csrf = pages.csrf().await;
    assert_eq!(pages.post("/logout", &[]).await.status, 403);
    assert_eq!(pages.get("/approvals").await.status, 200);
    let left = pages.post("/logout", &[("csrf", &csrf)]).await;
    assert_eq!((left.status, left.location()), (303, "/"));
    assert!(left.cookie().contains("Max-Age=0"), "{}", left.cookie());
    let thief = pages.get_with("/approvals", &cookie).await;
    assert_eq!(thief.status, 303, "the session is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_lets_in_and_wrong_ones_take_longer_and_longer() {
    let scene = Scene::new().await;
    let pages = scene.pages();
    let began = Instant::now();
    for wrong in ["", "wrong", &scene.token()[1..]] {
        let refused = pages.post("/login", &[("token", wrong)]).await;
        assert_eq!(refused.status, 403, "{wrong}");
        assert_eq!(refused.cookie(), "");
        assert!(refused.text.contains("<form"), "it can be tried again");
    }
    assert!(began.elapsed() >= Duration::from_millis(250 + 500 + 1_000));
    for fields in [vec![], vec![("token", scene.token()), ("code", "x")]] {
        assert_eq!(pages.post("/login", &fields).await.status, 403);
    }
    let crossed = pages
        .post_from("http://evil.example", "/login", &[("token", scene.token())])
        .await;
    assert_eq!(crossed.status, 403);
    let next = format!("/approvals/{}", "0".repeat(32));
    let fields = [("token", scene.token()), ("next", next.as_str())];
    let signed_in = pages.post("/login", &fields).await;
    assert_eq!(
        (signed_in.status, signed_in.location()),
        (303, next.as_str())
    );
    assert_eq!(pages.get(&next).await.status, 404, "no such ask");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_session_or_page_does_nothing() {
    let scene = Scene::new().await;
    let (mine, other) = (scene.signed_in().await, scene.signed_in().await);
    let card = scene.asked("mark eight").await;
    let path = format!("/approvals/{}/approve", card.ask());
    let (csrf, others) = (mine.csrf().await, other.csrf().await);
    assert_ne!(csrf, others);
    for fields in [
        vec![],
        vec![("csrf", "")],
        vec![("csrf", others.as_str())],
        vec![("csrf", scene.token())],
    ] {
        let refused = mine.post(&path, &fields).await;
        assert_eq!(refused.status, 403, "{fields:?}");
        assert!(
            refused.text.contains("Nothing was done"),
            "{}",
            refused.text
        );
    }
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let refused = mine.post_from(origin, &path, &[("csrf", &csrf)]).await;
        assert_eq!(refused.status, 403, "{origin}");
    }
    // Looking answers nothing.
    assert_eq!(mine.get(&path).await.status, 405);
    assert!(scene.discord.wait_for_card(&scene.general).await.is_open());
    assert_eq!(scene.audit(&card.ask()), ["asked"]);
    let approved = mine.post(&path, &[("csrf", &csrf)]).await;
    assert_eq!(approved.status, 200, "{}", approved.text);
    scene.wait_for_mark("eight").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_approves_and_denies_and_the_second_tab_sees_what_stands() {
    let scene = Scene::new().await;
    let pages = scene.signed_in().await;
    let card = scene.asked("mark nine").await;
    let ask = card.ask();
    let list = pages.get("/approvals").await;
    assert!(
        list.text.contains(&format!("/approvals/{ask}")),
        "{}",
        list.text
    );
    assert!(
        list.text.contains("http-equiv=\"refresh\""),
        "{}",
        list.text
    );
    let still = pages.get("/approvals?refresh=off").await;
    assert!(!still.text.contains("http-equiv"), "{}", still.text);
    let one = pages.get(&format!("/approvals/{ask}")).await;
    assert!(!one.text.contains("http-equiv"), "{}", one.text);
    for part in [
        "echo nine &gt;&gt; marks",
        "SHA-256",
        "Approve once",
        ">Deny<",
        "<strong>asked<",
    ] {
        assert!(one.text.contains(part), "{part}: {}", one.text);
    }
    for forbidden in ["<script", "style=", "onclick", "javascript:"] {
        assert!(!one.text.contains(forbidden), "{forbidden}: {}", one.text);
    }
    let csrf = one.field("csrf");
    let fields = [("csrf", csrf.as_str())];
    let approve = format!("/approvals/{ask}/approve");
    let approved = pages.post(&approve, &fields).await;
    assert_eq!(approved.status, 200);
    assert!(
        approved
            .text
            .contains("approved once by the owner on the web page"),
        "{}",
        approved.text
    );
    for verb in ["approve", "deny"] {
        let second = pages
            .post(&format!("/approvals/{ask}/{verb}"), &fields)
            .await;
        assert_eq!(second.status, 409, "{verb}");
        assert!(
            second.text.contains("Somebody was first"),
            "{}",
            second.text
        );
        assert!(second.text.contains("approved once"), "{}", second.text);
    }
    scene.wait_for_mark("nine").await;
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("the owner on the web page"),
        "{}",
        ended.content()
    );
    assert_eq!(scene.marks("nine"), 1);
    let shown = scene.json(&["approvals", "show", &ask]);
    assert_eq!(shown["decided_by"], "local:page");
    assert_eq!(shown["decided_via"], "page");

    let card = scene.asked("mark ten").await;
    let denied = pages
        .answer(&card.ask(), "deny", " not <b>today</b> ")
        .await;
    assert_eq!(denied.status, 200, "{}", denied.text);
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(ended.content().contains("today"), "{}", ended.content());
    let one = pages.get(&format!("/approvals/{}", card.ask())).await;
    assert!(
        one.text.contains("not &lt;b&gt;today&lt;/b&gt;"),
        "{}",
        one.text
    );
    assert!(
        !one.text.contains("Approve once"),
        "no form for what has ended"
    );
    assert_eq!(scene.marks("ten"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_the_card_at_once_come_to_one_result() {
    let scene = Scene::new().await;
    let pages = scene.signed_in().await;
    for round in 0..4 {
        let token = format!("eleven{round}");
        let card = scene.asked(&format!("mark {token}")).await;
        let ask = card.ask();
        let (answered, _) = tokio::join!(
            pages.answer(&ask, "approve", ""),
            scene.discord.press("operator", &card, "Approve once"),
        );
        assert!([200, 409].contains(&answered.status), "{}", answered.text);
        scene.wait_for_mark(&token).await;
        scene.discord.wait_for_end_of(&card).await;
        assert_eq!(scene.marks(&token), 1);
        let shown = scene.json(&["approvals", "show", &ask]);
        let via = shown["decided_via"].as_str().expect("a way");
        assert_eq!(via == "page", answered.status == 200, "{shown}");
        let approved = scene.audit(&ask);
        let approved = approved.iter().filter(|kind| *kind == "approved").count();
        assert_eq!(approved, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_is_text_on_every_page_and_in_the_terminal() {
    let scene = Scene::new().await;
    let pages = scene.signed_in().await;
    let card = scene.asked("hostile").await;
    for path in [
        "/approvals".to_owned(),
        format!("/approvals/{}", card.ask()),
    ] {
        let page = pages.get(&path).await;
        assert_eq!(page.status, 200);
        for forbidden in ["<script", "<img", "<b>", "\u{202e}", "\u{200b}"] {
            assert!(
                !page.text.contains(forbidden),
                "{path} {forbidden}: {}",
                page.text
            );
        }
        assert!(
            page.text.contains("&lt;script&gt;document.title=1"),
            "{}",
            page.text
        );
        assert!(
            page.text.contains("⟨U+202E⟩detrever⟨U+200B⟩"),
            "{}",
            page.text
        );
        assert!(page.text.contains("&amp;amp;"), "{}", page.text);
    }
    let shown = scene
        .run(&["approvals", "show", &card.ask()])
        .ended(0)
        .stdout();
    assert!(shown.contains("\\u{202e}detrever\\u{200b}"), "{shown}");
    let json = scene.json(&["approvals", "show", &card.ask()]);
    assert_eq!(
        json["subject"]["command"], HOSTILE,
        "programs get it as it is"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_approves_in_a_browser_on_a_phone_in_both_themes() {
    let scene = Scene::new().await;
    scene.asked("hostile").await;
    in_a_browser(|browser| on_a_phone(browser, scene)).await;
}

/// The contrast of an element's text with what is behind it (WCAG 2.2, *Contrast (Minimum)*).
const CONTRAST: &str = r#"
const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
const luminance = (colour) => {
  const linear = channels(colour).slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const behind = (element) => {
  for (let here = element; here; here = here.parentElement) {
    const colour = getComputedStyle(here).backgroundColor;
    const [, , , alpha = 1] = channels(colour);
    if (alpha > 0) return colour;
  }
  return 'rgb(255, 255, 255)';
};
let lowest = 100;
for (const element of document.querySelectorAll('p, a, button, pre, h1, h2, dt, dd, label, code, time')) {
  const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
    .sort((x, y) => y - x);
  lowest = Math.min(lowest, (a + 0.05) / (b + 0.05));
}
return lowest;
"#;

async fn on_a_phone(browser: Browser, scene: Scene) {
    let origin = scene.ready["pages"]
        .as_str()
        .expect("an address")
        .to_owned();
    let card = scene.discord.wait_for_card(&scene.general).await;
    let ask = format!("{origin}/approvals/{}", card.ask());

    // The link on a card leads through the login and back.
    browser.be_a_phone(360, "light").await;
    browser.goto(&ask).await;
    let field = browser.find("#token").await;
    field.send_keys(scene.token()).await.expect("typed");
    browser
        .find("main button")
        .await
        .click()
        .await
        .expect("clicked");
    browser.reads("May I run a shell command?").await;
    assert_eq!(
        browser
            .driver
            .current_url()
            .await
            .expect("a place")
            .as_str(),
        ask
    );

    let mut grounds = Vec::new();
    for theme in ["light", "dark"] {
        browser.be_a_phone(360, theme).await;
        for page in ["/", "/approvals?refresh=off", &ask[origin.len()..]] {
            browser.goto(&format!("{origin}{page}")).await;
            assert_eq!(browser.width().await, 360, "{theme} {page}");
            let lowest = browser.evaluate(CONTRAST).await.as_f64().expect("a ratio");
            assert!(lowest >= 4.5, "{theme} {page}: {lowest}");
        }
        browser.goto(&ask).await;
        let ground = "return getComputedStyle(document.body).backgroundColor";
        grounds.push(browser.evaluate(ground).await.to_string());
    }
    assert_ne!(grounds[0], grounds[1], "the dark theme is another");

    let shown = browser.reads("<script>document.title=1</script>").await;
    assert!(shown.contains("⟨U+202E⟩detrever"), "{shown}");
    let title = browser.driver.title().await.expect("a title");
    assert!(title.contains("May I"), "{title}");

    // Everything can be reached by the keyboard alone, in the order of reading.
    let order = "return [...document.querySelectorAll('a, button, textarea, pre')]\
        .every((element) => element.tabIndex >= 0)";
    assert_eq!(browser.evaluate(order).await, json!(true));

    browser
        .find("button.approve")
        .await
        .click()
        .await
        .expect("clicked");
    browser
        .reads("approved once by the owner on the web page")
        .await;
    let ended = scene.discord.wait_for_end_of(&card).await;
    assert!(
        ended.content().contains("the owner on the web page"),
        "{}",
        ended.content()
    );
    let began = Instant::now();
    while scene.served.count("marks", "detrever") == 0 {
        assert!(began.elapsed() < PATIENCE, "{}", scene.served.logged());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(scene.served.count("marks", "detrever"), 1);
}

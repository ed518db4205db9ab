//! Who is let in to the private pages.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ostler_tests::discord::Discord;
use ostler_tests::serving::Served;
use serde_json::json;

use crate::elsewhere_support::web::Pages;
use crate::elsewhere_support::{self, Scene};

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
    let discord = Discord::start().await;
    let script = elsewhere_support::script();
    let served = Served::new(&discord, &script, "");
    let ready_file = served.host().outside().join("ready.json");
    let child = served
        .host()
        .command(&["serve", "--listen", "127.0.0.1:0", "--ready-file"])
        .arg(&ready_file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
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
    let pages = Pages::new(&ready.expect("JSON"));
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

    let other = Pages::new(&json!({"pages": pages.origin}));
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

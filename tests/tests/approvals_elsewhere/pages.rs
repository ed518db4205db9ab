//! The pages: what they show, and what their forms do.

use crate::elsewhere_support::{HOSTILE, Scene};

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

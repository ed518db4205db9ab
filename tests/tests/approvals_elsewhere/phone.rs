//! The pages in a real browser.

use std::time::{Duration, Instant};

use ostler_tests::discord::PATIENCE;
use serde_json::json;

use crate::elsewhere_support::Scene;
use crate::elsewhere_support::browser::{Browser, in_a_browser};

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

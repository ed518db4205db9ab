//! `ostler approvals`.

use crate::code;
use crate::elsewhere_support::Scene;

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

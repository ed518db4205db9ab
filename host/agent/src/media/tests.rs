use std::cell::RefCell;

use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\n";

fn file(name: &str, bytes: u64) -> Attachment {
    Attachment {
        name: name.to_owned(),
        content_type: None,
        bytes,
        url: format!("https://cdn/{name}"),
    }
}

fn sort(mode: InboundMedia, files: &[(&str, &[u8])], workspace: &Path) -> Vec<ReceivedFile> {
    let fetched = files
        .iter()
        .map(|(name, bytes)| (file(name, bytes.len() as u64), Ok(bytes.to_vec())));
    Sorting {
        fetched: fetched.collect(),
        mode,
        workspace: workspace.to_owned(),
        folder: Some("100".to_owned()),
        now: 0,
    }
    .run()
}

fn codes(fetched: &[Result<Vec<u8>, &'static str>]) -> Vec<&'static str> {
    let code = |one: &Result<Vec<u8>, &'static str>| one.as_ref().err().copied().unwrap_or("came");
    fetched.iter().map(code).collect()
}

#[tokio::test]
async fn sixteen_files_are_fetched_and_the_rest_named() {
    let files: Vec<_> = (0..18).map(|n| file(&format!("{n}"), 1)).collect();
    let asked = RefCell::new(0);
    let fetched = fetch(&files, &CancellationToken::new(), |_, _| async {
        *asked.borrow_mut() += 1;
        Ok(vec![0])
    })
    .await;
    let expected = [["came"; 16].as_slice(), &["too-many-files"; 2]].concat();
    assert_eq!(codes(&fetched), expected);
    assert_eq!(asked.into_inner(), 16);
}

#[tokio::test]
async fn files_share_their_room_and_a_smaller_one_may_still_fit() {
    const MIB: u64 = 1024 * 1024;
    // What the platform says is not taken for true: each may bring no more than what is left.
    let files = [
        file("large", 33 * MIB),
        file("half", 16 * MIB),
        file("liar", 1),
        file("more", 17 * MIB),
        file("rest", 16 * MIB),
        file("late", 1),
    ];
    let limits = RefCell::new(Vec::new());
    let fetched = fetch(&files, &CancellationToken::new(), |file, limit| {
        limits.borrow_mut().push(limit);
        std::future::ready(if file.name == "liar" {
            Err(ChannelError::Invalid("it is larger".to_owned()))
        } else {
            Ok(vec![0; usize::try_from(file.bytes).unwrap()])
        })
    })
    .await;
    assert_eq!(
        codes(&fetched),
        [
            "too-large",
            "came",
            "invalid",
            "too-large",
            "came",
            "too-large"
        ]
    );
    assert_eq!(limits.into_inner(), [32 * MIB, 16 * MIB, 16 * MIB]);
}

#[tokio::test(start_paused = true)]
async fn time_is_bounded_for_all_of_them_together() {
    let files = [file("a", 1), file("b", 1), file("c", 1)];
    let began = Instant::now();
    let fetched = fetch(&files, &CancellationToken::new(), |_, _| async {
        tokio::time::sleep(Duration::from_secs(15)).await;
        Ok(vec![0])
    })
    .await;
    assert_eq!(codes(&fetched), ["came", "too-slow", "too-slow"]);
    assert_eq!(began.elapsed(), TIME);
}

#[tokio::test]
async fn a_host_that_stops_and_a_file_without_an_address_fetch_nothing() {
    let cancel = CancellationToken::new();
    let mut nowhere = file("a", 1);
    nowhere.url.clear();
    let asked = RefCell::new(Vec::new());
    let one = |file: Attachment, _| {
        asked.borrow_mut().push(file.name);
        std::future::ready(Ok(vec![0]))
    };
    let fetched = fetch(&[nowhere], &cancel, one).await;
    assert_eq!(codes(&fetched), ["no-address"]);
    assert!(asked.borrow().is_empty());
    cancel.cancel();
    let fetched = fetch(&[file("a", 1)], &cancel, |_, _| {
        std::future::pending::<Result<Vec<u8>, ChannelError>>()
    })
    .await;
    assert_eq!(codes(&fetched), ["host-stopped"]);
}

#[test]
fn each_mode_withholds_its_kinds_all_of_them_and_writes_none() {
    let files: [(&str, &[u8]); 5] = [
        ("a.png", PNG),
        ("b.txt", PNG),
        ("c.pdf", PDF),
        ("d.txt", b"hello"),
        ("e.png", b"<p>no picture"),
    ];
    for (mode, withheld) in [
        (InboundMedia::Model, [false; 5]),
        (
            InboundMedia::ImagesProtected,
            [true, true, false, false, true],
        ),
        (
            InboundMedia::VisualProtected,
            [true, true, true, false, true],
        ),
    ] {
        let workspace = tempfile::tempdir().unwrap();
        let sorted = sort(mode, &files, workspace.path());
        let is_withheld = |file: &ReceivedFile| matches!(file.content, Content::Withheld(_));
        assert_eq!(
            sorted.iter().map(is_withheld).collect::<Vec<_>>(),
            withheld,
            "{mode:?}"
        );
        for (file, withheld) in sorted.iter().zip(withheld) {
            assert_eq!(file.path.is_none(), withheld, "{mode:?} {}", file.name);
        }
        let written = std::fs::read_dir(workspace.path().join("inbox/100"))
            .unwrap()
            .count();
        assert_eq!(written, withheld.iter().filter(|is| !**is).count());
    }
}

#[test]
fn a_turn_that_cannot_read_files_leaves_none() {
    let workspace = tempfile::tempdir().unwrap();
    let sorted = Sorting {
        fetched: vec![(file("a.txt", 2), Ok(b"hi".to_vec()))],
        mode: InboundMedia::Model,
        workspace: workspace.path().to_owned(),
        folder: None,
        now: 0,
    }
    .run();
    assert_eq!(sorted[0].content, Content::Text("> hi".to_owned()));
    assert_eq!(sorted[0].path, None);
    assert_eq!(std::fs::read_dir(workspace.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_cannot_be_written_is_shown_all_the_same() {
    let workspace = tempfile::tempdir().unwrap();
    let gone = workspace.path().join("gone");
    let sorted = sort(InboundMedia::Model, &[("a.png", PNG)], &gone);
    let Content::Media(part) = &sorted[0].content else {
        panic!("{sorted:?}")
    };
    assert_eq!(
        (part.name.as_str(), part.media_type),
        ("a.png", "image/png")
    );
    assert_eq!(&*part.base64, STANDARD.encode(PNG));
    assert_eq!(sorted[0].path, None);
}

#[test]
fn texts_are_quoted_and_bounded_each_and_together() {
    let workspace = tempfile::tempdir().unwrap();
    let (line, half) = ("x".repeat(TEXT), "y".repeat(TEXTS / 2));
    let over = "z".repeat(TEXT + 1);
    let texts = |files: &[(&str, &[u8])]| -> Vec<usize> {
        sort(InboundMedia::Model, files, workspace.path())
            .iter()
            .map(|file| match &file.content {
                Content::Text(text) => text.len(),
                Content::Named { why, .. } => {
                    assert_eq!(*why, Some("text-too-long"));
                    0
                }
                other => panic!("{other:?}"),
            })
            .collect()
    };
    assert_eq!(
        texts(&[("a", line.as_bytes()), ("b", over.as_bytes()), ("c", b"hi")]),
        [TEXT + 2, 0, 4]
    );
    assert_eq!(
        texts(&[("a", half.as_bytes()), ("b", half.as_bytes()), ("c", b"hi")]),
        [TEXTS / 2 + 2, 0, 4]
    );
}

//! Files that go with a message (Discord, *Uploading Files*).

use ostler_agent::{ChannelError, PostFile};
use serde_json::{Value, json};

/// Discord, *Create Message*: attachments of one message.
const COUNT_LIMIT: usize = 10;
/// Bytes of all files of a message together: what Discord takes of one file in a server without
/// boosts, and so of the whole anywhere.
const BYTES_LIMIT: usize = 10 << 20;
/// Characters of a file's name.
const NAME_LIMIT: usize = 100;

/// Checks what Discord would refuse, or would change without a word.
pub(crate) fn check(files: &[PostFile]) -> Result<(), ChannelError> {
    let invalid = |text: String| Err(ChannelError::Invalid(text));
    if files.len() > COUNT_LIMIT {
        return invalid(format!(
            "the message has {} files; Discord takes at most {COUNT_LIMIT}",
            files.len()
        ));
    }
    if let Some(file) = files.iter().find(|file| !is_name(&file.name)) {
        return invalid(format!(
            "{:?} is no name of a file on Discord: 1 to {NAME_LIMIT} of the characters A-Z a-z 0-9 \
             . _ -",
            file.name
        ));
    }
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    if bytes > BYTES_LIMIT {
        return invalid(format!(
            "the files have {bytes} bytes together; a message takes at most {BYTES_LIMIT}"
        ));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    (1..=NAME_LIMIT).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// The `attachments` of the message's body: entry `n` speaks of the form's part `files[n]`.
pub(crate) fn attachments(files: &[PostFile]) -> Value {
    files
        .iter()
        .enumerate()
        .map(|(number, file)| json!({"id": number.to_string(), "filename": file.name}))
        .collect()
}

/// How components of the same message speak of a file.
pub(crate) fn address(file: &PostFile) -> String {
    format!("attachment://{}", file.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: usize) -> PostFile {
        PostFile {
            name: name.to_owned(),
            bytes: vec![0; bytes],
        }
    }

    #[test]
    fn names_are_those_that_discord_leaves_alone() {
        for name in ["a", "report-2.final_v3.txt", &"x".repeat(100)] {
            assert_eq!(check(&[file(name, 1)]), Ok(()), "{name:?}");
        }
        for name in [
            "",
            "a b",
            "a/b",
            "é.txt",
            "a\"b",
            "a\r\nb",
            &"x".repeat(101),
        ] {
            let error = check(&[file(name, 1)]).unwrap_err();
            assert_eq!(error.code(), "invalid", "{name:?}");
        }
    }

    #[test]
    fn ten_files_and_ten_mebibytes_are_the_most() {
        let ten: Vec<_> = (0..10).map(|n| file(&n.to_string(), 1 << 20)).collect();
        assert_eq!(check(&ten), Ok(()));
        let mut large = ten.clone();
        large[3].bytes.push(0);
        let error = check(&large).unwrap_err().to_string();
        assert!(error.contains("10485761 bytes"), "{error}");
        let many: Vec<_> = (0..11).map(|n| file(&n.to_string(), 1)).collect();
        assert!(check(&many).unwrap_err().to_string().contains("11 files"));
    }
}

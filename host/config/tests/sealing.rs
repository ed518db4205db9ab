//! Sealed values and the key that seals them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Barrier;

use ostler_config::{Home, Secret, SecretName, SecretsKey};
use tempfile::TempDir;

const VALUE: &str = "a token that nobody may see";

fn home() -> (TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::locate(Some(folder.path().join("home")), None).unwrap();
    home.create().unwrap();
    (folder, home)
}

fn name(text: &str) -> SecretName {
    text.parse().unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::new(text.as_bytes().to_vec()).unwrap()
}

#[test]
fn a_sealed_value_opens_in_its_place_and_does_not_show() {
    let (_folder, home) = home();
    let key = SecretsKey::open_or_create(&home).unwrap();
    let sealed = key.seal("main", &name("TOKEN"), &secret(VALUE)).unwrap();
    assert!(
        !sealed
            .windows(5)
            .any(|part| VALUE.as_bytes().windows(5).any(|v| v == part))
    );
    assert_eq!(sealed.len(), 1 + 24 + VALUE.len() + 16);
    // Opened by the next process too.
    let key = SecretsKey::open(&home).unwrap();
    assert_eq!(
        key.unseal("main", &name("TOKEN"), &sealed)
            .unwrap()
            .expose(),
        VALUE
    );
    let again = key.seal("main", &name("TOKEN"), &secret(VALUE)).unwrap();
    assert_ne!(again, sealed, "a nonce was used twice");
}

#[test]
fn it_opens_for_no_other_profile_name_or_key() {
    let (_folder, home_one) = home();
    let key = SecretsKey::open_or_create(&home_one).unwrap();
    let sealed = key.seal("main", &name("TOKEN"), &secret(VALUE)).unwrap();
    for (profile, other) in [("other", "TOKEN"), ("main", "TOKEN2"), ("mainTOKEN", "T")] {
        let error = key.unseal(profile, &name(other), &sealed).unwrap_err();
        assert_eq!(error.code(), "secret-damaged");
    }
    let (_other_folder, home_two) = home();
    let other = SecretsKey::open_or_create(&home_two).unwrap();
    let error = other.unseal("main", &name("TOKEN"), &sealed).unwrap_err();
    assert_eq!(error.code(), "secret-damaged");
    assert!(
        error.to_string().contains("ostler secrets set TOKEN"),
        "{error}"
    );
}

#[test]
fn a_value_with_any_bit_changed_or_cut_short_does_not_open() {
    let (_folder, home) = home();
    let key = SecretsKey::open_or_create(&home).unwrap();
    let sealed = key.seal("main", &name("TOKEN"), &secret(VALUE)).unwrap();
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let error = key.unseal("main", &name("TOKEN"), &changed).unwrap_err();
        assert_eq!(error.code(), "secret-damaged", "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert!(
            key.unseal("main", &name("TOKEN"), &sealed[..length])
                .is_err()
        );
    }
    let longer = [&sealed[..], b"\0"].concat();
    assert!(key.unseal("main", &name("TOKEN"), &longer).is_err());
}

#[test]
fn the_key_is_made_once_for_its_user_alone() {
    let (_folder, home) = home();
    let error = SecretsKey::open(&home).unwrap_err();
    assert_eq!(error.code(), "secrets-key-missing");
    let makers = 8;
    let barrier = Barrier::new(makers);
    let sealed: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..makers)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let key = SecretsKey::open_or_create(&home).unwrap();
                    key.seal("main", &name("TOKEN"), &secret(VALUE)).unwrap()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let key = SecretsKey::open(&home).unwrap();
    for sealed in sealed {
        key.unseal("main", &name("TOKEN"), &sealed).unwrap();
    }
    let file = SecretsKey::file(&home);
    let found = fs::metadata(&file).unwrap();
    assert_eq!((found.len(), found.mode() & 0o7777), (32, 0o600));
    assert_eq!(
        fs::read_dir(home.keys()).unwrap().count(),
        1,
        "something was left behind"
    );
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let (_folder, home) = home();
    SecretsKey::open_or_create(&home).unwrap();
    let file = SecretsKey::file(&home);
    for mode in [0o640, 0o604, 0o620, 0o666, 0o601] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        for opened in [SecretsKey::open(&home), SecretsKey::open_or_create(&home)] {
            let error = opened.unwrap_err();
            assert_eq!(error.code(), "secrets-key-exposed");
            assert!(
                error.to_string().contains(&format!("{mode:04o}")),
                "{error}"
            );
        }
    }
    fs::set_permissions(&file, Permissions::from_mode(0o400)).unwrap();
    SecretsKey::open(&home).unwrap();
}

#[test]
fn a_key_of_another_length_is_refused_and_left_as_it_is() {
    let (_folder, home) = home();
    let file = SecretsKey::file(&home);
    for bytes in [&[][..], &[7; 31], &[7; 33]] {
        fs::write(&file, bytes).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let error = SecretsKey::open_or_create(&home).unwrap_err();
        assert_eq!(error.code(), "secrets-key-unusable");
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let error = SecretsKey::open_or_create(&home).unwrap_err();
    assert_eq!(error.code(), "secrets-key-unusable");
}

#[test]
fn a_secret_is_1_to_8192_bytes_of_text_and_never_printed() {
    for good in ["a", " ", "é", "two\nlines", &"a".repeat(8_192)] {
        assert_eq!(secret(good).expose(), good);
    }
    assert_eq!(format!("{:?}", secret(VALUE)), "Secret(…)");
    for bad in [
        &b""[..],
        b"a\0b",
        b"\na",
        b"a\n",
        b"a\r",
        b"\xff",
        &[b'a'; 8_193],
    ] {
        let error = Secret::new(bad.to_vec()).unwrap_err();
        assert_eq!(error.code(), "secret-value-invalid");
    }
}

#[test]
fn a_secrets_name_is_capital_letters_digits_and_underscores() {
    for good in ["A", "DISCORD_TOKEN", "A1_", &"A".repeat(64)] {
        assert_eq!(name(good).as_str(), good);
    }
    for bad in [
        "",
        "a",
        "1A",
        "_A",
        "A-B",
        "A B",
        "É",
        "A\n",
        &"A".repeat(65),
    ] {
        let error = bad.parse::<SecretName>().unwrap_err();
        assert_eq!(error.code(), "secret-name-invalid", "{bad}");
    }
    // A token that was given for a name does not come back in the error.
    let error = "ghp_0123456789abcdef".parse::<SecretName>().unwrap_err();
    assert!(!error.to_string().contains("789abcdef"), "{error}");
}

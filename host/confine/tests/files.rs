//! What a box may read and write.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use common::{Place, run};
use ostler_confine::Ended;

#[tokio::test]
async fn it_writes_in_its_workspace_and_starts_where_it_is_told() {
    let place = Place::new();
    fs::create_dir(place.workspace.join("sub")).expect("a folder");
    let mut job = place.job("pwd; echo text > file; mkdir -p ../other; mv file ../other/");
    job.folder = "sub".into();
    let finished = run(job).await;
    assert_eq!(finished.ended, Ended::Exited(0), "{finished:?}");
    let sub = place.workspace.join("sub");
    assert_eq!(finished.stdout.text.trim(), sub.to_str().expect("text"));
    let written = place.workspace.join("other/file");
    assert_eq!(fs::read_to_string(&written).expect("the file"), "text\n");
    // umask 077.
    let mode = fs::metadata(written)
        .expect("its mode")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn its_own_folder_is_empty_at_first_and_gone_afterwards() {
    let place = Place::new();
    let mark = format!("ostler-mark-{}", std::process::id());
    let said = place
        .says(&format!(
            "ls $TMPDIR; ls -A $HOME; touch $TMPDIR/{mark} $HOME/{mark} /tmp/x /var/tmp/y; \
             mkdir -m 0 $TMPDIR/shut; echo $TMPDIR $HOME; ls /tmp"
        ))
        .await;
    let names = format!("home\n/tmp /tmp/home\nhome\n{mark}\nshut\nx\ny\n");
    assert_eq!(said, names);
    for entry in fs::read_dir(std::env::temp_dir())
        .expect("the folder")
        .flatten()
    {
        assert!(
            !entry.path().join("tmp").join(&mark).exists(),
            "{entry:?} is left"
        );
    }
}

/// Every change that it tries leaves things as they were, should a box let it through.
#[tokio::test]
async fn it_writes_nowhere_else() {
    let place = Place::new();
    let mark = format!("ostler-mark-{}", std::process::id());
    let said = place
        .says(&format!(
            "for folder in / /bin /dev /etc /home /lib /opt /proc /proc/self /proc/sys/kernel /root \
               /run /sbin /usr /usr/bin /usr/lib /usr/local /var /sys; do \
               (: > $folder/{mark}) 2>/dev/null && {{ echo \"wrote to $folder\"; rm $folder/{mark}; }}; \
             done; \
             for file in / /dev /dev/null /etc /etc/hostname /proc/self/oom_score_adj \
               /proc/sys/kernel/hostname /usr /usr/bin/env /usr/lib; do \
               [ -d $file ] || [ $file = /dev/null ] || (: >> $file) 2>/dev/null && \
                 [ -f $file ] && echo \"opened $file\"; \
               chmod $(stat -c %a $file) $file 2>/dev/null && echo \"changed $file\"; \
               touch -c -r $file $file 2>/dev/null && echo \"touched $file\"; \
             done; \
             ln /usr/bin/env ./env 2>/dev/null && echo linked; true"
        ))
        .await;
    assert_eq!(said, "");
}

#[tokio::test]
async fn it_reads_the_system() {
    let place = Place::new();
    let said = place
        .says(
            "ls /usr/bin/env /bin/sh /etc/hostname && cat /etc/hostname > /dev/null && \
             head -c 3 /dev/zero | wc -c && head -c 5 /dev/urandom | wc -c && echo x > /dev/null && \
             cat /proc/self/status > own && grep -c Name own && echo through > /dev/stderr && \
             echo words | cat /dev/stdin && cat /proc/meminfo > /dev/null && id -un > /dev/null",
        )
        .await;
    assert_eq!(
        said,
        "/bin/sh\n/etc/hostname\n/usr/bin/env\n3\n5\n1\nwords\n"
    );
    // A full disk is what the device says.
    let full = place.run("echo x > /dev/full").await;
    assert_ne!(full.ended, Ended::Exited(0));
}

#[tokio::test]
async fn homes_and_what_else_the_machine_has_are_not_there() {
    let place = Place::new();
    let said = place
        .says("ls -A /root /home /run /var /mnt /srv /sys /boot /media /work 2>/dev/null; true")
        .await;
    let shown: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, ["/home:", "/root:", "/run:", "/var:", "tmp"]);
    let top = place.says("ls /").await;
    let known = [
        "bin", "dev", "etc", "gnu", "home", "lib", "lib32", "lib64", "libx32", "nix", "opt",
        "proc", "root", "run", "sbin", "tmp", "usr", "var",
    ];
    for name in top.lines() {
        assert!(known.contains(&name), "{name} is in the root");
    }
}

#[tokio::test]
async fn what_lies_beside_the_workspace_cannot_be_reached() {
    let place = Place::new();
    let neighbour = place.outside().join("neighbour");
    fs::create_dir(&neighbour).expect("a folder");
    fs::write(neighbour.join("secret"), "canary").expect("a file");
    fs::set_permissions(&neighbour, fs::Permissions::from_mode(0o777)).expect("its mode");
    symlink(&neighbour, place.workspace.join("link")).expect("a link");
    symlink(neighbour.join("secret"), place.workspace.join("file")).expect("a link");
    let path = neighbour.display();
    let said = place
        .says(&format!(
            "ls {path} link ..; cat {path}/secret link/secret file ../neighbour/secret; \
             touch {path}/new link/new file; cat /proc/1/root{path}/secret; \
             ls /proc/1/root/root /proc/1/cwd/root; true"
        ))
        .await;
    assert!(
        !said.contains("canary") && !said.contains("secret"),
        "{said}"
    );
    let names: Vec<_> = fs::read_dir(&neighbour)
        .expect("the folder")
        .flatten()
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[tokio::test]
async fn hidden_paths_are_hidden_in_readable_folders() {
    let place = Place::new();
    assert_eq!(
        place
            .says("cat /etc/hostname >/dev/null; ls /usr/share | head -c 1 | wc -c")
            .await,
        "1\n"
    );
    let mut job = place.job(
        "cat /etc/hostname && echo read; ls -A /usr/share && echo listed; \
         cat /usr/share/../share/common-licenses/GPL-3 && echo read; \
         chmod $(stat -c %a /etc/hostname) /etc/hostname && echo changed; ls /usr/bin/env",
    );
    job.hidden = vec![
        "/etc/hostname".into(),
        "/usr/share".into(),
        "/usr/share/doc".into(),
        "/opt/is/not/there".into(),
        "/somewhere/else".into(),
    ];
    let finished = run(job).await;
    assert_eq!(finished.stdout.text, "/usr/bin/env\n", "{finished:?}");
}

#[tokio::test]
async fn hiding_the_system_itself_fails_closed() {
    let place = Place::new();
    let mut job = place.job("touch ran");
    job.hidden = vec!["/usr".into()];
    let error = common::confinement()
        .await
        .run(job, &tokio_util::sync::CancellationToken::new())
        .await
        .expect_err("no box shows the system and hides it");
    assert_eq!(error.code(), "confine-not-confined");
    assert!(
        error.to_string().contains("/usr is to be hidden"),
        "{error}"
    );
    assert!(!place.workspace.join("ran").exists());
}

#[tokio::test]
async fn what_is_not_everybodys_to_read_is_covered() {
    let place = Place::new();
    let shadow = Path::new("/etc/shadow");
    assert!(shadow.exists(), "this machine has no {}", shadow.display());
    let said = place
        .says(
            "cat /etc/shadow /etc/shadow- /etc/gshadow 2>/dev/null; \
             find /etc -type f ! -perm -004 -size +0 -print 2>/dev/null; true",
        )
        .await;
    assert_eq!(said, "");
    // Nor does it show the machine's users.
    let users = place.says("cut -d: -f1 /etc/passwd").await;
    assert_eq!(users.trim_end().lines().last(), Some("nobody"));
    assert!(users.lines().count() <= 3, "{users}");
}

#[test]
fn all_of_this_holds_for_an_ordinary_user() {
    common::again_as_an_ordinary_user();
}

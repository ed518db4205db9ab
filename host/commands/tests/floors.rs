//! What never runs, and what looks like it and does run.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod common;

use common::{floor, judged, judged_with};

const SYSTEM: &str = "destroys-system";
const HOME: &str = "destroys-home";

#[test]
fn floors_are_found() {
    let cases = [
        // The root, in all its spellings.
        ("rm -rf /", SYSTEM),
        ("rm -fr /", SYSTEM),
        ("rm -r -f /", SYSTEM),
        ("rm --recursive --force /", SYSTEM),
        ("rm --rec /", SYSTEM),
        ("rm -rf --no-preserve-root /", SYSTEM),
        ("rm -rf -- /", SYSTEM),
        ("rm / -rf", SYSTEM),
        ("rm -rf /.", SYSTEM),
        ("rm -rf -- /.", SYSTEM),
        ("rm -rf //", SYSTEM),
        ("rm -rf /*", SYSTEM),
        ("rm -rf /usr/..", SYSTEM),
        ("rm -rf /work/ws/../..", SYSTEM),
        ("rm -rf ../../..", SYSTEM),
        ("rm -rf /*/*", SYSTEM),
        ("rm -rf /tmp/../", SYSTEM),
        ("rm -rf ./build /", SYSTEM),
        ("rm -rf \"/\"", SYSTEM),
        ("rm -rf '/'*", SYSTEM),
        ("rm -rf /$nothing", SYSTEM),
        ("rm -rf \"/${nothing}\"/*", SYSTEM),
        ("rm -rf {/,/tmp/x}", SYSTEM),
        ("rm -rf /{usr,tmp/x}", SYSTEM),
        ("cd / && rm -rf *", SYSTEM),
        ("cd /; rm -rf .", SYSTEM),
        ("cd /usr && rm -rf ..", SYSTEM),
        ("rm -Rf /", SYSTEM),
        // System folders.
        ("rm -rf /usr", SYSTEM),
        ("rm -rf /etc/", SYSTEM),
        ("rm -rf /etc/*", SYSTEM),
        ("rm -rf /bin", SYSTEM),
        ("rm -rf /var", SYSTEM),
        ("rm -rf /boot/", SYSTEM),
        ("rm -rf /lib", SYSTEM),
        ("rm -rf /lib64", SYSTEM),
        ("rm -rf /sys /proc /dev", SYSTEM),
        ("rm -rf /usr/lib", SYSTEM),
        ("rm -rf /usr/local/bin", SYSTEM),
        ("rm -rf /var/lib/*", SYSTEM),
        ("rm -rf /e*", SYSTEM),
        ("rm -rf /???", SYSTEM),
        ("rm -rf /home", SYSTEM),
        ("rm -rf /home/*", SYSTEM),
        ("rm -rf /opt", SYSTEM),
        ("mv /usr /tmp/x", SYSTEM),
        ("mv /* /dev/null", SYSTEM),
        ("mv -t /tmp /etc", SYSTEM),
        ("chmod -R 000 /", SYSTEM),
        ("chmod -R 777 /usr", SYSTEM),
        ("chown -R nobody /etc", SYSTEM),
        ("rsync -a --delete empty/ /", SYSTEM),
        ("tar czf x.tgz --remove-files /etc", SYSTEM),
        // Homes.
        ("rm -rf ~", HOME),
        ("rm -rf ~/", HOME),
        ("rm -rf ~/*", HOME),
        ("rm -rf ~/.", HOME),
        ("rm -rf ~/x/..", HOME),
        ("rm -rf ~root", HOME),
        ("rm -rf $HOME", HOME),
        ("rm -rf \"$HOME\"", HOME),
        ("rm -rf ${HOME}/", HOME),
        ("rm -rf \"$HOME\"/*", HOME),
        ("rm -rf $HOME/.[!.]*", HOME),
        ("rm -rf /home/ana", HOME),
        ("rm -rf /home/ana/*", HOME),
        ("rm -rf /root", HOME),
        ("rm -rf /root/*", HOME),
        ("rm -rf /Users/ana", HOME),
        ("rm -rf {~,x}", HOME),
        ("rm -rf x{,y} {a,~}", HOME),
        ("rm -rf ~/..", SYSTEM),
        ("cd && rm -rf *", HOME),
        ("cd ~ ; rm -rf ./*", HOME),
        // By find.
        ("find / -delete", SYSTEM),
        ("find / -type f -delete", SYSTEM),
        ("find /etc -mindepth 1 -delete", SYSTEM),
        ("find / -name '*' -delete", SYSTEM),
        ("find / ! -name x -delete", SYSTEM),
        ("find ~ -delete", HOME),
        ("find / -exec rm -rf {} \\;", SYSTEM),
        ("find / -exec rm -rf {} +", SYSTEM),
        ("find / -print0 | xargs -0 rm -rf", SYSTEM),
        ("ls -d /* | xargs rm -rf", SYSTEM),
        ("cd / && find . -delete", SYSTEM),
        // Raw devices.
        ("dd if=/dev/zero of=/dev/sda", "raw-device"),
        ("dd of=/dev/nvme0n1 if=x bs=4M", "raw-device"),
        ("dd if=x of=/dev/mmcblk0p1", "raw-device"),
        ("echo x > /dev/nvme0n1", "raw-device"),
        ("cat x >/dev/sda", "raw-device"),
        ("cat x >> /dev/sdb1", "raw-device"),
        (": >| /dev/sda", "raw-device"),
        ("> /dev/sda", "raw-device"),
        ("cat x &> /dev/vda", "raw-device"),
        ("cat x 1<> /dev/vda", "raw-device"),
        ("{ echo x; } > /dev/sda", "raw-device"),
        ("cat x | tee /dev/sda", "raw-device"),
        ("cp image.iso /dev/disk/by-id/usb-x", "raw-device"),
        ("cp x /dev/mapper/vg-root", "raw-device"),
        ("shred /dev/sda", "raw-device"),
        ("dd of=/dev/../dev/sda", "raw-device"),
        ("dd of=/dev/sd*", "raw-device"),
        ("cat x > /dev/mem", "raw-device"),
        // File systems.
        ("mkfs.ext4 /dev/sda1", "file-system"),
        ("mkfs -t xfs /dev/sdb", "file-system"),
        ("mke2fs /dev/sda1", "file-system"),
        ("wipefs -a /dev/sda", "file-system"),
        ("blkdiscard /dev/nvme0n1", "file-system"),
        ("fdisk /dev/sda", "file-system"),
        ("parted /dev/sda mklabel gpt", "file-system"),
        ("parted -s /dev/sda rm 1", "file-system"),
        ("sgdisk -Z /dev/sda", "file-system"),
        ("sfdisk /dev/sda < layout", "file-system"),
        ("cryptsetup luksFormat /dev/sda1", "file-system"),
        ("mkswap /dev/sda2", "file-system"),
        // Fork bombs.
        (":(){ :|:& };:", "fork-bomb"),
        (":() { : | : & }; :", "fork-bomb"),
        ("bomb() { bomb | bomb & }; bomb", "fork-bomb"),
        ("function f { f & f & }; f", "fork-bomb"),
        ("a() { b & }; b() { a & a; }; a", "fork-bomb"),
        ("f() { while true; do f & done; }; f", "fork-bomb"),
        ("$0 | $0 &", "fork-bomb"),
        ("perl -e 'fork while fork'", "fork-bomb"),
        ("python3 -c 'import os\nwhile True: os.fork()'", "fork-bomb"),
        // Everything's end.
        ("kill -9 -1", "kills-everything"),
        ("kill -KILL -1", "kills-everything"),
        ("kill -s KILL -1", "kills-everything"),
        ("kill -- -1", "kills-everything"),
        ("kill -1 -1", "kills-everything"),
        ("echo -1 | xargs kill -9", "kills-everything"),
        ("killall5", "kills-everything"),
        ("killall5 -9", "kills-everything"),
        ("pkill -9 .", "kills-everything"),
        ("pkill ''", "kills-everything"),
        ("pkill -f '.*'", "kills-everything"),
        ("python3 -c 'import os; os.kill(-1, 9)'", "kills-everything"),
        // Shutting down.
        ("shutdown -h now", "shutdown"),
        ("shutdown", "shutdown"),
        ("reboot", "shutdown"),
        ("/sbin/reboot -f", "shutdown"),
        ("halt", "shutdown"),
        ("poweroff", "shutdown"),
        ("init 0", "shutdown"),
        ("telinit 6", "shutdown"),
        ("systemctl poweroff", "shutdown"),
        ("systemctl --force reboot", "shutdown"),
        ("systemctl halt", "shutdown"),
        ("systemctl isolate reboot.target", "shutdown"),
        ("echo b > /proc/sysrq-trigger", "shutdown"),
        ("ls && (sleep 1; reboot)", "shutdown"),
    ];
    let wrong: Vec<_> = cases
        .iter()
        .filter(|(command, code)| floor(command) != Some(code))
        .map(|(command, code)| (command, code, floor(command)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_only_looks_like_a_floor_is_none() {
    let cases = [
        "rm -rf ./build",
        "rm -rf build dist",
        "rm -rf /tmp/x",
        "rm -rf /tmp/*",
        "rm -rf *",
        "rm -rf .",
        "rm -rf ./*",
        "rm -rf ~/projects/x",
        "rm -rf \"$HOME/projects/x\"",
        "rm -rf /home/ana/projects",
        "rm -rf /var/tmp/build",
        "rm -rf /usr/local/share/mine",
        "rm -rf $BUILD/out",
        "rm -rf \"$BUILD\"",
        "rm /etc",
        "rm -f /etc/x",
        "rm -rf ../ws/build",
        "rm -rf 'a / b'",
        "rm -rf node_modules/*",
        "rm -rf /mnt/disk/x",
        "echo \"rm -rf /\"",
        "echo rm -rf /",
        "printf '%s\\n' 'rm -rf /'",
        "grep -r shutdown .",
        "grep 'rm -rf /' *.sh",
        "rg reboot",
        "git commit -m 'never rm -rf / again'",
        "git commit -m \"$(cat <<'EOF'\nrm -rf / is bad; it's (really)\nreboot\nEOF\n)\"",
        "cat > notes.txt <<'EOF'\nrm -rf /\nreboot\nEOF",
        "man shutdown",
        "which reboot",
        "# rm -rf /",
        "ls # ; rm -rf /",
        "echo 'a # b' && ls",
        "find . -delete",
        "find / -name '*.pyc' -delete",
        "find . -name x -exec rm -rf {} +",
        "find /tmp/x -delete",
        "find . | xargs rm",
        "dd if=/dev/zero of=./x bs=1M count=1",
        "dd if=/dev/sda of=disk.img",
        "dd if=x of=/dev/null",
        "echo x > /dev/null",
        "echo x > /dev/stderr",
        "echo x >&2",
        "cat /dev/sda",
        "cp /dev/sda disk.img",
        "tee /dev/tty",
        "fdisk -l",
        "fdisk -l /dev/sda",
        "sfdisk -d /dev/sda",
        "parted /dev/sda print",
        "wipefs /dev/sda",
        "mkfs.ext4 --help",
        "f() { f; }; f",
        "walk() { for d in *; do walk \"$d\"; done; }; walk",
        "f() { g & }; g() { ls; }; f",
        "kill -9 1234",
        "kill -1 1234",
        "kill -l",
        "pkill firefox",
        "pkill -f my.server",
        "shutdown -c",
        "shutdown --help",
        "systemctl status reboot.target",
        "init 3",
        "python3 -c \"print('rm -rf /')\"",
        "(cd /; ls); rm -rf *",
        "cd / | rm -rf *",
        "chmod -R u+w build",
        "chmod 755 /usr",
        "chown -R me ~/projects",
        "rsync -a src/ /mnt/backup/",
        "mv build /tmp/x",
        "mv x /home",
        "echo / | xargs ls",
        "alias ll='ls -l'; ll /",
        "x=/; echo rm -rf $x",
        "for f in a b; do rm -rf \"$f\"; done",
        "timeout 5 echo rm -rf /",
        "env echo reboot",
        "bash -c 'echo reboot'",
        "awk '{ print \"rm -rf /\" }' x",
    ];
    let wrong: Vec<_> = cases
        .iter()
        .filter_map(|command| judged(command).floor.map(|floor| (command, floor)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_relative_path_counts_from_the_folder() {
    for (folder, command, code) in [
        ("/", "rm -rf *", Some(SYSTEM)),
        ("/home/ana", "rm -rf .", Some(HOME)),
        ("/home/ana", "rm -rf *", Some(HOME)),
        ("/home/ana/x", "rm -rf ..", Some(HOME)),
        ("/home/ana/x", "rm -rf ../y", None),
        ("/usr/share", "rm -rf ../lib", Some(SYSTEM)),
        ("/work/ws", "rm -rf ..", None),
    ] {
        let found = judged_with(command, folder, &[], &[])
            .floor
            .map(|floor| floor.code);
        assert_eq!(found, code, "{command:?} in {folder:?}");
    }
}

#[test]
fn a_floor_is_a_sentence_and_no_floor_is_read_only() {
    let judged = judged("rm -rf /etc");
    let floor = judged.floor.expect("a floor");
    assert_eq!(
        floor.to_string(),
        "It deletes `/etc`, a system folder, with all that is in it."
    );
    assert!(judged.read_only.is_err());
    assert!(!judged.findings.is_empty());
}

#[test]
fn a_loops_and_a_functions_values_are_followed() {
    for (command, code) in [
        ("x=/; rm -rf $x", Some(SYSTEM)),
        ("x=/ y=$x; rm -rf \"$y\"", Some(SYSTEM)),
        ("x='-rf /'; rm $x", Some(SYSTEM)),
        ("x='-rf /'; rm \"$x\"", None),
        ("for d in a /etc b; do rm -rf $d; done", Some(SYSTEM)),
        ("wipe() { rm -rf \"$1\"; }; wipe /", Some(SYSTEM)),
        ("wipe() { rm -rf \"$@\"; }; wipe a /usr", Some(SYSTEM)),
        ("wipe() { rm -rf \"$1\"; }; wipe build", None),
        ("sh -c 'rm -rf \"$1\"' sh /", Some(SYSTEM)),
        ("set -- /; rm -rf \"$1\"", Some(SYSTEM)),
        ("rm -rf ${x:-/}", Some(SYSTEM)),
        ("rm -rf ${x:=~}", Some(HOME)),
        ("rm -rf $(echo /)", Some(SYSTEM)),
        ("rm -rf `printf /`", Some(SYSTEM)),
        ("$(echo rm) -rf /", Some(SYSTEM)),
        ("a=rm; $a -rf /", Some(SYSTEM)),
        ("x=/; false && x=build; rm -rf $x", Some(SYSTEM)),
        ("x=/; (x=build); rm -rf $x", Some(SYSTEM)),
        ("x=/; if false; then x=build; fi; rm -rf $x", Some(SYSTEM)),
        ("x=/; x=build | ls; rm -rf $x", Some(SYSTEM)),
        ("x=/; x=build; rm -rf $x", None),
        ("{ x=/; x=build; }; rm -rf $x", None),
        ("if false; then rm() { :; }; fi; rm -rf /", Some(SYSTEM)),
        ("alias rm=echo; rm -rf /", Some(SYSTEM)),
        ("HOME=/tmp/x; rm -rf $HOME", None),
        ("x=build; rm -rf \"$x\"", None),
        ("export d=/; rm -rf $d", Some(SYSTEM)),
        ("echo 'rm -rf /' > x.sh; sh x.sh", Some(SYSTEM)),
        ("cat > x.sh <<'E'\nrm -rf /\nE\nbash ./x.sh", Some(SYSTEM)),
        (
            "cat > x.sh <<'E'\nrm -rf /\nE\nchmod +x x.sh; ./x.sh",
            Some(SYSTEM),
        ),
    ] {
        assert_eq!(floor(command), code, "{command:?}");
    }
}

#[test]
fn denied_patterns_hold_for_every_form_of_a_command() {
    let deny = ["git push *", "*--force*", "curl*", "mount ?", "TERRAFORM *"];
    for (command, denied) in [
        ("git push origin", true),
        ("git  push   origin", true),
        ("GIT PUSH origin", true),
        ("g\"i\"t push origin", true),
        ("git 'push' origin", true),
        ("true && git push origin", true),
        ("sh -c 'git push origin'", true),
        ("sudo git push origin", true),
        ("env A=b git push origin", true),
        ("/usr/bin/git push origin", true),
        ("x=$(git push origin)", true),
        ("git push", false),
        ("git pull", false),
        ("npm i --force", true),
        ("curl", true),
        ("echo x | xargs curl", true),
        ("mount x", true),
        ("mount xy", false),
        ("terraform plan", true),
        ("echo git push origin", false),
        // Unreadable, and denied all the same.
        ("git push origin \"", true),
        ("(( git push origin", true),
    ] {
        let floor = judged_with(command, common::WORKSPACE, &deny, &[]).floor;
        assert_eq!(
            floor.map(|floor| floor.code),
            denied.then_some("denied"),
            "{command:?}"
        );
    }
}

#[test]
fn what_cannot_be_parsed_is_searched_for_floors_too() {
    for command in [
        "rm -rf / \"",
        "echo $(; rm -rf /",
        "if true; rm -rf /",
        "case x in; rm -rf /",
        "rm -rf ~ '",
        "{ reboot",
        "rm -rf / <<EOF\nnever ends",
    ] {
        let judged = judged(command);
        assert!(judged.floor.is_some(), "{command:?}");
        assert!(
            judged
                .findings
                .iter()
                .any(|finding| finding.category.as_str() == "unreadable"),
            "{command:?}"
        );
    }
    for command in ["echo \"reboot", "git commit -m 'rm -rf /", "ls ("] {
        assert_eq!(floor(command), None, "{command:?}");
    }
}

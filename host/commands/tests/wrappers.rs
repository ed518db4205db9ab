//! Nothing hides behind a program that runs another.

mod common;

use common::{categories, floor, judged};
use ostler_commands::Category;

/// Ways to run a command, `@` in its place. Each takes a command of plain words.
const WRAPPERS: [&str; 123] = [
    "@",
    "  @  ",
    "@;",
    "@ &",
    "ls; @",
    "ls && @",
    "ls || @",
    "ls\n@",
    "! @",
    "time @",
    "time -p @",
    "( @ )",
    "( ( @ ) )",
    "((@))",
    "{ @; }",
    "if @; then ls; fi",
    "if true; then @; fi",
    "if true; then ls; elif @; then ls; fi",
    "if true; then ls; else @; fi",
    "while true; do @; done",
    "until @; do ls; done",
    "for x in 1 2; do @; done",
    "for ((i=0; i<3; i++)); do @; done",
    "for ((i=0; i<3; i++)) { @; }",
    "select x in 1; do @; done",
    "case a in a) @;; esac",
    "case a in (a|b) @ ;; *) ls; esac",
    "f() { @; }",
    "function f { @; }",
    "function f() ( @ )",
    "f() { @; }; f",
    "coproc @",
    "coproc x { @; }",
    "echo $(@)",
    "echo \"$(@)\"",
    "echo \"a $(echo $(@)) b\"",
    "echo `@`",
    "echo \"`@`\"",
    "x=$(@)",
    "x=$(@) ls",
    "x=(a $(@))",
    "export x=$(@)",
    "echo $(( $(@) + 1 ))",
    "echo $[ $(@) ]",
    "(( x = $(@) ))",
    "echo ${x:-$(@)}",
    "echo \"${x:-$(@)}\"",
    "echo ${x#$(@)}",
    "echo {a,$(@)}",
    "[[ -n $(@) ]]",
    "cat <(@)",
    "ls > >(@)",
    "cat < <(@)",
    "cat <<EOF\n$(@)\nEOF",
    "cat <<-EOF\n\t$(@)\n\tEOF",
    "cat <<< $(@)",
    "ls > $(@)",
    "ls | @",
    "@ | cat",
    "ls |& @",
    "eval @",
    "eval '@'",
    "eval \"@\"",
    "command @",
    "command -p @",
    "builtin @",
    "exec @",
    "exec -a x @",
    "env @",
    "env A=b @",
    "env -i -u X @",
    "env -S '@'",
    "env -- @",
    "A=b @",
    "nohup @ &",
    "nice @",
    "nice -n 10 @",
    "nice -10 @",
    "ionice -c 3 @",
    "timeout 5 @",
    "timeout -s KILL -k 2 5s @",
    "timeout --signal=KILL 5 @",
    "stdbuf -oL @",
    "setsid @",
    "taskset -c 0 @",
    "chrt -f 10 @",
    "busybox @",
    "flock /tmp/l @",
    "flock /tmp/l -c '@'",
    "strace -f -o /tmp/x @",
    "unshare -r @",
    "sudo @",
    "sudo -u root @",
    "sudo -n -- @",
    "sudo A=b @",
    "sudo sh -c '@'",
    "doas @",
    "pkexec @",
    "run0 @",
    "su -c '@'",
    "su - root -c '@'",
    "sh -c '@'",
    "bash -c '@'",
    "bash -lc '@'",
    "bash -e -o pipefail -c '@'",
    "/bin/sh -c \"@\"",
    "sh -c 'sh -c \"@\"'",
    "bash <<< '@'",
    "bash <<EOF\n@\nEOF",
    "sh <<'EOF'\n@\nEOF",
    "echo '@' | sh",
    "printf '%s' '@' | bash",
    "cat <<'EOF' | bash -s\n@\nEOF",
    "bash <(echo '@')",
    "source <(echo '@')",
    "xargs @ < list",
    "ls | xargs -n 1 @",
    "find . -exec @ \\;",
    "find . -name x -execdir @ +",
    "watch -n 5 @",
    "parallel @ ::: a b",
    "ssh host @",
    "ssh -p 22 me@host '@'",
];

#[test]
fn every_wrapper_shows_what_it_runs() {
    let mut wrong = Vec::new();
    for wrapper in WRAPPERS {
        for (core, code) in [
            ("rm -rf /", "destroys-system"),
            ("reboot", "shutdown"),
            ("kill -9 -1", "kills-everything"),
            ("dd of=/dev/sda", "raw-device"),
        ] {
            // A host's name is no hole for a command.
            let command = wrapper
                .replace("me@host", "me#host")
                .replace('@', core)
                .replace("me#host", "me@host");
            if floor(&command) != Some(code) {
                wrong.push((command, code));
            }
        }
        let command = wrapper
            .replace("me@host", "host")
            .replace('@', "git push --force");
        let judged = judged(&command);
        if judged.floor.is_some()
            || judged.read_only.is_ok()
            || !categories(&command).contains(&Category::GitHistory)
        {
            wrong.push((command, "git-history"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_wrapper_of_something_harmless_is_no_floor() {
    for wrapper in WRAPPERS {
        let command = wrapper
            .replace("me@host", "host")
            .replace('@', "echo reboot");
        assert_eq!(floor(&command), None, "{command:?}");
    }
}

#[test]
fn quoting_hides_nothing() {
    for command in [
        "r''m -rf /",
        "r\"\"m -rf /",
        "\\rm -rf /",
        "\"rm\" -rf /",
        "'rm' '-rf' '/'",
        "r\\m -r\\f /",
        "$'rm' -rf /",
        "$'\\x72m' -rf /",
        "$'\\162\\155' -rf /",
        "$'\\u0072m' -rf /",
        "$\"rm\" -rf /",
        "rm${IFS}-rf${IFS}/",
        "rm$IFS-rf$IFS/",
        "/bin/rm -rf /",
        "/usr/bin/../bin/rm -rf /",
        "r$@m -rf /",
        "r$*m -rf /",
        "r${1}m -rf /",
        "r${x}m -rf /",
        "r$x'm' -rf /",
        "$x rm -rf /",
        "$(true) rm -rf /",
        "\"$@\" rm -rf /",
        "$* rm -rf /",
        "rm -rf /et${x}c",
        "rm -r$x /",
        "/b${x}in/rm -rf /",
        "{rm,-rf,/}",
        "rm -{r,f} /",
        "rm -rf $'/'",
        "rm -rf \\\n/",
        "r\\\nm -rf /",
        "/bin/r? -rf /",
        "/bin/r[m] -rf /",
        "rm\t-rf\t/",
        "rm -rf /;",
        "a=r b=m; $a$b -rf /",
        "alias x='rm -rf'; x /",
        "alias x=rm\nx -rf /",
        "$SHELL -c 'rm -rf /'",
        "if rm -rf /;then :;fi",
        "rm -rf /&",
        "(rm -rf /)",
        "2>/dev/null rm -rf /",
        "rm 2>&1 -rf / >x",
        "rm -rf / # really",
    ] {
        assert_eq!(floor(command), Some("destroys-system"), "{command:?}");
    }
}

#[test]
fn interpreters_code_is_searched() {
    for (command, code) in [
        (
            "python3 -c \"import os; os.system('rm -rf /')\"",
            "destroys-system",
        ),
        (
            "python -c 'import subprocess; subprocess.run([\"rm\", \"-rf\", \"/\"])'",
            "destroys-system",
        ),
        (
            "python3.12 -c 'import shutil; shutil.rmtree(\"/etc\")'",
            "destroys-system",
        ),
        (
            "python3 -c 'import shutil, os; shutil.rmtree(os.path.expanduser(\"~\"))'",
            "destroys-home",
        ),
        ("python3 -Ic 'import os; os.system(\"reboot\")'", "shutdown"),
        ("perl -e 'system(\"rm -rf /\")'", "destroys-system"),
        ("perl -e 'system \"rm\", \"-rf\", \"/\"'", "destroys-system"),
        ("perl -we 'exec q(x); `reboot`'", "shutdown"),
        ("perl -e 'qx(reboot -f)'", "shutdown"),
        ("ruby -e 'system(\"reboot\")'", "shutdown"),
        ("ruby -e '%x(rm -rf /)'", "destroys-system"),
        (
            "ruby -rfileutils -e 'FileUtils.rm_rf(\"/usr\")'",
            "destroys-system",
        ),
        (
            "node -e 'require(\"child_process\").execSync(\"rm -rf /\")'",
            "destroys-system",
        ),
        (
            "node --eval='require(\"fs\").rmSync(\"/home/ana\", {recursive: true})'",
            "destroys-home",
        ),
        ("php -r 'shell_exec(\"rm -rf /\");'", "destroys-system"),
        ("awk 'BEGIN { system(\"rm -rf /\") }'", "destroys-system"),
        ("awk -F: '{ print | \"reboot\" }' x", "shutdown"),
        ("lua -e 'os.execute(\"reboot\") os.system()'", "shutdown"),
        (
            "python3 - <<'E'\nimport os\nos.system('rm -rf /')\nE",
            "destroys-system",
        ),
        (
            "python3 <<'E'\nopen('/dev/sda', 'wb').write(b'x')\nE",
            "raw-device",
        ),
        (
            "echo 'import os; os.system(\"reboot\")' | python3",
            "shutdown",
        ),
        ("perl <<< 'system(\"reboot\")'", "shutdown"),
        (
            "osascript -e 'do shell script \"rm -rf /\"'",
            "destroys-system",
        ),
    ] {
        assert_eq!(floor(command), Some(code), "{command:?}");
    }
    // hermes_30882: code that a flag gives was once not looked at.
    for command in [
        "python3 -c 'import subprocess; subprocess.run(x)'",
        "node -p 'require(\"child_process\")'",
        "python3 -c \"$code\"",
    ] {
        assert!(
            categories(command).contains(&Category::Unreadable),
            "{command:?}"
        );
    }
    for command in [
        "python3 -c 'print(1 + 1)'",
        "perl -ne 'print if /x/' a.txt",
        "awk '{ print $1 }' a.txt",
        "node -e 'console.log(1)'",
        "jq '.a' x.json",
    ] {
        assert_eq!(categories(command), [], "{command:?}");
    }
}

#[test]
fn programs_that_run_a_flags_value_are_seen_through() {
    for (command, code) in [
        ("git -c alias.x='!rm -rf /' x", "destroys-system"),
        ("git -c core.pager='reboot' log", "shutdown"),
        ("git -c core.sshCommand='sh -c reboot' fetch", "shutdown"),
        ("git config alias.x '!reboot'", "shutdown"),
        ("git rebase -x 'rm -rf /' main", "destroys-system"),
        ("git bisect run rm -rf /", "destroys-system"),
        ("git submodule foreach 'rm -rf /'", "destroys-system"),
        ("git clone 'ext::rm -rf /'", "destroys-system"),
        ("tar xf a.tar --to-command='rm -rf /'", "destroys-system"),
        (
            "tar cf a --checkpoint=1 --checkpoint-action=exec='rm -rf /' x",
            "destroys-system",
        ),
        ("tar -I 'rm -rf /' -xf a", "destroys-system"),
        ("rsync -e 'rm -rf /' a b:c", "destroys-system"),
        ("sort --compress-program='rm -rf /' x", "destroys-system"),
        ("sed '1e rm -rf /' x", "destroys-system"),
        ("sed 's/x/reboot/e' x", "shutdown"),
        ("vim -c ':!reboot' x", "shutdown"),
        ("ssh -o ProxyCommand='rm -rf /' host", "destroys-system"),
        ("script -c 'rm -rf /' x", "destroys-system"),
        ("tmux new-session -d 'rm -rf /'", "destroys-system"),
        ("screen -dm reboot", "shutdown"),
        ("trap 'rm -rf /' EXIT", "destroys-system"),
        ("echo 'rm -rf /' | at now", "destroys-system"),
        ("GIT_SSH_COMMAND='rm -rf /' git fetch", "destroys-system"),
        ("PAGER=reboot man ls", "shutdown"),
        ("PROMPT_COMMAND='rm -rf /'", "destroys-system"),
        (
            "find / -exec sh -c 'rm -rf \"$1\"' _ {} \\;",
            "destroys-system",
        ),
        ("fd x -x rm -rf /", "destroys-system"),
        ("echo / | xargs -I% rm -rf %", "destroys-system"),
        ("printf '%s\\n' a / | xargs rm -rf", "destroys-system"),
        ("echo / | xargs -I {} sh -c 'rm -rf {}'", "destroys-system"),
        ("parallel rm -rf ::: a /", "destroys-system"),
        ("parallel 'rm -rf {}' ::: /", "destroys-system"),
        ("parallel ::: 'rm -rf /'", "destroys-system"),
        ("make SHELL='reboot'", "shutdown"),
        ("chroot /mnt rm -rf /", "destroys-system"),
        ("nsenter -t 1 -m reboot", "shutdown"),
        ("nsenter --unheard-of 3 reboot", "shutdown"),
    ] {
        assert_eq!(floor(command), Some(code), "{command:?}");
    }
}

#[test]
fn sudo_is_found_wherever_it_stands() {
    for command in [
        "sudo ls",
        "sudo -k",
        "ls; sudo ls",
        "ls | sudo tee x",
        "echo $(sudo cat x)",
        "sh -c 'sudo ls'",
        "env A=b sudo ls",
        "timeout 5 sudo ls",
        "nohup sudo ls &",
        "find . -exec sudo ls \\;",
        "ls | xargs sudo ls",
        "f() { sudo ls; }",
        "/usr/bin/sudo ls",
        "\\sudo ls",
        "s''udo ls",
        "doas ls",
        "pkexec ls",
        "su -c ls",
        "su",
        "run0 ls",
        "eval 'sudo ls'",
        "alias s=sudo; s ls",
        "x=sudo; $x ls",
        "ssh host sudo ls",
        "cat <<E | sh\nsudo ls\nE",
        "time sudo ls",
        "command sudo -u ana ls",
        "python3 -c 'import os; os.system(\"sudo ls\")'",
    ] {
        let judged = judged(command);
        assert!(judged.uses_sudo, "{command:?}");
        assert!(judged.read_only.is_err(), "{command:?}");
    }
    for command in [
        "echo sudo",
        "ls sudo",
        "grep sudo x",
        "echo 'sudo ls'",
        "man sudo",
        "which sudo",
        "# sudo ls",
    ] {
        assert!(!judged(command).uses_sudo, "{command:?}");
    }
}

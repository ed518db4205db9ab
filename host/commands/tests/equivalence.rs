//! Two texts that run the same, and the files that a command runs.

mod common;

use std::path::{Path, PathBuf};

use common::{judged, judged_with};

#[test]
fn the_same_commands_are_equivalent_however_they_are_written() {
    let groups: &[&[&str]] = &[
        &[
            "rm -rf build",
            "rm  -rf\tbuild",
            " rm -rf build ; ",
            "rm -rf 'build'",
            "r\"m\" -rf \"build\"",
            "\\rm -rf build",
            "rm -rf build # now",
            "rm \\\n -rf build",
            "sh -c 'rm -rf build'",
            "bash -lc \"rm -rf build\"",
            "sh -c \"sh -c 'rm -rf build'\"",
            "env rm -rf build",
            "env -i A=b rm -rf build",
            "A=b rm -rf build",
            "command rm -rf build",
            "nice -n 5 rm -rf build",
            "timeout 5 rm -rf build",
            "timeout --foreground 5 sh -c 'rm -rf build'",
            "nohup rm -rf build &",
            "exec rm -rf build",
            "eval rm -rf build",
            "eval 'rm -rf build'",
            "(rm -rf build)",
            "{ rm -rf build; }",
            "/bin/rm -rf build",
            "time rm -rf build",
            "rm -rf build &",
            "! rm -rf build",
            "$'rm' -rf build",
            "sh <<< 'rm -rf build'",
            "sh <<E\nrm -rf build\nE",
        ],
        &[
            "ls; rm x",
            "ls\nrm x",
            "ls && rm x",
            "ls || rm x",
            "ls | rm x",
            "(ls); rm x",
            "sh -c 'ls; rm x'",
        ],
        &["rm $x", "rm  $x", "sh -c 'rm $x'"],
        &[
            "echo x > y",
            "echo x >y",
            "echo 'x' > 'y'",
            "sh -c 'echo x > y'",
        ],
        &["x=1", "x='1'", "x=\"1\""],
    ];
    for group in groups {
        for pair in group.windows(2) {
            if let [one, other] = pair {
                assert_eq!(
                    judged(one).equivalence,
                    judged(other).equivalence,
                    "{one:?} and {other:?}"
                );
            }
        }
    }
}

#[test]
fn other_commands_are_not_equivalent() {
    let commands = [
        "rm -rf build",
        "rm -rf dist",
        "rm -rf build dist",
        "rm -rf dist build",
        "rm build -rf",
        "rm -fr build",
        "rm '-rf build'",
        "sudo rm -rf build",
        "ssh host rm -rf build",
        "ls; rm -rf build",
        "rm -rf build; ls",
        "rm -rf $x",
        "rm -rf $y",
        "rm -rf $(ls)",
        "rm -rf \"build dist\"",
        "echo rm -rf build",
        "rm -rf build > x",
        "rm -rf build > y",
        "rm -rf build >> x",
        "./rm -rf build",
        "rm -rf buil?",
        "cat <<E\na\nE",
        "cat <<E\nb\nE",
        "cat <<< a",
        "rm -rf \"",
        "rm -rf '",
        "ls",
        "",
        "x=1",
        "x=2",
    ];
    for (at, one) in commands.iter().enumerate() {
        for other in commands.iter().skip(at + 1) {
            assert_ne!(
                judged(one).equivalence,
                judged(other).equivalence,
                "{one:?} and {other:?}"
            );
        }
    }
}

#[test]
fn files_that_a_command_runs_are_named() {
    let ws = |names: &[&str]| -> Vec<PathBuf> {
        names
            .iter()
            .map(|name| Path::new("/work/ws").join(name))
            .collect()
    };
    for (command, files) in [
        ("sh x.sh", ws(&["x.sh"])),
        ("bash -eu ./x.sh a b", ws(&["x.sh"])),
        ("bash -o pipefail x.sh", ws(&["x.sh"])),
        ("./x", ws(&["x"])),
        ("bin/x --flag", ws(&["bin/x"])),
        ("../x", vec![PathBuf::from("/work/x")]),
        ("/work/ws/a/../x", ws(&["x"])),
        ("~/x.sh", vec![]),
        ("source x.sh", ws(&["x.sh"])),
        (". ./x.sh", ws(&["x.sh"])),
        ("bash < x.sh", ws(&["x.sh"])),
        ("bash -s < x.sh", ws(&["x.sh"])),
        ("python3 x.py", ws(&["x.py"])),
        ("python3 -W ignore x.py", ws(&["x.py"])),
        ("python3 < x.py", ws(&["x.py"])),
        ("python3 -m x", vec![]),
        ("python3 -c 1", vec![]),
        ("node --require y x.js", ws(&["x.js"])),
        ("perl x.pl", ws(&["x.pl"])),
        ("ruby -Ilib x.rb", ws(&["x.rb"])),
        ("php x.php", ws(&["x.php"])),
        ("awk -f x.awk y", ws(&["x.awk"])),
        ("sed -f x.sed y", ws(&["x.sed"])),
        ("deno run x.ts", ws(&["x.ts"])),
        ("psql -f x.sql", ws(&["x.sql"])),
        ("sqlite3 x.db < x.sql", ws(&["x.sql"])),
        ("make", ws(&["GNUmakefile", "makefile", "Makefile"])),
        ("make -f x.mk all", ws(&["x.mk"])),
        (
            "make -C sub",
            ws(&["sub/GNUmakefile", "sub/makefile", "sub/Makefile"]),
        ),
        ("npm run build", ws(&["package.json"])),
        ("npm test", ws(&["package.json"])),
        ("npm --prefix sub test", ws(&["sub/package.json"])),
        ("yarn build", ws(&["package.json"])),
        ("npm view x", vec![]),
        ("just x", ws(&["justfile", "Justfile", ".justfile"])),
        ("cargo run", ws(&["Cargo.toml", "build.rs"])),
        ("docker build .", ws(&["Dockerfile", "Containerfile"])),
        ("crontab x", ws(&["x"])),
        ("sudo ./x", ws(&["x"])),
        ("env A=b ./x", ws(&["x"])),
        ("timeout 5 bash x.sh", ws(&["x.sh"])),
        ("sh -c './x; sh y.sh'", ws(&["x", "y.sh"])),
        ("echo $(./x)", ws(&["x"])),
        ("find . -exec ./x {} \\;", ws(&["x"])),
        ("ls | xargs ./x", ws(&["x"])),
        ("cd sub && ./x", ws(&["sub/x"])),
        ("(cd sub && ./x); ./y", ws(&["sub/x", "y"])),
        ("sh x.sh; sh x.sh", ws(&["x.sh"])),
        ("x=y.sh; sh $x", ws(&["y.sh"])),
        ("BASH_ENV=x.sh bash -c ls", ws(&["x.sh"])),
        ("git bisect run ./x", ws(&["x"])),
        ("/usr/bin/python3 x.py", ws(&["x.py"])),
        ("/bin/ls", vec![]),
        ("ls x.sh", vec![]),
        ("cat x.sh", vec![]),
        ("echo ./x", vec![]),
    ] {
        assert_eq!(judged(command).scripts, files, "{command:?}");
    }
    let judged = judged_with("./x", "/work/ws/sub", &[], &[]);
    assert_eq!(judged.scripts, [PathBuf::from("/work/ws/sub/x")]);
}

#[test]
fn a_script_that_cannot_be_named_is_a_finding() {
    for command in [
        "sh $x",
        "./$x",
        "cd $x && sh y.sh",
        "sh ~/x.sh",
        "source \"$(ls)\"",
        "sh *.sh",
    ] {
        let judged = judged(command);
        assert!(
            judged.scripts.is_empty(),
            "{command:?} {:?}",
            judged.scripts
        );
        assert!(!judged.findings.is_empty(), "{command:?}");
    }
}

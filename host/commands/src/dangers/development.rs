//! Git, and files of build tools whose contents run.

use super::Command;
use crate::arguments::operands;
use crate::judgement::Category;
use crate::walk::{Around, Walk};
use crate::word::Word;

pub(super) fn check(walk: &mut Walk<'_>, command: &Command<'_>) {
    match command.program {
        "git" => git(walk, command),
        "hg" | "svn" | "jj" => {
            if command.has_any(&[
                "strip",
                "purge",
                "revert",
                "abandon",
                "rollback",
                "--clean",
                "obliterate",
            ]) {
                command.find(walk, Category::GitHistory, "It loses changes or commits.");
            }
        }
        "gh" | "glab" => {
            if command.has_any(&["delete", "merge", "close", "archive", "transfer", "edit"]) {
                command.find(
                    walk,
                    Category::GitHistory,
                    "It changes a repository for everybody.",
                );
            }
            if command.has_any(&["gist", "secret", "token", "ssh-key", "gpg-key", "auth"]) {
                command.find(
                    walk,
                    Category::Credentials,
                    "It deals with credentials or publishes text.",
                );
            }
        }
        "make" | "gmake" => {
            let folder = value(command, &["-C", "--directory"]);
            let named = value(command, &["-f", "--file", "--makefile"]);
            match named {
                Some(file) => file_in(walk, folder.as_ref(), &file),
                None => {
                    for name in ["GNUmakefile", "makefile", "Makefile"] {
                        file_in(walk, folder.as_ref(), &Word::plain(name));
                    }
                }
            }
        }
        "npm" | "yarn" | "pnpm" | "bun" => {
            let runs = [
                "run",
                "run-script",
                "test",
                "start",
                "exec",
                "install",
                "ci",
                "i",
                "build",
                "t",
                "rebuild",
                "restart",
                "dev",
                "lint",
                "prepare",
                "pack",
                "publish",
                "dlx",
                "x",
                "add",
            ];
            let folders = ["--prefix", "--cwd", "-C", "--dir"];
            let mut words = command.words.iter().map(Word::text).skip(1);
            let mut verb = "";
            while let Some(word) = words.next() {
                if folders.contains(&word) {
                    words.next();
                } else if !word.starts_with('-') {
                    verb = word;
                    break;
                }
            }
            // `yarn` alone installs; `yarn name` runs a script of that name.
            if runs.contains(&verb) || command.program == "yarn" {
                let folder = value(command, &folders);
                file_in(walk, folder.as_ref(), &Word::plain("package.json"));
            }
            if matches!(verb, "exec" | "dlx" | "x") {
                command.find(
                    walk,
                    Category::RemoteExecution,
                    "It may get a package from elsewhere and run it.",
                );
            }
        }
        "npx" | "bunx" | "pnpx" | "uvx" => {
            command.find(
                walk,
                Category::RemoteExecution,
                "It may get a package from elsewhere and run it.",
            );
        }
        "just" => files(walk, &["justfile", "Justfile", ".justfile"]),
        "task" => files(walk, &["Taskfile.yml", "Taskfile.yaml"]),
        "rake" => files(walk, &["Rakefile", "rakefile"]),
        "tox" => files(walk, &["tox.ini", "pyproject.toml"]),
        "nox" => files(walk, &["noxfile.py"]),
        "gradle" => files(walk, &["build.gradle", "build.gradle.kts"]),
        "ant" => files(walk, &["build.xml"]),
        "cargo" => {
            if matches!(
                command.verb(),
                "build"
                    | "b"
                    | "run"
                    | "r"
                    | "test"
                    | "t"
                    | "check"
                    | "c"
                    | "bench"
                    | "clippy"
                    | "install"
                    | "doc"
            ) {
                files(walk, &["Cargo.toml", "build.rs"]);
            }
        }
        "pip" | "pip3" => {
            if command.verb() == "install" && command.has(".") {
                files(walk, &["setup.py", "pyproject.toml"]);
            }
        }
        "docker" | "podman" | "buildah" if command.has_any(&["build", "compose", "buildx"]) => {
            match value(command, &["-f", "--file"]) {
                Some(file) => walk.runs_file(&file, &Around::default()),
                None if command.has("compose") => {
                    files(
                        walk,
                        &[
                            "compose.yaml",
                            "compose.yml",
                            "docker-compose.yml",
                            "docker-compose.yaml",
                        ],
                    );
                }
                None => files(walk, &["Dockerfile", "Containerfile"]),
            }
        }
        "docker-compose" => files(walk, &["compose.yaml", "docker-compose.yml"]),
        "ansible-playbook" | "deno" | "ts-node" | "tsx" | "Rscript" => {
            let file = operands(command.words)
                .find(|word| word.text().contains('.'))
                .cloned();
            if let Some(file) = file {
                walk.runs_file(&file, &Around::default());
            }
        }
        "sed" => {
            if let Some(file) = value(command, &["-f", "--file"]) {
                walk.runs_file(&file, &Around::default());
            }
        }
        _ => {}
    }
}

fn value(command: &Command<'_>, flags: &[&str]) -> Option<Word> {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.text();
        if flags.contains(&text) {
            return words.next().cloned();
        }
        if let Some((flag, value)) = text.split_once('=')
            && flags.contains(&flag)
        {
            return Some(Word::marked(value.to_owned(), word.computed));
        }
        // `-fpath`
        if let Some(value) = flags
            .iter()
            .filter(|flag| flag.len() == 2)
            .find_map(|flag| text.strip_prefix(flag))
        {
            return Some(Word::marked(value.to_owned(), word.computed));
        }
    }
    None
}

fn files(walk: &mut Walk<'_>, names: &[&str]) {
    for name in names {
        walk.runs_file(&Word::plain(name), &Around::default());
    }
}

fn file_in(walk: &mut Walk<'_>, folder: Option<&Word>, name: &Word) {
    let word = match folder {
        Some(folder) if !name.text().starts_with('/') => Word::marked(
            format!("{}/{}", folder.text(), name.text()),
            folder.computed,
        ),
        _ => name.clone(),
    };
    walk.runs_file(&word, &Around::default());
}

fn git(walk: &mut Walk<'_>, command: &Command<'_>) {
    // Flags of git itself stand before what it is to do.
    let mut words = command.words.iter().skip(1);
    let mut verb = "";
    while let Some(word) = words.next() {
        match word.text() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" => {
                words.next();
            }
            text if text.starts_with('-') => {}
            text => {
                verb = text;
                break;
            }
        }
    }
    let forces = command.short('f')
        || command
            .words
            .iter()
            .any(|word| word.text().starts_with("--force"));
    let loses = match verb {
        "push" => {
            forces
                || command.long("delete")
                || command.short('d')
                || command.long("mirror")
                || command.long("prune")
                || operands(command.words).any(|word| word.text().starts_with(['+', ':']))
        }
        "reset" => command.has_any(&["--hard", "--merge", "--keep"]),
        "clean" => !(command.short('n') || command.long("dry-run")),
        "checkout" => {
            forces || command.has_any(&["--", ".", "--ours", "--theirs", "-B", "--orphan"])
        }
        "switch" => forces || command.has_any(&["--discard-changes", "-C"]),
        "restore" => !command.has("--staged") || command.has("--worktree"),
        "rebase" => !command.has_any(&["--abort", "--quit"]),
        "filter-branch" | "filter-repo" | "replace" | "update-ref" | "symbolic-ref" | "prune"
        | "fast-import" | "bfg" => true,
        "branch" => {
            command.short('D')
                || command.short('d')
                || command.long("delete")
                || command.short('M')
                || forces
        }
        "tag" => command.short('d') || command.long("delete") || forces,
        "stash" => command.has_any(&["drop", "clear", "pop"]),
        "reflog" => command.has_any(&["expire", "delete"]),
        "gc" => {
            command
                .words
                .iter()
                .any(|word| word.text().starts_with("--prune"))
                || command.has("--aggressive")
        }
        "commit" => command.has("--amend"),
        "worktree" => command.has_any(&["remove", "prune"]),
        "rm" => forces || command.short('r'),
        "remote" => command.has_any(&["remove", "rm", "set-url", "prune"]),
        "submodule" => command.has("deinit"),
        _ => false,
    };
    if loses {
        command.find(
            walk,
            Category::GitHistory,
            "It loses commits or changes, or rewrites what others have.",
        );
    }
    if verb == "config"
        && command.has_any(&["--global", "--system"])
        && !command.has_any(&["--get", "--list", "-l", "get", "list"])
    {
        command.find(
            walk,
            Category::SystemConfiguration,
            "It changes git's settings for every repository.",
        );
    }
    if verb == "credential" {
        command.find(
            walk,
            Category::Credentials,
            "It asks for stored credentials.",
        );
    }
}

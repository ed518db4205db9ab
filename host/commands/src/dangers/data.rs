//! Databases and containers.

use super::Command;
use crate::judgement::Category;
use crate::walk::{Input, Walk};

pub(super) fn check(walk: &mut Walk<'_>, command: &Command<'_>, input: &Input) {
    match command.program {
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" | "clickhouse-client" | "cqlsh"
        | "duckdb" | "sqlcmd" | "mongosh" | "mongo" | "sqlplus" | "usql" | "pgcli" | "litecli"
        | "mycli" | "influx" => {
            sql(walk, &command.line);
            if let Input::Text(text) = input {
                let text = walk.source(text);
                sql(walk, &text);
            }
            let file = command
                .words
                .windows(2)
                .find(|pair| matches!(pair, [flag, _] if matches!(flag.text(), "-f" | "--file")))
                .and_then(|pair| pair.last())
                .cloned();
            if let Some(file) = file {
                walk.runs_file(&file, &crate::walk::Around::default());
            }
            if let Input::File(file) = input {
                walk.runs_file(&file.clone(), &crate::walk::Around::default());
            }
        }
        "dropdb" | "dropuser" => command.find(
            walk,
            Category::Databases,
            "It deletes a database or its user.",
        ),
        "mysqladmin" | "mongorestore" | "pg_restore" => {
            if command.has_any(&["drop", "--drop", "--clean", "-c", "shutdown"]) {
                command.find(walk, Category::Databases, "It deletes data of a database.");
            }
        }
        "redis-cli" | "valkey-cli" => {
            let line = command.line.to_lowercase();
            if [
                "flushall",
                "flushdb",
                "shutdown",
                "debug",
                " del ",
                "unlink",
                "config set",
            ]
            .iter()
            .any(|word| line.contains(word))
            {
                command.find(walk, Category::Databases, "It deletes data of a database.");
            }
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "buildah" => {
            containers(walk, command);
        }
        "kubectl" | "oc" | "helm" | "k9s" => {
            if command.has_any(&[
                "delete",
                "drain",
                "exec",
                "uninstall",
                "rollback",
                "apply",
                "replace",
                "scale",
                "cordon",
                "patch",
                "edit",
                "attach",
                "cp",
                "evict",
                "rollout",
            ]) {
                command.find(
                    walk,
                    Category::Containers,
                    "It changes what runs in a cluster.",
                );
            }
        }
        "terraform" | "tofu" | "pulumi" | "terragrunt" | "cdk" | "vagrant" => {
            if command.has_any(&[
                "destroy", "apply", "up", "import", "taint", "deploy", "-destroy",
            ]) {
                command.find(
                    walk,
                    Category::Containers,
                    "It changes machines or services that run.",
                );
            }
        }
        "aws" | "gcloud" | "az" | "doctl" | "flyctl" | "fly" | "heroku" | "vercel" | "netlify"
        | "wrangler" => {
            let deletes = command.words.iter().any(|word| {
                let text = word.text();
                [
                    "delete",
                    "terminate",
                    "destroy",
                    "remove",
                    "rm",
                    "rb",
                    "purge",
                    "stop",
                ]
                .iter()
                .any(|verb| text == *verb || text.starts_with(&format!("{verb}-")))
            });
            if deletes {
                command.find(
                    walk,
                    Category::Containers,
                    "It deletes or stops what runs in a cloud.",
                );
            }
            if command.has_any(&[
                "get-secret-value",
                "get-parameter",
                "print-access-token",
                "get-session-token",
                "secrets",
            ]) {
                command.find(
                    walk,
                    Category::Credentials,
                    "It gets credentials of a cloud.",
                );
            }
        }
        _ => {}
    }
}

fn containers(walk: &mut Walk<'_>, command: &Command<'_>) {
    if command.has_any(&[
        "rm", "rmi", "prune", "stop", "kill", "down", "restart", "pause", "remove",
    ]) {
        command.find(
            walk,
            Category::Containers,
            "It ends or removes containers, images or volumes.",
        );
    }
    let opens = command.words.iter().any(|word| {
        let text = word.text();
        matches!(
            text,
            "--privileged"
                | "--pid=host"
                | "--net=host"
                | "--network=host"
                | "--ipc=host"
                | "--userns=host"
        ) || text.contains("docker.sock")
            || text.starts_with("--cap-add")
            || text.starts_with("/:")
            || text.starts_with("--volume=/:")
            || text.starts_with("-v/:")
            || (text.contains("type=bind") && text.contains("source=/,"))
            || text.starts_with("--device")
    });
    if opens {
        command.find(
            walk,
            Category::Privilege,
            "It runs a container that can reach the machine itself.",
        );
    }
    if command.has("exec") {
        command.find(
            walk,
            Category::Containers,
            "It runs a program in a container.",
        );
    }
    if command
        .words
        .iter()
        .any(|word| matches!(word.text(), "-H" | "--host" | "--context"))
    {
        command.find(
            walk,
            Category::RemoteExecution,
            "It works on containers of another machine.",
        );
    }
    if command.verb() == "push" || command.verb() == "login" {
        command.find(
            walk,
            Category::Exfiltration,
            "It sends an image or a login elsewhere.",
        );
    }
}

/// Statements that delete data.
pub(crate) fn sql(walk: &mut Walk<'_>, text: &str) {
    let plain: String = text
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let drops = [
        "drop table",
        "drop database",
        "drop schema",
        "drop view",
        "drop index",
        "drop user",
        "drop role",
        "drop column",
        "truncate ",
        "dropdatabase(",
        ".drop(",
        "deletemany({})",
        "drop keyspace",
    ];
    let all_rows = plain.split("delete from ").skip(1).any(|rest| {
        !rest
            .split(';')
            .next()
            .unwrap_or_default()
            .contains(" where ")
    });
    if all_rows || drops.iter().any(|words| plain.contains(words)) {
        walk.find(Category::Databases, text, "It deletes data of a database.");
    }
}

//! What goes to other machines or comes from them.

use super::Command;
use crate::judgement::Category;
use crate::walk::{Input, Walk};

/// Addresses at which clouds hand out a machine's credentials.
const METADATA: [&str; 16] = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "metadata.google.internal",
    "metadata.goog",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "instance-data",
    "2852039166",
    "0xa9fea9fe",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:169.254.169.254]",
];

/// Looks for the addresses of metadata services anywhere in a text.
pub(crate) fn metadata(walk: &mut Walk<'_>, text: &str) {
    let end = text.floor_char_boundary(crate::bounds::LONGEST);
    let lower = text.get(..end).unwrap_or_default().to_lowercase();
    if let Some(address) = METADATA.iter().find(|address| lower.contains(*address)) {
        walk.find(
            Category::CloudMetadata,
            address,
            "It names a cloud's metadata service, which hands out credentials.",
        );
    }
    for device in ["/dev/tcp/", "/dev/udp/"] {
        if lower.contains(device) {
            walk.find(
                Category::RemoteExecution,
                device,
                "It opens a connection to another machine from the shell.",
            );
        }
    }
}

pub(super) fn check(walk: &mut Walk<'_>, command: &Command<'_>, input: &Input) {
    let piped = !matches!(input, Input::None);
    match command.program {
        "curl" => {
            let sends = command.words.iter().any(|word| {
                let text = word.text();
                let short = text.starts_with('-') && !text.starts_with("--");
                (short && text.contains(['d', 'F', 'T']))
                    || ["--data", "--form", "--upload-file", "--json", "--url-query"]
                        .iter()
                        .any(|flag| text.starts_with(flag))
                    || matches!(
                        text,
                        "POST"
                            | "PUT"
                            | "PATCH"
                            | "DELETE"
                            | "-XPOST"
                            | "-XPUT"
                            | "-XDELETE"
                            | "-XPATCH"
                    )
            });
            sends_out(walk, command, sends);
        }
        "wget" => {
            let sends = command.words.iter().any(|word| {
                ["--post", "--body", "--method"]
                    .iter()
                    .any(|flag| word.text().starts_with(flag))
            });
            sends_out(walk, command, sends);
        }
        "http" | "https" | "xh" | "xhs" | "httpie" => {
            sends_out(walk, command, command.words.len() > 2);
        }
        "nc" | "ncat" | "netcat" | "socat" | "telnet" => {
            let runs = command.words.iter().any(|word| {
                let text = word.text();
                matches!(text, "-e" | "-c" | "--exec" | "--sh-exec" | "-le" | "-lvpe")
                    || ["exec:", "system:", "exec,"]
                        .iter()
                        .any(|start| text.to_lowercase().starts_with(start))
            });
            if runs || command.short('l') || command.long("listen") {
                command.find(
                    walk,
                    Category::RemoteExecution,
                    "It lets another machine in.",
                );
            }
            // A look whether a port is open sends nothing.
            if !command.short('z') {
                command.find(
                    walk,
                    Category::Exfiltration,
                    "It sends what it is given to another machine.",
                );
            }
        }
        "scp" | "sftp" | "rsync" | "rclone" | "ftp" | "lftp" | "tftp" | "smbclient" | "croc"
        | "wormhole" | "magic-wormhole" => {
            let remote = command.program != "rsync" && command.program != "scp"
                || crate::arguments::operands(command.words).any(|word| {
                    // `host:path`, and not a path with a colon in it.
                    word.text()
                        .split_once(':')
                        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
                        || word.text().starts_with("rsync://")
                });
            if remote {
                command.find(
                    walk,
                    Category::Exfiltration,
                    "It copies files to or from another machine.",
                );
            }
        }
        "aws" | "gsutil" | "s3cmd" | "az" | "gcloud" | "mc" | "b2" => {
            if command.has_any(&[
                "cp",
                "sync",
                "mv",
                "put",
                "upload",
                "put-object",
                "upload-batch",
                "rsync",
            ]) {
                command.find(
                    walk,
                    Category::Exfiltration,
                    "It copies files to or from a cloud.",
                );
            }
        }
        "mail" | "mailx" | "sendmail" | "mutt" | "msmtp" | "swaks" | "ssmtp" => {
            command.find(walk, Category::Exfiltration, "It sends mail.");
        }
        "dig" | "nslookup" | "host" | "ping" | "drill" => {
            if command.words.iter().any(crate::word::Word::has_unknown)
                || (piped && command.program == "dig" && command.short('f'))
            {
                command.find(
                    walk,
                    Category::Exfiltration,
                    "It asks for a name that is worked out, which can carry text out.",
                );
            }
        }
        "ngrok" | "cloudflared" | "localtunnel" | "lt" | "bore" | "tailscale" | "frpc" => {
            command.find(
                walk,
                Category::RemoteExecution,
                "It lets other machines in.",
            );
        }
        "pass" | "gopass" | "op" | "bw" | "vault" | "security" | "secret-tool" | "keyctl"
        | "ssh-add" | "ssh-keygen" | "ssh-copy-id" | "kwallet-query" | "lpass" | "gpg" | "gpg2"
        | "age" | "sops" => {
            command.find(
                walk,
                Category::Credentials,
                "It deals with keys or credentials.",
            );
        }
        "ansible" | "pdsh" | "pssh" | "salt" | "fab" | "winrs" | "psexec" => {
            command.find(
                walk,
                Category::RemoteExecution,
                "It runs commands on other machines.",
            );
        }
        _ => {}
    }
}

fn sends_out(walk: &mut Walk<'_>, command: &Command<'_>, sends: bool) {
    let computed = command.words.iter().any(crate::word::Word::has_unknown);
    if sends {
        command.find(
            walk,
            Category::Exfiltration,
            "It sends text or files to another machine.",
        );
    } else if computed {
        command.find(
            walk,
            Category::Exfiltration,
            "Its address is worked out when it runs, which can carry text out.",
        );
    }
    if command
        .words
        .iter()
        .any(|word| word.text() == "-K" || word.text() == "--config")
    {
        command.find(
            walk,
            Category::Unreadable,
            "It takes its options from a file.",
        );
    }
}

//! How findings, reviews and differences read in a terminal.

use std::fmt::Write as _;

use ostler_registry::Review;
use ostler_scanner::access::Part;
use ostler_scanner::{Diagnostic, Evidence, MemberUse, Scan, Severity};

use crate::terminal::{styles, visible};

/// One finding: what, where, what to do.
pub(crate) fn diagnostic(finding: &Diagnostic) -> String {
    let style = match finding.severity {
        Severity::Error => styles::ERROR,
        Severity::Warning => styles::WARNING,
        Severity::Note => styles::NOTE,
    };
    let mut text = format!(
        "{style}{}[{}]{style:#}: {}\n",
        finding.severity.as_str(),
        finding.code.as_str(),
        visible(&finding.message)
    );
    let file = finding.file.as_deref().map(visible);
    let place = match (finding.line, finding.column, finding.offset) {
        (Some(line), Some(column), _) => {
            Some(format!("{}:{line}:{column}", file.unwrap_or_default()))
        }
        (_, _, Some(offset)) => Some(format!(
            "{} at byte {offset} (0x{offset:x})",
            file.unwrap_or_default()
        )),
        _ => file,
    };
    if let Some(place) = place {
        let _ = writeln!(
            text,
            "  {dim}-->{dim:#} {}",
            place.trim(),
            dim = styles::FAINT
        );
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(
            text,
            "  {dim}help:{dim:#} {}",
            visible(help),
            dim = styles::HELP
        );
    }
    text
}

/// A list of parts with their ids, as they are accepted.
pub(crate) fn parts(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let _ = writeln!(
            text,
            "  {title}{}{title:#}\n      {}",
            visible(&part.id),
            wrap(&visible(&part.sentence), 6),
            title = styles::TITLE
        );
    }
    text
}

/// What a scan found.
pub(crate) fn scan(name: &str, bytes: usize, scan: &Scan) -> String {
    let mut text = String::new();
    for finding in &scan.diagnostics {
        text += &diagnostic(finding);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "{title}{}{title:#}  component, {}, {}\n{dim}{}{dim:#}",
        visible(name),
        size(bytes),
        scan.wit,
        scan.digest,
        title = styles::TITLE,
        dim = styles::FAINT,
    );
    heading(&mut text, "It offers");
    if scan.capabilities.is_empty() {
        text += &bullet("nothing that the host knows");
    }
    for capability in &scan.capabilities {
        text += &bullet(&capability.to_string());
    }
    for hook in &scan.hooks {
        let sentence = ostler_scanner::members::hook_sentence(hook).unwrap_or_default();
        text += &bullet(&format!("the hook {hook}: {sentence}"));
    }
    heading(&mut text, "It can");
    text += &reach(scan);
    if scan.needs_egress {
        text += &bullet("reach the hosts that the manifest's `egress` names, and no other");
        text += &evidence(
            scan.members
                .iter()
                .filter(|used| used.member.path == "fetch"),
        );
    }
    let free: Vec<_> = scan.members.iter().filter(|used| is_free(used)).collect();
    if !free.is_empty() {
        heading(&mut text, "It also calls, without a permission");
        text += &evidence(free.into_iter());
    }
    text
}

/// Whether a member needs neither a permission nor a host.
fn is_free(used: &MemberUse) -> bool {
    used.member.permissions.is_empty() && used.member.path != "fetch"
}

/// Permissions in plain language, each with its members and the places that show them.
fn reach(scan: &Scan) -> String {
    let mut text = String::new();
    for permission in &scan.permissions {
        text += &bullet(permission.sentence());
        let _ = writeln!(
            text,
            "      {title}{permission}{title:#}",
            title = styles::TITLE
        );
        let uses = scan
            .members
            .iter()
            .filter(|used| used.member.permissions.contains(permission));
        text += &evidence(uses);
    }
    for permission in &scan.declared_permissions {
        text += &bullet(permission.sentence());
        let _ = writeln!(
            text,
            "      {title}{permission}{title:#}, declared by the author; the code does not show it",
            title = styles::TITLE
        );
    }
    if text.is_empty() && !scan.needs_egress {
        text += &bullet("reach nothing that needs a permission");
    }
    text
}

fn evidence<'a>(uses: impl Iterator<Item = &'a MemberUse>) -> String {
    let mut text = String::new();
    for used in uses {
        for evidence in &used.evidence {
            match evidence {
                Evidence::Import {
                    interface,
                    function,
                    ..
                } => {
                    let _ = writeln!(
                        text,
                        "      {} {dim}imports {}#{}{dim:#}",
                        used.member.path,
                        visible(interface),
                        visible(function),
                        dim = styles::FAINT
                    );
                }
            }
        }
    }
    text
}

/// What an installer reads before the question.
pub(crate) fn review(review: &Review) -> String {
    let manifest = &review.manifest;
    let mut text = format!(
        "{title}{} {}{title:#}\n{}\n",
        manifest.name,
        manifest.version,
        visible(&manifest.description),
        title = styles::TITLE,
    );
    heading(&mut text, "It offers");
    for tool in &review.tools {
        let description = visible(&tool.description);
        let first_line = description.lines().next().unwrap_or_default().to_owned();
        text += &bullet(&format!("the tool {}: {first_line}", visible(&tool.name)));
    }
    for hook in &review.scan.hooks {
        text += &bullet(&format!("the hook {hook}"));
    }
    if review
        .scan
        .capabilities
        .contains(&ostler_scanner::members::Capability::Lifecycle)
    {
        text += &bullet("code that runs when it is installed, updated and uninstalled");
    }
    heading(&mut text, "It can");
    text += &reach(&review.scan);
    for part in review
        .access
        .parts()
        .iter()
        .filter(|part| !is_shown_elsewhere(part))
    {
        text += &bullet(&visible(&part.sentence));
        let id = visible(&part.id);
        let _ = writeln!(text, "      {title}{id}{title:#}", title = styles::TITLE);
    }
    if let Some(version) = &review.installed_version {
        let _ = writeln!(text, "\nVersion {} is installed.", visible(version));
        if review.asks.is_empty() {
            text += "What was accepted for it covers all of this.\n";
        } else {
            heading(&mut text, "New, and not accepted yet");
            text += &parts(&review.asks);
        }
    }
    let _ = writeln!(
        text,
        "\n{dim}signed by {}\ncomponent {}\naccess    {}{dim:#}",
        review.publisher,
        review.scan.digest,
        review.access_digest,
        dim = styles::FAINT,
    );
    text
}

/// The author's own words, set off by a bar, so that none of it passes for the review's.
pub(crate) fn readme(markdown: &str) -> String {
    let mut text = String::new();
    heading(&mut text, "The author says");
    let bar = format!("  {dim}|{dim:#} ", dim = styles::FAINT);
    for line in visible(markdown).lines() {
        let wrapped = wrap(line, 0).replace('\n', &format!("\n{bar}"));
        let _ = writeln!(text, "{bar}{wrapped}");
    }
    text
}

/// Permissions are shown with their evidence, the publisher beside the digests.
fn is_shown_elsewhere(part: &Part) -> bool {
    part.id.parse::<ostler_scanner::Permission>().is_ok() || part.id.starts_with("publisher:")
}

/// The column at which sentences are broken.
const WIDTH: usize = 90;

/// A sentence as an entry of a list, broken between words.
fn bullet(sentence: &str) -> String {
    format!("  \u{2022} {}\n", wrap(sentence, 4))
}

/// Text broken between words, with every line but the first indented.
fn wrap(text: &str, indent: usize) -> String {
    let mut wrapped = String::new();
    let mut column = indent;
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > indent && column + 1 + width > WIDTH {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > indent {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += width;
    }
    wrapped
}

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n{style}{title}{style:#}", style = styles::TITLE);
}

/// `18.7 KiB`
pub(crate) fn size(bytes: usize) -> String {
    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let kib = bytes as f64 / 1024.0;
    if kib < 1024.0 {
        format!("{kib:.1} KiB")
    } else {
        format!("{:.1} MiB", kib / 1024.0)
    }
}

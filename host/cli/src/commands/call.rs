//! `ostler call`

use std::io::IsTerminal as _;

use ostler_runtime::{ExportCall, ExportResult, Invoked, Outcome};
use serde::Serialize;

use crate::args::{Format, Global};
use crate::commands::{package_ref, profile, registry};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, visible, visible_line};

pub(crate) async fn run(
    global: &Global,
    package: &str,
    tool: String,
    arguments: String,
) -> Result<Exit, Failure> {
    if !serde_json::from_str::<serde_json::Value>(&arguments).is_ok_and(|value| value.is_object()) {
        return Err(Failure::new(
            Exit::Usage,
            "arguments-invalid",
            "`--args` is no JSON object",
        )
        .with_help("for example: --args '{\"title\": \"Milk\"}'"));
    }
    let registry = registry(global)?;
    let profile = profile(global)?;
    let name = package_ref(package)?.name;
    let installed = registry.load(&profile, &name)?;
    let tools = &installed.tools;
    if !tools.iter().any(|known| known.name == tool) {
        let known: Vec<_> = tools.iter().map(|known| known.name.as_str()).collect();
        let message = format!("{name} has no tool `{tool}`");
        let failure = Failure::new(Exit::Usage, "tool-unknown", message);
        return Err(if known.is_empty() {
            failure
        } else {
            failure.with_help(format!("it has: {}", known.join(", ")))
        });
    }
    let label = format!("{name} {}", installed.version);
    let export = format!("tools.call {tool}");
    let call = ExportCall::CallTool {
        name: tool,
        arguments,
    };
    let invoked = registry
        .runtime()
        .invoke(&installed.plugin, call, installed.tool_context())
        .await;
    finish(global, &label, &export, invoked)
}

fn finish(global: &Global, label: &str, export: &str, invoked: Invoked) -> Result<Exit, Failure> {
    if !global.quiet {
        for line in &invoked.log {
            anstream::eprintln!("[{}] {}", line.level.as_str(), visible_line(&line.message));
        }
    }
    if global.verbose {
        anstream::eprintln!(
            "{} in {:.1} ms, {} host calls, {} KiB of memory",
            invoked.outcome.name(),
            invoked.usage.wall_clock.as_secs_f64() * 1_000.0,
            invoked.usage.host_calls,
            invoked.usage.memory_bytes >> 10,
        );
    }
    let failed = |code, what: String| {
        Err(Failure::new(
            Exit::NotFine,
            code,
            format!("{label}, {export}: {what}"),
        ))
    };
    match invoked.outcome {
        Outcome::Returned(ExportResult::Answer(Ok(answer))) => {
            print_answer(global, &answer);
            Ok(Exit::Done)
        }
        Outcome::Returned(ExportResult::Answer(Err(error))) => {
            Err(Failure::new(Exit::NotFine, &error.code, error.message))
        }
        Outcome::Returned(_) => failed("bad-output", "it gave no answer".to_owned()),
        Outcome::Trap(trap) => {
            for (depth, frame) in trap.backtrace.iter().enumerate() {
                anstream::eprintln!("  {depth}: {}", visible(frame));
            }
            failed("trap", trap.message)
        }
        Outcome::Limit(hit) => failed("limit", hit.to_string()),
        Outcome::BadOutput(what) => failed("bad-output", what),
        Outcome::HostError(fault) => failed("host-error", fault.to_string()),
    }
}

fn print_answer(global: &Global, answer: &str) {
    #[derive(Serialize)]
    struct Document<'a> {
        answer: &'a str,
    }
    match global.format {
        Format::Json => terminal::print_json(&Document { answer }),
        // A pipe gets what the tool said, byte for byte; a terminal gets what it can show.
        Format::Text if std::io::stdout().is_terminal() => {
            terminal::print(&format!("{}\n", visible(answer)));
        }
        Format::Text => {
            use std::io::Write as _;
            // A closed pipe is the reader's choice.
            let _ = writeln!(std::io::stdout(), "{answer}");
        }
    }
}

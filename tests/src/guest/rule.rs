//! A plugin with a rule before tool calls: the hook `pre-tool-call`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{REALLOC, component_exporting};
use crate::host::Host;

/// What the rule of [`rule`] says of a call, or does instead of saying anything. Nothing is
/// checked here: a text may break the bounds of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleVerdict<'a> {
    /// The call goes on.
    Allow,
    /// It does not, for this reason.
    Block(&'a str),
    /// It does not, and the reason is the arguments that the rule was shown.
    BlockWithArguments,
    /// A person is asked.
    Ask {
        /// Why.
        message: &'a str,
        /// The rule's name.
        rule: &'a str,
        /// Whether the reviewer looks first.
        review: bool,
    },
    /// The call goes on with these arguments.
    Change(&'a str),
    /// The hook gives this error.
    Error(&'a str),
    /// The hook executes `unreachable`, in a function `breaks`.
    Trap,
    /// The hook runs until it is stopped.
    Spin,
}

/// Where the hook's answer stands: a `result<call-verdict, string>` of 28 bytes.
const ANSWER: usize = 64;
/// Where the answer `ok(allow)` stands.
const ALLOW: usize = 96;
/// Where texts begin.
const TEXTS: usize = 128;

// Where two fields of a `pending-call` stand, by the canonical ABI: the turn's context takes 144
// bytes, and each of `id`, `tool`, `family` and `args-json` 8, an address and a length.
const TOOL: usize = 152;
const ARGUMENTS: usize = 168;

/// A plugin whose hook `pre-tool-call` gives `verdict` for each call of the tool `tool`, and
/// allows every other. It exports nothing else and imports nothing.
#[must_use]
pub fn rule(tool: &str, verdict: RuleVerdict<'_>) -> Vec<u8> {
    let mut texts = Texts::default();
    let watched = texts.add(tool);
    // The case of the result; the case of the verdict; what the verdict holds.
    let answer = match verdict {
        RuleVerdict::Allow | RuleVerdict::Trap | RuleVerdict::Spin => vec![0, 0],
        RuleVerdict::Block(reason) => [vec![0, 1], texts.add(reason)].concat(),
        RuleVerdict::BlockWithArguments => vec![0, 1],
        RuleVerdict::Ask {
            message,
            rule,
            review,
        } => [
            vec![0, 2],
            texts.add(message),
            texts.add(rule),
            vec![usize::from(review)],
        ]
        .concat(),
        RuleVerdict::Change(arguments) => [vec![0, 3], texts.add(arguments)].concat(),
        RuleVerdict::Error(message) => [vec![1], texts.add(message)].concat(),
    };
    let body = match verdict {
        RuleVerdict::Trap => "(call $breaks)".to_owned(),
        RuleVerdict::Spin => "(loop $on (br $on)) unreachable".to_owned(),
        RuleVerdict::BlockWithArguments => format!(
            "(i64.store (i32.const {reason}) (i64.load offset={ARGUMENTS} (local.get $pending)))
             (i32.const {ANSWER})",
            reason = ANSWER + 8,
        ),
        RuleVerdict::Block(_)
        | RuleVerdict::Ask { .. }
        | RuleVerdict::Change(_)
        | RuleVerdict::Error(_) => format!("(i32.const {ANSWER})"),
        RuleVerdict::Allow => format!("(i32.const {ALLOW})"),
    };
    let heap = (TEXTS + texts.bytes.len()).next_multiple_of(8);
    let pages = heap / 65_536 + 1;
    component_exporting(
        "hook-pre-tool-call",
        &format!(
            r#"(module
                (memory (export "memory") {pages})
                (global $next (mut i32) (i32.const {heap}))
                {REALLOC}
                (func $breaks (result i32) unreachable)
                (func $is_watched (param $name i32) (param $length i32) (result i32)
                    (if (i32.ne (local.get $length) (i32.const {length}))
                        (then (return (i32.const 0))))
                    (loop $on
                        (if (i32.eqz (local.get $length)) (then (return (i32.const 1))))
                        (local.set $length (i32.sub (local.get $length) (i32.const 1)))
                        (br_if $on (i32.eq
                            (i32.load8_u (i32.add (local.get $name) (local.get $length)))
                            (i32.load8_u (i32.add (i32.const {place}) (local.get $length))))))
                    (i32.const 0))
                (func $handle (export "ostler:host/hook-pre-tool-call@0.1.0#handle")
                    (param $pending i32) (result i32)
                    (if (i32.eqz (call $is_watched
                            (i32.load offset={TOOL} (local.get $pending))
                            (i32.load offset={tool_length} (local.get $pending))))
                        (then (return (i32.const {ALLOW}))))
                    {body})
                (data (i32.const {ANSWER}) "{answer}")
                (data (i32.const {TEXTS}) "{texts}"))"#,
            place = watched[0],
            length = watched[1],
            tool_length = TOOL + 4,
            answer = escaped(&words(&answer)),
            texts = escaped(&texts.bytes),
        ),
    )
}

/// Writes a package with a plugin of [`rule`] into a new folder of `parent`, and gives that
/// folder. `more` stands in the manifest before `[build]`, such as
/// `fail_closed = ["pre-tool-call"]`.
///
/// # Panics
/// If the files cannot be written.
#[must_use]
pub fn package_with_rule(
    parent: &Path,
    name: &str,
    version: &str,
    component: &[u8],
    more: &str,
) -> PathBuf {
    let folder = parent.join(format!("{name}-{version}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let manifest = format!(
        "name = \"{name}\"\nversion = \"{version}\"\ndescription = \"A rule.\"\n\
         license = \"MIT\"\ncapabilities = [\"middleware\"]\n{more}\n[build]\n\
         component = \"plugin.wasm\"\n"
    );
    std::fs::write(folder.join("ostler.toml"), manifest).expect("a manifest");
    std::fs::write(folder.join("plugin.wasm"), component).expect("a component");
    folder
}

impl Host {
    /// Publishes a plugin of [`rule`] as version 0.1.0 of `name`, and installs it with all that it
    /// asks for. `more` is as in [`package_with_rule`].
    ///
    /// # Panics
    /// If the host refuses either.
    pub fn install_rule(&self, name: &str, component: &[u8], more: &str) {
        let folder = package_with_rule(self.outside(), name, "0.1.0", component, more)
            .display()
            .to_string();
        let published = self
            .run(&["publish", &folder, "--format", "json"])
            .ended(0)
            .json();
        let access = published["access_digest"].as_str().expect("a digest");
        self.run(&["install", name, "--access-digest", access])
            .ended(0);
    }
}

/// Texts one after another in a guest's memory.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
}

impl Texts {
    /// Adds a text; its address and its length.
    fn add(&mut self, text: &str) -> Vec<usize> {
        let place = TEXTS + self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        vec![place, text.len()]
    }
}

/// Numbers as the guest's memory has them.
fn words(numbers: &[usize]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| {
            u32::try_from(*number)
                .expect("a guest's memory has 32 bits")
                .to_le_bytes()
        })
        .collect()
}

/// Bytes as a string of the text format.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "\\{byte:02x}");
        text
    })
}

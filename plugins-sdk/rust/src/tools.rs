//! Tools: what a plugin offers to the assistant.

use serde::de::DeserializeOwned;

use crate::bindings::imports::ostler::host::types::HostError;
use crate::bindings::tools::exports::ostler::host::tools;

pub use tools::ToolError;

/// A tool. Implement it on a type of its own, and name that type in
/// [`export_tools!`](crate::export_tools).
pub trait Tool {
    /// The name, unique in the plugin: `[a-zA-Z][a-zA-Z0-9_]{0,63}`.
    const NAME: &'static str;

    /// What it does and when to use it, for the model: 1 to 1,024 characters.
    const DESCRIPTION: &'static str;

    /// The JSON schema of its arguments, as text: an object, at most 16 KiB. The host checks
    /// arguments against it before it calls.
    const INPUT_SCHEMA: &'static str;

    /// The arguments. Derive `serde::Deserialize` and follow the schema, with
    /// `#[serde(deny_unknown_fields)]` where the schema has `"additionalProperties": false`.
    type Args: DeserializeOwned;

    /// Runs the tool and gives the text that the model reads, at most 4 MiB.
    ///
    /// # Errors
    ///
    /// What went wrong, for the model to read. A [`HostError`] becomes one by `?`. Arguments that do
    /// not fit [`Tool::Args`] never come here: the model is told `invalid`, and which field.
    fn call(args: Self::Args) -> Result<String, ToolError>;
}

impl ToolError {
    /// An error with a short name of your own, `[a-z][a-z0-9-]{0,63}`, and a message of at most
    /// 4,000 characters that says what went wrong and what could be tried.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Keeps the name that the WIT package gives the code, and the host's message.
impl From<HostError> for ToolError {
    fn from(error: HostError) -> Self {
        Self::new(error.code.name(), error.message)
    }
}

/// Exports the plugin's tools, one or more types that implement [`Tool`]. Invoke it once, at the
/// root of the crate.
///
/// A name that is malformed or used twice, and a description or a schema that is empty or too long,
/// are errors when the plugin is compiled.
#[macro_export]
macro_rules! export_tools {
    ($($tool:ty),+ $(,)?) => {
        #[allow(unsafe_code, reason = "the exports of the canonical ABI")]
        const _: () = {
            use $crate::__private::tools_bindings;
            use $crate::__private::tools_bindings::exports::ostler::host::tools;

            const _: () = $crate::__private::assert_tools(&[$((
                <$tool as $crate::Tool>::NAME,
                <$tool as $crate::Tool>::DESCRIPTION,
                <$tool as $crate::Tool>::INPUT_SCHEMA,
            )),+]);

            struct Exports;

            impl tools::Guest for Exports {
                fn list() -> ::std::vec::Vec<tools::Tool> {
                    ::std::vec![$($crate::__private::describe::<$tool>()),+]
                }

                fn call(
                    name: ::std::string::String,
                    args_json: ::std::string::String,
                ) -> ::std::result::Result<::std::string::String, $crate::ToolError> {
                    $(if name == <$tool as $crate::Tool>::NAME {
                        return $crate::__private::run::<$tool>(&args_json);
                    })+
                    ::std::result::Result::Err($crate::__private::unknown(&name))
                }
            }

            tools_bindings::export_tools_bindings!(Exports with_types_in tools_bindings);
        };
    };
}

/// Stops the compilation when the host would refuse the tools, given as name, description and
/// schema.
pub const fn assert_tools(tools: &[(&str, &str, &str)]) {
    assert!(tools.len() <= 64, "a plugin offers at most 64 tools");
    let mut index = 0;
    while index < tools.len() {
        let (name, description, schema) = tools[index];
        assert!(
            is_tool_name(name.as_bytes()),
            "a tool's NAME is a letter and up to 63 letters, digits or `_`"
        );
        let length = characters(description.as_bytes());
        assert!(
            1 <= length && length <= 1024,
            "a tool's DESCRIPTION has 1 to 1,024 characters"
        );
        assert!(
            !schema.is_empty() && schema.len() <= 16 * 1024,
            "a tool's INPUT_SCHEMA has 1 byte to 16 KiB"
        );
        let mut other = 0;
        while other < index {
            assert!(
                !same(name.as_bytes(), tools[other].0.as_bytes()),
                "two tools have the same NAME"
            );
            other += 1;
        }
        index += 1;
    }
}

const fn is_tool_name(name: &[u8]) -> bool {
    if name.is_empty() || name.len() > 64 || !name[0].is_ascii_alphabetic() {
        return false;
    }
    let mut index = 1;
    while index < name.len() {
        if !name[index].is_ascii_alphanumeric() && name[index] != b'_' {
            return false;
        }
        index += 1;
    }
    true
}

const fn characters(utf8: &[u8]) -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < utf8.len() {
        // Every byte but a continuation byte begins a character.
        if utf8[index] & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        index += 1;
    }
    count
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// The tool as the catalogue lists it.
#[must_use]
pub fn describe<T: Tool>() -> tools::Tool {
    tools::Tool {
        name: T::NAME.to_owned(),
        description: T::DESCRIPTION.to_owned(),
        input_schema: T::INPUT_SCHEMA.to_owned(),
    }
}

/// Reads the arguments and runs the tool.
///
/// # Errors
///
/// `invalid`, naming the field, when the arguments do not fit; else what the tool answers.
pub fn run<T: Tool>(args_json: &str) -> Result<String, ToolError> {
    let mut json = serde_json::Deserializer::from_str(args_json);
    let args = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| ToolError::new("invalid", format!("arguments: {error}")))?;
    json.end()
        .map_err(|error| ToolError::new("invalid", format!("arguments: {error}")))?;
    T::call(args)
}

/// The answer to a name that no tool has.
#[must_use]
pub fn unknown(name: &str) -> ToolError {
    ToolError::new("not-found", format!("this plugin has no tool `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::types::ErrorCode;

    struct Echo;

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Args {
        text: String,
        #[serde(default)]
        lines: Vec<u8>,
    }

    impl Tool for Echo {
        const NAME: &'static str = "echo";
        const DESCRIPTION: &'static str = "Gives the text back.";
        const INPUT_SCHEMA: &'static str = r#"{"type":"object"}"#;
        type Args = Args;

        fn call(args: Args) -> Result<String, ToolError> {
            Ok(format!("{}{}", args.text, args.lines.len()))
        }
    }

    fn refusal(args_json: &str) -> String {
        let error = run::<Echo>(args_json).expect_err("these arguments do not fit");
        assert_eq!(error.code, "invalid");
        error.message
    }

    #[test]
    fn arguments_that_fit_reach_the_tool() {
        let answer = run::<Echo>(r#"{"text":"a","lines":[1,2]}"#);
        assert_eq!(answer.expect("they fit"), "a2");
    }

    #[test]
    fn arguments_that_do_not_fit_are_invalid_and_the_field_is_named() {
        assert!(refusal(r#"{"text":3}"#).contains("text: invalid type: integer"));
        assert!(refusal(r#"{"text":"a","lines":[1,"b"]}"#).contains("lines[1]: invalid type"));
        assert!(refusal(r"{}").contains("missing field `text`"));
        assert!(refusal(r#"{"text":"a","more":1}"#).contains("more"));
        assert!(refusal(r#"{"text":"a"} true"#).contains("trailing characters"));
        assert!(refusal("").contains("EOF"));
    }

    #[test]
    fn a_host_error_keeps_its_code() {
        let error = ToolError::from(HostError {
            code: ErrorCode::KeyMissing,
            message: "The profile does not hold the key.".to_owned(),
            permission: None,
        });
        assert_eq!(error.code, "key-missing");
        assert_eq!(error.message, "The profile does not hold the key.");
    }

    #[test]
    fn tool_names_follow_the_wit() {
        for name in ["a", "hand_off", "Z9_", &"a".repeat(64)] {
            assert!(is_tool_name(name.as_bytes()), "{name}");
        }
        for name in ["", "_a", "9a", "a-b", "a b", "ä", &"a".repeat(65)] {
            assert!(!is_tool_name(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        assert_eq!(characters("aä€𝄞".as_bytes()), 4);
    }

    #[test]
    #[should_panic(expected = "same NAME")]
    fn two_tools_of_one_name_are_refused() {
        assert_tools(&[("a", "A.", "{}"), ("b", "B.", "{}"), ("a", "C.", "{}")]);
    }
}

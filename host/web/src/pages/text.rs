//! Foreign text on a page. HTML's own characters are escaped by the templates; what a reader cannot
//! see is written out here.

/// A text with its invisible and deceiving characters written out as `⟨U+202E⟩`, as they are on
/// cards. Backticks mean nothing in HTML and stay; since the opening bracket of the notation is
/// itself written out, nothing that was there passes for it.
pub(super) fn shown(text: &str) -> String {
    ostler_agent::in_code(text).replace("⟨U+0060⟩", "`")
}

/// The same on one line.
pub(super) fn line(text: &str) -> String {
    shown(text).replace(['\n', '\t'], " ")
}

/// A clause as a sentence begins.
pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_written_out_and_the_rest_stays() {
        assert_eq!(shown("a `b`\n\tc <d> & \"e\""), "a `b`\n\tc <d> & \"e\"");
        assert_eq!(
            shown("rm \u{202e}x\u{200b}\u{1b}[0m"),
            "rm ⟨U+202E⟩x⟨U+200B⟩⟨U+001B⟩[0m"
        );
        assert_eq!(shown("⟨U+0060⟩"), "⟨U+27E8⟩U+0060⟩");
        assert_eq!(line("a\nb\tc"), "a b c");
        assert_eq!(sentence("approved once"), "Approved once");
        assert_eq!(sentence(""), "");
    }
}

//! A note, and how it is written down.

use ostler_plugin::ToolError;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub title: String,
    pub text: String,
}

impl Note {
    pub fn new(title: &str, text: String) -> Result<Self, ToolError> {
        Ok(Self {
            title: self::title(title)?.to_owned(),
            text,
        })
    }

    pub fn read(json: &str) -> Result<Self, ToolError> {
        serde_json::from_str(json)
            .map_err(|error| ToolError::new("damaged", format!("The note cannot be read: {error}")))
    }
}

/// A title without the blanks around it, so that two that look alike are one.
pub fn title(text: &str) -> Result<&str, ToolError> {
    let title = text.trim();
    if title.is_empty() || title.contains(char::is_control) {
        return Err(ToolError::new(
            "invalid",
            "title: a title is one line that is not blank",
        ));
    }
    Ok(title)
}

pub fn json(value: &impl Serialize) -> Result<String, ToolError> {
    serde_json::to_string(value).map_err(|error| ToolError::new("internal", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let note = Note::new(" Milk ", "two bottles\n".to_owned()).expect("a good title");
        assert_eq!(note.title, "Milk");
        let read = Note::read(&json(&note).expect("written")).expect("read");
        assert_eq!(read, note);
    }

    #[test]
    fn a_title_is_one_line_that_is_not_blank() {
        for text in ["", "  ", "two\nlines", "a\u{7}bell"] {
            assert_eq!(
                title(text).expect_err("refused").code,
                "invalid",
                "{text:?}"
            );
        }
    }
}

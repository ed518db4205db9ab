//! The one codec for what stands in a component's `custom_id`, whatever kind of card it is on.
//!
//! `ostler1:<kind>:<id>:<what>`: a version, the card's class, the 128 random bits that name the
//! ask, and what was pressed. At most 51 of the 100 characters that Discord takes (Discord,
//! *Component Reference*, `custom_id`). Nothing in it is believed: it names a row, and the row
//! and the click's own payload decide.

use ostler_store::{ApprovalClass, ApprovalId};

/// The version, in front: ids of other versions are nobody's.
const VERSION: &str = "ostler1";
/// Options that a question may have (Discord, *String Select*, `options`).
pub(crate) const OPTIONS: usize = 25;

/// What was pressed on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// *Approve once*.
    Approve,
    /// *Deny*: a form for the reason opens, which decides nothing yet.
    Deny,
    /// The form of *Deny* was submitted.
    DenySubmitted,
    /// One of a question's options, from 0.
    Option(u8),
    /// An entry of a question's list; which one stands in the click's values.
    List,
    /// A question's *Other…*: a form for the answer opens.
    Other,
    /// That form was submitted.
    OtherSubmitted,
}

/// A component's id, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ComponentId {
    pub(crate) class: ApprovalClass,
    pub(crate) id: ApprovalId,
    pub(crate) pressed: Pressed,
}

impl ComponentId {
    /// As it stands in `custom_id`.
    pub(crate) fn encode(self) -> String {
        let class = match self.class {
            ApprovalClass::Host => 'h',
            ApprovalClass::Tool => 't',
            ApprovalClass::Clarify => 'c',
            ApprovalClass::Platform => 'p',
        };
        let pressed = match self.pressed {
            Pressed::Approve => "approve".to_owned(),
            Pressed::Deny => "deny".to_owned(),
            Pressed::DenySubmitted => "denied".to_owned(),
            Pressed::Option(number) => number.to_string(),
            Pressed::List => "list".to_owned(),
            Pressed::Other => "other".to_owned(),
            Pressed::OtherSubmitted => "told".to_owned(),
        };
        format!("{VERSION}:{class}:{}:{pressed}", self.id)
    }

    /// Reads one; none for whatever this codec did not write.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (version, class, id, pressed) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if version != VERSION || parts.next().is_some() {
            return None;
        }
        let class = match class {
            "h" => ApprovalClass::Host,
            "t" => ApprovalClass::Tool,
            "c" => ApprovalClass::Clarify,
            "p" => ApprovalClass::Platform,
            _ => return None,
        };
        let asks = class == ApprovalClass::Clarify;
        let pressed = match pressed {
            "approve" if !asks => Pressed::Approve,
            "deny" if !asks => Pressed::Deny,
            "denied" if !asks => Pressed::DenySubmitted,
            "list" if asks => Pressed::List,
            "other" if asks => Pressed::Other,
            "told" if asks => Pressed::OtherSubmitted,
            number if asks => {
                let option: u8 = number.parse().ok()?;
                // One spelling for each: `07` and `+7` are nobody's.
                if usize::from(option) >= OPTIONS || option.to_string() != number {
                    return None;
                }
                Pressed::Option(option)
            }
            _ => return None,
        };
        Some(Self {
            class,
            id: id.parse().ok()?,
            pressed,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "tests")]

    use super::*;

    fn every() -> Vec<ComponentId> {
        let id: ApprovalId = "00112233445566778899aabbccddeeff".parse().expect("an id");
        let consent = [Pressed::Approve, Pressed::Deny, Pressed::DenySubmitted];
        let question = [
            Pressed::Option(0),
            Pressed::Option(24),
            Pressed::List,
            Pressed::Other,
            Pressed::OtherSubmitted,
        ];
        let mut all = Vec::new();
        for class in [
            ApprovalClass::Host,
            ApprovalClass::Tool,
            ApprovalClass::Platform,
        ] {
            all.extend(consent.map(|pressed| ComponentId { class, id, pressed }));
        }
        all.extend(question.map(|pressed| ComponentId {
            class: ApprovalClass::Clarify,
            id,
            pressed,
        }));
        all
    }

    #[test]
    fn what_is_written_reads_back_and_is_short() {
        for id in every() {
            let text = id.encode();
            assert!(text.len() <= 100, "{text}");
            assert_eq!(ComponentId::decode(&text), Some(id), "{text}");
        }
    }

    #[test]
    fn openclaw_137142_no_card_is_drawn_with_an_id_that_the_codec_refuses() {
        let drawn: std::collections::BTreeSet<String> =
            every().into_iter().map(ComponentId::encode).collect();
        assert_eq!(drawn.len(), every().len());
    }

    #[test]
    fn whatever_was_not_written_here_is_nobodys() {
        let id = "00112233445566778899aabbccddeeff";
        for text in [
            "".to_owned(),
            "approve".to_owned(),
            format!("ostler1:h:{id}"),
            format!("ostler1:h:{id}:approve:x"),
            format!("ostler2:h:{id}:approve"),
            format!("ostler1:x:{id}:approve"),
            format!("ostler1:h:{id}:always"),
            format!("ostler1:h:{id}:session"),
            format!("ostler1:h:{id}:0"),
            format!("ostler1:c:{id}:approve"),
            format!("ostler1:c:{id}:25"),
            format!("ostler1:c:{id}:07"),
            format!("ostler1:c:{id}:+7"),
            format!("ostler1:c:{id}:-1"),
            format!("ostler1:h:{}:approve", &id[..31]),
            format!("ostler1:h:{}:approve", id.to_uppercase()),
            format!("ostler1:h:{id}é:approve"),
        ] {
            assert_eq!(ComponentId::decode(&text), None, "{text}");
        }
    }
}

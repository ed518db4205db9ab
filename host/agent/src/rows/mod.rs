//! The kinds of row that are served, one file each.
//!
//! Reading is exhaustive: a kind that is not here pauses its session.

mod native_text;

pub(crate) use native_text::NativeText;

/// What a row says, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowContent {
    /// A person's message.
    NativeText(NativeText),
}

/// Why a row cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnreadableRow {
    /// Nothing here serves the kind.
    #[error("rows of the kind {0:?} are not known to this version of the host")]
    Kind(String),
    /// The payload is not one of its kind.
    #[error("the row's payload is not one of its kind: {0}")]
    Payload(String),
}

/// Reads a row's descriptor.
pub(crate) fn read(descriptor: &ostler_store::Descriptor) -> Result<RowContent, UnreadableRow> {
    match descriptor.kind.as_str() {
        NativeText::KIND => serde_json::from_str(&descriptor.payload)
            .map(RowContent::NativeText)
            .map_err(|error| UnreadableRow::Payload(error.to_string())),
        other => Err(UnreadableRow::Kind(other.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_and_a_broken_payload_are_told_apart() {
        let descriptor = |kind: &str, payload: &str| ostler_store::Descriptor {
            kind: kind.to_owned(),
            payload: payload.to_owned(),
        };
        assert!(matches!(
            read(&descriptor("native_text_v2", "{}")),
            Err(UnreadableRow::Kind(kind)) if kind == "native_text_v2"
        ));
        assert!(matches!(
            read(&descriptor(NativeText::KIND, "{}")),
            Err(UnreadableRow::Payload(_))
        ));
    }
}

//! The known name that somebody probably meant.

/// The name of `known` that is most like `text`, if one is like it at all.
pub(crate) fn to<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(text, name), name))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

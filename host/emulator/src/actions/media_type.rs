//! What a file is, by its name.

/// Endings and media types: those that people send, and that a page can show.
const TYPES: [(&str, &str); 16] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("json", "application/json; charset=utf-8"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
];

/// The media type of a file with this name; Discord gives none where it knows none.
pub(crate) fn of(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    TYPES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(ending))
        .map(|(_, media_type)| *media_type)
}

//! What a file is, by what is in it.

use infer::MatcherType;

/// How far into a file a reader of PDFs looks for its head (ISO 32000-1, annex H.3, note 13).
const PDF_HEAD: usize = 1024;
/// How far into a text an `<svg` is looked for.
const SVG_HEAD: usize = 4096;
/// Endings that pictures have.
const IMAGE_ENDINGS: [&str; 16] = [
    "png", "apng", "jpg", "jpeg", "jfif", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif",
    "avif", "svg", "ico", "jxl",
];

/// What a model can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A picture of a type that providers take.
    Image(&'static str),
    /// A PDF.
    Pdf,
    /// Text in UTF-8 without NUL; here without a byte order mark.
    Text(&'a str),
    /// Anything else.
    Other,
}

impl<'a> Kind<'a> {
    /// Looks into a file.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        match infer::get(bytes).map(|found| found.mime_type()) {
            Some("image/png") => return Self::Image("image/png"),
            Some("image/jpeg") => return Self::Image("image/jpeg"),
            Some("image/webp") => return Self::Image("image/webp"),
            // `infer` takes any text that begins with `GIF` for one.
            Some("image/gif") if is_gif(bytes) => return Self::Image("image/gif"),
            Some("application/pdf") => return Self::Pdf,
            _ => {}
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                Self::Text(text.strip_prefix('\u{feff}').unwrap_or(text))
            }
            _ => Self::Other,
        }
    }

    /// Its media type.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Image(media_type) => media_type,
            Self::Pdf => "application/pdf",
            Self::Text(_) => "text/plain",
            Self::Other => "application/octet-stream",
        }
    }
}

fn is_gif(bytes: &[u8]) -> bool {
    bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")
}

/// Whether a file is a picture of any type, or is said to be one.
pub(super) fn may_be_image(bytes: &[u8], name: &str, claimed: Option<&str>) -> bool {
    let head = bytes.get(..SVG_HEAD).unwrap_or(bytes);
    infer::get(bytes).is_some_and(|found| found.matcher_type() == MatcherType::Image)
        || head
            .windows(4)
            .any(|four| four.eq_ignore_ascii_case(b"<svg"))
        || claimed.is_some_and(|claimed| begins_with(claimed, "image/"))
        || ending(name).is_some_and(|ending| IMAGE_ENDINGS.contains(&ending.as_str()))
}

/// Whether a file is a PDF, or is said to be one.
pub(super) fn may_be_pdf(bytes: &[u8], name: &str, claimed: Option<&str>) -> bool {
    let head = bytes.get(..PDF_HEAD).unwrap_or(bytes);
    head.windows(5).any(|five| five == b"%PDF-")
        || Kind::of(bytes) == Kind::Pdf
        || claimed.is_some_and(|claimed| begins_with(claimed, "application/pdf"))
        || ending(name).is_some_and(|ending| ending == "pdf")
}

fn begins_with(text: &str, start: &str) -> bool {
    let text = text.trim_start();
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn ending(name: &str) -> Option<String> {
    let (_, ending) = name.trim_end().rsplit_once('.')?;
    Some(ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";
    const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0";

    #[test]
    fn what_is_in_a_file_says_what_it_is() {
        let cases: [(&[u8], Kind<'_>); 15] = [
            (PNG, Kind::Image("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", Kind::Image("image/jpeg")),
            (b"GIF89a\x01\0\x01\0\0\0\0;", Kind::Image("image/gif")),
            (WEBP, Kind::Image("image/webp")),
            (b"%PDF-1.7\n", Kind::Pdf),
            (b"<!DOCTYPE html><p>hi", Kind::Text("<!DOCTYPE html><p>hi")),
            (b"#!/bin/sh\n", Kind::Text("#!/bin/sh\n")),
            (b"GIF is a format", Kind::Text("GIF is a format")),
            (b"BMW is a car", Kind::Text("BMW is a car")),
            (b"\xef\xbb\xbfhi", Kind::Text("hi")),
            (b"", Kind::Text("")),
            (b"a\0b", Kind::Other),
            (b"\xff\xfeh\0i\0", Kind::Other),
            (b"PK\x03\x04\x14\0\0\0", Kind::Other),
            (b"BM\x46\0\0\0\0\0\xff", Kind::Other),
        ];
        for (bytes, kind) in cases {
            assert_eq!(Kind::of(bytes), kind, "{bytes:?}");
        }
    }

    #[test]
    fn a_picture_is_one_by_content_by_name_or_by_claim() {
        let cases: [(&[u8], &str, Option<&str>); 6] = [
            (PNG, "notes.txt", None),
            (b"BM\x46\0\0\0\0\0\xff", "x", None),
            (b"II*\0\x08\0\0\0\x01\0\0\x01", "x", Some("text/plain")),
            (b"<?xml version=\"1.0\"?><SVG>", "x.xml", None),
            (b"<p>hi", "photo.PNG ", None),
            (b"hi", "x", Some(" Image/Heic")),
        ];
        for (bytes, name, claimed) in cases {
            assert!(may_be_image(bytes, name, claimed), "{name} {bytes:?}");
        }
        assert!(!may_be_image(b"png", "png", Some("text/plain")));
        assert!(!may_be_image(b"%PDF-1.7", "a.pdf", None));
    }

    #[test]
    fn a_pdf_may_begin_late() {
        let late = [b" ".repeat(1000).as_slice(), b"%PDF-1.4"].concat();
        assert!(may_be_pdf(&late, "x", None));
        assert!(may_be_pdf(b"hi", "x.Pdf", None));
        assert!(may_be_pdf(b"hi", "x", Some("application/PDF")));
        assert!(!may_be_pdf(b"PDF", "pdf", Some("text/plain")));
        assert!(!may_be_pdf(PNG, "a.png", Some("image/png")));
    }
}

//! The files of the page.

/// A file of the page.
pub(super) struct Asset {
    name: &'static str,
    pub(super) content_type: &'static str,
    pub(super) content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const ICON: &str = "image/svg+xml";

/// A file below `assets/`, by its name there.
macro_rules! asset {
    ($type:expr, $name:literal) => {
        Asset {
            name: $name,
            content_type: $type,
            content: include_str!(concat!("assets/", $name)),
        }
    };
}

/// The page itself.
pub(super) const INDEX: Asset = asset!(HTML, "index.html");

/// What the page loads, below `/page/`.
const FILES: [Asset; 0] = [];

/// A file that the page loads.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    FILES.iter().find(|file| file.name == name)
}

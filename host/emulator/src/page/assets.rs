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
const FILES: [Asset; 36] = [
    asset!(SCRIPT, "api.js"),
    asset!(SCRIPT, "attachments.js"),
    asset!(STYLE, "base.css"),
    asset!(STYLE, "components.css"),
    asset!(SCRIPT, "components.js"),
    asset!(SCRIPT, "composer.js"),
    asset!(SCRIPT, "connection.js"),
    asset!(SCRIPT, "dialog.js"),
    asset!(SCRIPT, "dom.js"),
    asset!(SCRIPT, "embeds.js"),
    asset!(SCRIPT, "events.js"),
    asset!(STYLE, "forms.css"),
    asset!(SCRIPT, "head.js"),
    asset!(ICON, "icon.svg"),
    asset!(SCRIPT, "inline.js"),
    asset!(STYLE, "layout.css"),
    asset!(SCRIPT, "log.js"),
    asset!(SCRIPT, "main.js"),
    asset!(STYLE, "markdown.css"),
    asset!(SCRIPT, "markdown.js"),
    asset!(SCRIPT, "media.js"),
    asset!(SCRIPT, "menus.js"),
    asset!(STYLE, "message.css"),
    asset!(SCRIPT, "message.js"),
    asset!(STYLE, "places.css"),
    asset!(SCRIPT, "places.js"),
    asset!(SCRIPT, "posts.js"),
    asset!(SCRIPT, "press.js"),
    asset!(SCRIPT, "route.js"),
    asset!(SCRIPT, "sign-in.js"),
    asset!(SCRIPT, "starts.js"),
    asset!(SCRIPT, "time.js"),
    asset!(SCRIPT, "token.js"),
    asset!(SCRIPT, "turns.js"),
    asset!(SCRIPT, "typing.js"),
    asset!(SCRIPT, "world.js"),
];

/// A file that the page loads.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    FILES.iter().find(|file| file.name == name)
}

//! The operator's patterns over paths, read once.

use crate::pattern::PathPattern;
use crate::place::Place;
use crate::secrets;
use crate::word;

/// Patterns over protected paths.
pub(crate) struct Protected<'a> {
    patterns: Vec<Pattern<'a>>,
    workspace: Place,
}

struct Pattern<'a> {
    text: &'a str,
    path: PathPattern,
    /// Whether it is held against every name of a path, and not against the path.
    names: bool,
}

impl<'a> Protected<'a> {
    pub(crate) fn new(patterns: &'a [String], workspace: Place) -> Self {
        let patterns = patterns
            .iter()
            .map(|text| {
                // What lies below a path that fits is protected with it, so an ending `/**` says
                // nothing more.
                let mut path = text.trim_end_matches('/');
                while let Some(folder) = path.strip_suffix("/**") {
                    path = folder;
                }
                let home = path
                    .strip_prefix("~/")
                    .map(|rest| format!("{}/{rest}", word::HOME));
                Pattern {
                    text,
                    path: PathPattern::configured(home.as_deref().unwrap_or(path)),
                    names: !path.contains('/'),
                }
            })
            .collect();
        Self {
            patterns,
            workspace,
        }
    }

    /// The first pattern that a path fits, or that a pattern in it could stand for.
    pub(crate) fn fitting(&self, place: &Place) -> Option<&'a str> {
        if self.patterns.is_empty() {
            return None;
        }
        let names: Vec<PathPattern> = place
            .names
            .iter()
            .map(|name| PathPattern::marked(name))
            .collect();
        let mut paths = Vec::new();
        let mut outer = place.clone();
        while !outer.names.is_empty() {
            paths.push(PathPattern::marked(&outer.text()));
            if let Some(below) = outer
                .below(&self.workspace)
                .filter(|names| !names.is_empty())
            {
                paths.push(PathPattern::marked(&below.join("/")));
            }
            outer.names.pop();
        }
        let fits = |pattern: &Pattern<'_>| {
            let candidates = if pattern.names { &names } else { &paths };
            candidates.iter().any(|path| path.overlaps(&pattern.path))
        };
        self.patterns
            .iter()
            .find(|pattern| fits(pattern))
            .map(|pattern| pattern.text)
    }

    /// The first pattern that a file of code below a folder could fit, in no hidden folder. Only
    /// patterns that end with `/**` count as folders here: `**/Jenkinsfile` is one file.
    pub(crate) fn reaching(&self, folder: &Place) -> Option<&'a str> {
        let mut folders = vec![folder.text()];
        folders.extend(folder.below(&self.workspace).map(|names| names.join("/")));
        let files: Vec<PathPattern> = folders
            .iter()
            .flat_map(|folder| secrets::CODE.iter().map(move |ending| (folder, ending)))
            .map(|(folder, ending)| {
                let slash = if folder.is_empty() { "" } else { "/" };
                PathPattern::configured(&format!("{folder}{slash}**/*.{ending}"))
            })
            .collect();
        let hidden = |text: &str| {
            text.split('/')
                .any(|name| name.starts_with('.') && name.len() > 1)
        };
        self.patterns
            .iter()
            .filter(|pattern| !hidden(pattern.text))
            .find(|pattern| {
                let text = if pattern.names {
                    format!("**/{}", pattern.text)
                } else {
                    pattern.text.to_owned()
                };
                let pattern = PathPattern::configured(&text);
                files.iter().any(|file| file.overlaps(&pattern))
            })
            .map(|pattern| pattern.text)
    }
}

//! Which paths ask: what the profile protects from being written, and what may hold keys.
//!
//! Patterns are those of `approvals.protected`: `**` any number of folders, `*` any text within a
//! name, `?` one character of a name, all else as it stands. Letter case makes no difference: on
//! some file systems `.SSH` is `.ssh`.

use std::path::Path;
use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};

use super::place::Place;
use super::text::visible_name;
use crate::approvals::{Reason, ReasonBy};

/// The most memory that compiled patterns take, in bytes. It bounds the time that a call needs for
/// them, too.
const COMPILED: usize = 10 * 1024 * 1024;

/// What may hold keys, credentials or a project's secrets, whatever the profile protects.
const KEYS: &[&str] = &[
    "**/.ssh/**",
    "**/.gnupg/**",
    "**/.gpg/**",
    "**/.aws/**",
    "**/.azure/**",
    "**/.kube/**",
    "**/.docker/**",
    "**/.oci/**",
    "**/.terraform.d/**",
    "**/.password-store/**",
    "**/.config/gcloud/**",
    "**/.config/gh/**",
    "**/.config/hub/**",
    "**/.config/rclone/**",
    "**/.mozilla/**",
    "**/keyrings/**",
    "**/.netrc",
    "**/_netrc",
    "**/.npmrc",
    "**/.yarnrc.yml",
    "**/.pypirc",
    "**/.pgpass",
    "**/.my.cnf",
    "**/.git-credentials",
    "**/.htpasswd",
    "**/.vault-token",
    "**/.boto",
    "**/.s3cfg",
    "**/.cargo/credentials*",
    "**/.gem/credentials",
    "**/.m2/settings.xml",
    "**/authorized_keys*",
    "**/ssh_host_*_key",
    "**/kubeconfig*",
    "**/*.pem",
    "**/*.key",
    "**/*.p12",
    "**/*.pfx",
    "**/*.jks",
    "**/*.keystore",
    "**/*.kdbx",
    "**/*.ppk",
    "**/*.gpg",
    "**/*.asc",
    "**/.env*",
    "**/.env*/**",
    "**/*.env",
    "**/.envrc",
    "**/*.tfstate*",
    "**/*.tfvars",
    "**/.secrets*",
    "**/.secrets*/**",
];

/// The same, unless the file is one of code or prose: that is what deals with keys.
const KEYS_BUT_CODE: &[&str] = &[
    "**/id_*",
    "**/secret",
    "**/secret.*",
    "**/secrets*",
    "**/secrets*/**",
    "**/credential",
    "**/credentials*",
    "**/service-account*",
    "**/service_account*",
];

/// Endings of code and prose. Data (`json`, `toml`, `yaml`, `txt`, `sh`) is not among them: secrets
/// are kept in such.
const CODE: &[&str] = &[
    "c", "cc", "clj", "cpp", "cs", "css", "dart", "el", "erl", "ex", "exs", "go", "h", "hpp", "hs",
    "html", "java", "jl", "js", "jsx", "kt", "lua", "md", "mjs", "ml", "php", "pl", "proto", "py",
    "rb", "rs", "rst", "scala", "scss", "svelte", "swift", "ts", "tsx", "vue", "wit",
];

/// Examples that stand beside secrets and hold none.
const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Patterns, compiled together.
struct Patterns {
    texts: Vec<String>,
    /// None if they do not compile: then every path is one of theirs.
    set: Option<RegexSet>,
}

/// What asks in one workspace.
pub(super) struct Guard {
    protected: Patterns,
    /// The workspace's own path, with `/` behind it: a pattern may begin at the system's root.
    workspace: String,
}

impl Guard {
    pub(super) fn new(workspace: &Path, protected: &[String]) -> Self {
        Self {
            protected: Patterns::new(protected.iter().map(String::as_str)),
            workspace: format!("{}/", workspace.display().to_string().trim_end_matches('/')),
        }
    }

    /// Why writing a place asks; empty if it does not.
    pub(super) fn write_reasons(&self, place: &Place) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = paths(place)
            .into_iter()
            .filter_map(|path| Some((path, self.protecting(path)?)))
            .map(|(path, pattern)| because(place, path, &format!("is protected (`{pattern}`)")))
            .collect();
        reasons.extend(hidden(place));
        reasons
    }

    /// Why reading a place asks; empty if it does not.
    pub(super) fn read_reasons(&self, place: &Place) -> Vec<Reason> {
        paths(place)
            .into_iter()
            .filter_map(|path| Some((path, self.keeping(path)?)))
            .map(|(path, pattern)| {
                because(
                    place,
                    path,
                    &format!("may hold keys or secrets (`{pattern}`)"),
                )
            })
            .collect()
    }

    /// Whether a file may be read without asking, by its path without links.
    pub(super) fn reads_freely(&self, path: &str) -> bool {
        self.keeping(path).is_none()
    }

    /// The pattern of the profile that protects a path.
    fn protecting(&self, path: &str) -> Option<&str> {
        let from_root = format!("{}{path}", self.workspace);
        self.protected.find(path, |_| true).or_else(|| {
            self.protected
                .find(&from_root, |pattern| pattern.starts_with('/'))
        })
    }

    /// The pattern by which a path may hold keys.
    fn keeping(&self, path: &str) -> Option<&str> {
        static ALL: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(KEYS.iter().copied()));
        static BUT_CODE: LazyLock<Patterns> =
            LazyLock::new(|| Patterns::new(KEYS_BUT_CODE.iter().copied()));
        if let Some(pattern) = self.protecting(path) {
            return Some(pattern);
        }
        let name = fold(path.rsplit('/').next().unwrap_or_default());
        let is_example = EXAMPLES.contains(&name.as_str());
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_code = ending.is_some_and(|ending| CODE.contains(&ending));
        ALL.find(path, |pattern| !(is_example && pattern == "**/.env*"))
            .or_else(|| BUT_CODE.find(path, |_| !is_code))
    }
}

impl Patterns {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let texts: Vec<String> = texts.map(str::to_owned).collect();
        let set = RegexSetBuilder::new(texts.iter().map(|text| expression(text)))
            .size_limit(COMPILED)
            .build()
            .ok();
        Self { texts, set }
    }

    /// The first pattern that counts and fits.
    fn find(&self, path: &str, counts: impl Fn(&str) -> bool) -> Option<&str> {
        let Some(set) = &self.set else {
            return Some("the patterns are too large to be read: every path counts");
        };
        set.matches(&fold(path))
            .into_iter()
            .filter_map(|at| self.texts.get(at))
            .map(String::as_str)
            .find(|text| counts(text))
    }
}

/// Letters without their case, also where one letter has two small forms (`ſ`, `ς`).
fn fold(text: &str) -> String {
    text.chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// The regular expression of a pattern.
fn expression(pattern: &str) -> String {
    let folded = fold(pattern.trim());
    let mut rest = folded.strip_prefix("./").unwrap_or(&folded);
    let mut out = "(?s)^".to_owned();
    while let Some(c) = rest.chars().next() {
        let (piece, taken) = match c {
            '*' if rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            c => (regex::escape(c.encode_utf8(&mut [0; 4])), c.len_utf8()),
        };
        out.push_str(&piece);
        rest = rest.get(taken..).unwrap_or_default();
    }
    // A folder's name stands for what is in it.
    out.push_str(if folded.ends_with('/') { ".*$" } else { "$" });
    out
}

/// The path as it was given and the one without links.
fn paths(place: &Place) -> Vec<&str> {
    let mut paths = vec![place.real.as_str()];
    if place.is_by_link() {
        paths.push(&place.asked);
    }
    paths
}

fn because(place: &Place, path: &str, why: &str) -> Reason {
    let shown = visible_name(path);
    let text = if place.is_by_link() && path == place.real {
        let asked = visible_name(&place.asked);
        format!("`{asked}` leads to `{shown}`, which {why}.")
    } else {
        format!("`{shown}` {why}.")
    };
    Reason {
        by: ReasonBy::Host,
        text,
    }
}

/// A name that does not read as what it is.
fn hidden(place: &Place) -> Option<Reason> {
    let path = paths(place)
        .into_iter()
        .find(|path| visible_name(path) != **path)?;
    Some(Reason {
        by: ReasonBy::Host,
        text: format!("The name `{}` holds hidden characters.", visible_name(path)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(protected: &[&str]) -> Guard {
        let protected: Vec<String> = protected.iter().map(|&text| text.to_owned()).collect();
        Guard::new(Path::new("/srv/ws"), &protected)
    }

    #[test]
    fn patterns_over_paths() {
        for (pattern, path, fits) in [
            ("**/.bashrc", ".bashrc", true),
            ("**/.bashrc", "a/b/.bashrc", true),
            ("**/.bashrc", "a/x.bashrc", false),
            ("**/.bashrc", ".bashrc/x", false),
            ("**/.ssh/**", ".SSH/config", true),
            ("**/.ssh/**", "a/.ſſh/x/y", true),
            ("**/.ssh/**", ".sshx/config", false),
            ("**/*.pem", "x/KEY.Pem", true),
            ("*.pem", "x/key.pem", false),
            ("*.pem", "key.pem", true),
            ("deploy/**", "deploy/a/b", true),
            ("deploy/**", "x/deploy/a", false),
            ("./deploy/", "deploy/a", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "ab", false),
            ("a**b", "a/x/b", true),
            ("?.key", "é.key", true),
            ("?.key", "ab.key", false),
            ("[x].{a,b}", "[x].{a,b}", true),
            ("[x].{a,b}", "x.a", false),
            ("a.b", "axb", false),
            ("a*", "a\nb", true),
            ("/srv/ws/etc/**", "etc/x", true),
            ("/srv/ws2/etc/**", "etc/x", false),
            ("/etc/**", "etc/x", false),
            ("**/srv/**", "x", false),
        ] {
            let found = guard(&[pattern]);
            assert_eq!(
                found.protecting(path).is_some(),
                fits,
                "{pattern:?} {path:?}"
            );
        }
    }

    #[test]
    fn patterns_that_do_not_compile_protect_everything() {
        let large = vec!["?".repeat(500); 200];
        let guard = Guard::new(Path::new("/srv/ws"), &large);
        assert!(guard.protected.set.is_none());
        assert!(guard.protecting("README.md").is_some());
    }

    #[test]
    fn keys_ask_before_they_are_read_and_code_about_them_does_not() {
        let guard = guard(&["**/.github/workflows/**"]);
        for path in [
            ".env",
            ".env.local",
            "a/prod.env",
            "server.pem",
            "a/SERVER.KEY",
            "id_rsa",
            "id_work",
            "x/.ssh/known_hosts",
            ".aws/credentials",
            "secrets.yaml",
            "secrets/db.txt",
            "credentials.json",
            "infra/terraform.tfstate.backup",
            ".github/workflows/ci.yml",
            ".env.example/real",
            ".Env",
        ] {
            assert!(!guard.reads_freely(path), "{path}");
        }
        for path in [
            "src/main.rs",
            "id_generator.py",
            "src/secrets.rs",
            "src/credentials.test.ts",
            ".env.example",
            "environment.md",
            "docs/keys.md",
            ".gitignore",
            "grid_rsa.txt",
        ] {
            assert!(guard.reads_freely(path), "{path}");
        }
    }

    #[test]
    fn every_built_in_pattern_compiles() {
        for text in KEYS.iter().chain(KEYS_BUT_CODE) {
            assert!(Patterns::new([*text].into_iter()).set.is_some(), "{text}");
        }
    }
}

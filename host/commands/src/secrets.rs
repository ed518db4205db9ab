//! Names of files that hold keys, credentials or a project's secrets.

use std::sync::LazyLock;

use crate::Category;
use crate::pattern::PathPattern;
use crate::place::{Base, Place};
use crate::word;

/// Names of folders and files, wherever they are. `*` stands for any text.
const CREDENTIALS: [&str; 50] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".gpg",
    ".kube",
    ".docker",
    ".oci",
    ".terraform.d",
    ".password-store",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".boto",
    ".s3cfg",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/rclone",
    ".cargo/credentials*",
    ".gem/credentials",
    ".m2/settings.xml",
    ".mozilla",
    "keyrings",
    "kwalletd",
    "login data",
    "authorized_keys*",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "ssh_host_*_key",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.gpg",
    "*.asc",
    "kubeconfig*",
];

/// Absolute paths.
const SYSTEM: [&str; 8] = [
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/sudoers*",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/proc/*/environ",
    "/run/secrets",
    "/var/run/secrets",
];

/// Names of a project's own secrets. Those of the second list may have the ending of a source file,
/// and then are the code that deals with them.
const PROJECT: [&str; 6] = [
    ".env*",
    "*.env",
    ".envrc",
    "*.tfstate*",
    "*.tfvars",
    ".secrets*",
];
const PROJECT_NOT_CODE: [&str; 7] = [
    "secret",
    "secret.*",
    "secrets*",
    "credential",
    "credentials*",
    "service-account*",
    "service_account*",
];

/// Endings of files that hold code or prose. Files of data (`json`, `toml`, `yaml`, `ini`, `txt`,
/// `sh`) are not among them: secrets are kept in such.
pub(crate) const CODE: [&str; 46] = [
    "adoc", "bazel", "c", "cc", "clj", "cpp", "cs", "css", "cxx", "dart", "el", "erl", "ex", "exs",
    "go", "graphql", "h", "hh", "hpp", "hs", "htm", "html", "java", "jl", "js", "jsx", "kt",
    "less", "lua", "md", "mjs", "ml", "php", "pl", "proto", "py", "rb", "rs", "rst", "scala",
    "scss", "swift", "ts", "tsx", "vue", "wit",
];

/// Examples that stand beside secrets and hold none.
const EXAMPLES: [&str; 4] = [".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Whether a name, or a pattern over names, stands only for files of code or prose.
pub(crate) fn is_code(marked: &str) -> bool {
    marked.rsplit_once('.').is_some_and(|(_, ending)| {
        let ending = ending.to_lowercase();
        CODE.contains(&ending.as_str())
    })
}

/// What a path is: keys and credentials, or a project's secrets. Patterns and unknown parts of it
/// count as other text, except after the dot of a hidden name.
pub(crate) fn kind(place: &Place) -> Option<Category> {
    let text = place.text().to_lowercase();
    if place.base == Base::Root && is_system(&text) {
        return Some(Category::Credentials);
    }
    let mut project = None;
    let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty()).collect();
    for (at, name) in names.iter().enumerate() {
        let hidden_pattern = name.starts_with('.') && name.contains(word::is_glob);
        let pair = at.checked_sub(1).and_then(|before| names.get(before));
        if CREDENTIALS.iter().any(|pattern| fits(pattern, name, pair))
            || (hidden_pattern && overlaps_any(name, &CREDENTIAL_PATTERNS, true))
        {
            return Some(Category::Credentials);
        }
        let code = at + 1 == names.len() && is_code(name);
        if !EXAMPLES.contains(name)
            && (PROJECT.iter().any(|pattern| fits(pattern, name, None))
                || (hidden_pattern && overlaps_any(name, &PROJECT_PATTERNS, true))
                || (!code
                    && PROJECT_NOT_CODE
                        .iter()
                        .any(|pattern| fits(pattern, name, None))))
        {
            project = Some(Category::ProjectSecrets);
        }
    }
    project
}

/// Whether a path is or could be one of those that [`kind`] names: a pattern counts for all that
/// it could stand for.
pub(crate) fn could_be(place: &Place) -> bool {
    if kind(place).is_some() {
        return true;
    }
    let last = place.names.len().saturating_sub(1);
    place.names.iter().enumerate().any(|(at, name)| {
        name.contains(word::is_mark)
            // Files of code are read, whatever their name is. Folders are not told by an ending.
            && !(at == last && is_code(name))
            && (overlaps_any(name, &CREDENTIAL_PATTERNS, false) || overlaps_any(name, &PROJECT_PATTERNS, false))
    })
}

/// The patterns over one name, compiled, each with whether it is one over hidden names.
static CREDENTIAL_PATTERNS: LazyLock<Vec<(PathPattern, bool)>> =
    LazyLock::new(|| compiled(&CREDENTIALS));

static PROJECT_PATTERNS: LazyLock<Vec<(PathPattern, bool)>> = LazyLock::new(|| {
    let mut patterns = compiled(&PROJECT);
    patterns.extend(compiled(&PROJECT_NOT_CODE));
    patterns
});

fn compiled(patterns: &[&str]) -> Vec<(PathPattern, bool)> {
    let names = patterns.iter().filter(|name| !name.contains('/'));
    names
        .map(|name| (PathPattern::configured(name), name.starts_with('.')))
        .collect()
}

/// Whether a pattern in a name could stand for one of these; or only for a hidden one of these.
fn overlaps_any(name: &str, patterns: &[(PathPattern, bool)], only_hidden: bool) -> bool {
    let name = PathPattern::marked(name);
    patterns
        .iter()
        .any(|(pattern, hidden)| (*hidden || !only_hidden) && pattern.overlaps(&name))
}

fn is_system(text: &str) -> bool {
    SYSTEM.iter().any(|pattern| {
        let below = text
            .match_indices('/')
            .map(|(at, _)| text.get(..at).unwrap_or_default());
        below.chain([text]).any(|text| wildcard(pattern, text))
    })
}

/// Whether a pattern fits a name, or, with a `/`, the name and the one before it.
fn fits(pattern: &str, name: &str, before: Option<&&str>) -> bool {
    match (pattern.split_once('/'), before) {
        (None, _) => wildcard(pattern, name),
        (Some((first, second)), Some(before)) => wildcard(second, name) && wildcard(first, before),
        (Some(_), None) => false,
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn wildcard(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        let Some(at) = text.find(piece) else {
            return false;
        };
        text = text.get(at + piece.len()..).unwrap_or_default();
    }
    true
}

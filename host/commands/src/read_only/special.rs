//! Programs of the table whose words need a look of their own.

use super::commands::{Parsed, Reader, no_operand, no_patterns, parse};
use super::table::Program;
use crate::NotReadOnly;
use crate::word::{self, Word};

/// Types of ripgrep's that stand for files of code or prose only.
const TYPES: [&str; 27] = [
    "c", "cpp", "cs", "csharp", "css", "dart", "elixir", "go", "h", "haskell", "html", "java",
    "js", "julia", "kotlin", "less", "lua", "md", "markdown", "php", "protobuf", "py", "ruby",
    "rust", "scala", "swift", "ts",
];

/// Tests of `find` without and with a value. None of them runs, writes or deletes anything, and no
/// value is a path.
const FIND: [&str; 18] = [
    "-print", "-print0", "-ls", "-prune", "-empty", "-depth", "-xdev", "-mount", "-o", "-or", "-a",
    "-and", "-not", "!", "(", ")", "-true", "-quit",
];
const FIND_VALUED: [&str; 26] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-printf",
];

/// Operators of `test`. `-v` and `-R` are not among them: they evaluate an index, which can run
/// commands.
const TEST: [&str; 33] = [
    "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z", "-b", "-c", "-p", "-S", "-O",
    "-G", "-N", "-u", "-g", "-k", "-nt", "-ot", "-ef", "=", "==", "!=", "-eq", "-ne", "-gt", "-ge",
    "-lt", "-le",
];

impl Reader<'_> {
    pub(super) fn special(
        &self,
        program: &Program,
        words: &[Word],
        piped: bool,
    ) -> Result<(), NotReadOnly> {
        match program.name {
            "echo" => no_patterns(program, &words.iter().collect::<Vec<_>>()),
            "printf" => printf(program, words),
            "date" => date(program, words),
            "find" => self.find(program, words),
            "test" | "[" => self.test(program, words),
            _ => self.jq(program, words, piped),
        }
    }

    /// `grep` and `rg`: a pattern, then files; with `rg`, also folders, if only code is read.
    pub(super) fn search(
        &self,
        program: &Program,
        parsed: &Parsed<'_>,
        piped: bool,
    ) -> Result<(), NotReadOnly> {
        let ripgrep = program.name == "rg";
        let only_names = ripgrep && parsed.has(&["files"]);
        let pattern_given = parsed.has(&["e", "regexp"]) || only_names;
        let mut operands = parsed.operands.as_slice();
        if !pattern_given {
            match operands.split_first() {
                Some((pattern, rest)) => {
                    no_patterns(program, &[pattern])?;
                    operands = rest;
                }
                None => return Err(NotReadOnly::Syntax("a search without a pattern")),
            }
        }
        if only_names {
            return operands.iter().try_for_each(|word| self.name(word));
        }
        // Kinds of files that the search is held to.
        let globs: Vec<&str> = parsed
            .values(&["g", "glob"])
            .filter(|glob| !glob.starts_with('!'))
            .collect();
        let types: Vec<&str> = parsed.values(&["t", "type"]).collect();
        let code = globs.iter().all(|glob| crate::secrets::is_code(glob))
            && types.iter().all(|kind| TYPES.contains(kind))
            && !(globs.is_empty() && types.is_empty());
        let here = Word::plain(".");
        let whole: Vec<&Word> = if !ripgrep || (operands.is_empty() && piped) {
            Vec::new()
        } else if operands.is_empty() {
            vec![&here]
        } else {
            let folders = operands.iter().filter(|word| !looks_like_file(word));
            folders.copied().collect()
        };
        for folder in whole {
            if folder.text() == "-" {
                continue;
            }
            if !code {
                return Err(NotReadOnly::WholeFolder(program.name.to_owned()));
            }
            self.name(folder)?;
            self.below(folder)?;
        }
        operands
            .iter()
            .filter(|word| word.text() != "-" && (!ripgrep || looks_like_file(word)))
            .try_for_each(|word| self.content(word, true, program))
    }

    /// Whether no file of code below a folder could be protected. Hidden folders are not searched.
    fn below(&self, folder: &Word) -> Result<(), NotReadOnly> {
        let place = crate::place::Place::of_text(folder.text(), &self.folder);
        match self.protected.reaching(&place) {
            Some(pattern) => Err(NotReadOnly::Protected {
                path: folder.shown(),
                pattern: pattern.to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn find(&self, program: &Program, words: &[Word]) -> Result<(), NotReadOnly> {
        let mut words = words.iter().peekable();
        while let Some(word) = words.next_if(|word| {
            matches!(word.text(), "-P" | "-H") || !word.text().starts_with(['-', '(', '!'])
        }) {
            // A file that is named like a test could be among those that a pattern stands for.
            if word.text().starts_with(word::is_glob) {
                return Err(no_operand(program, word));
            }
            if !word.is_option() {
                self.name(word)?;
            }
        }
        while let Some(word) = words.next() {
            let text = word.text();
            if FIND_VALUED.contains(&text) {
                let value = words.next().ok_or_else(|| no_operand(program, word))?;
                no_patterns(program, &[value])?;
            } else if !FIND.contains(&text) {
                return Err(NotReadOnly::Flag {
                    program: program.name.to_owned(),
                    flag: word.shown(),
                });
            }
        }
        Ok(())
    }

    fn test(&self, program: &Program, words: &[Word]) -> Result<(), NotReadOnly> {
        let words = match (program.name, words.split_last()) {
            ("[", Some((last, rest))) if last.text() == "]" => rest,
            ("[", _) => return Err(NotReadOnly::Syntax("a `[` without its `]`")),
            _ => words,
        };
        for word in words {
            let text = word.exact().ok_or_else(|| no_operand(program, word))?;
            if TEST.contains(&text) || matches!(text, "!" | "(" | ")" | "-a" | "-o" | "") {
                continue;
            }
            if word.is_option()
                && !text
                    .trim_start_matches('-')
                    .bytes()
                    .all(|b| b.is_ascii_digit())
            {
                return Err(NotReadOnly::Flag {
                    program: program.name.to_owned(),
                    flag: word.shown(),
                });
            }
            no_code(program, word)?;
            // Every operand may be a path.
            self.name(word)?;
        }
        Ok(())
    }

    fn jq(&self, program: &Program, words: &[Word], piped: bool) -> Result<(), NotReadOnly> {
        let parsed = parse(program, words)?;
        let Some((filter, files)) = parsed.operands.split_first() else {
            return Err(NotReadOnly::Syntax("a `jq` without a filter"));
        };
        no_patterns(program, &[filter])?;
        let mut names = filter
            .text()
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        // They read the environment and files.
        let reads = [
            "env",
            "ENV",
            "import",
            "include",
            "input_filename",
            "get_search_list",
            "modulemeta",
            "debug",
            "stderr",
        ];
        if names.any(|name| reads.contains(&name)) {
            return Err(no_operand(program, filter));
        }
        if files.is_empty() && !piped && !parsed.has(&["n", "null-input"]) {
            return Err(NotReadOnly::Syntax("a `jq` without a file"));
        }
        files
            .iter()
            .try_for_each(|word| self.content(word, true, program))
    }
}

/// Whether a path is that of one file, by its name: the last name has an ending.
fn looks_like_file(word: &Word) -> bool {
    let name = word.text().rsplit('/').next().unwrap_or_default();
    name.trim_start_matches('.').contains('.') && !name.ends_with('.')
}

fn printf(program: &Program, words: &[Word]) -> Result<(), NotReadOnly> {
    no_patterns(program, &words.iter().collect::<Vec<_>>())?;
    // `-v name` assigns, and evaluates the name's index.
    match words.first() {
        Some(first) if first.is_option() => Err(NotReadOnly::Flag {
            program: program.name.to_owned(),
            flag: first.shown(),
        }),
        _ => words.iter().try_for_each(|word| no_code(program, word)),
    }
}

/// Some shells evaluate numbers as arithmetic, whose indexes can run commands.
fn no_code(program: &Program, word: &Word) -> Result<(), NotReadOnly> {
    if word.text().contains("$(") || word.text().contains(['`', '[']) {
        return Err(no_operand(program, word));
    }
    Ok(())
}

fn date(program: &Program, words: &[Word]) -> Result<(), NotReadOnly> {
    let parsed = parse(program, words)?;
    no_patterns(program, &parsed.operands)?;
    // Any other operand sets the clock.
    match parsed
        .operands
        .iter()
        .find(|word| !word.text().starts_with('+'))
    {
        Some(operand) => Err(no_operand(program, operand)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_only::table::TABLE;

    #[test]
    fn every_program_stands_in_the_table_once() {
        let mut names: Vec<_> = TABLE.iter().map(|program| program.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn a_file_is_told_by_its_ending() {
        for (text, file) in [
            ("a.rs", true),
            ("src", false),
            (".git", false),
            ("..", false),
            ("src/a.toml", true),
        ] {
            assert_eq!(looks_like_file(&Word::plain(text)), file, "{text}");
        }
        assert!(!looks_like_file(&Word::plain(&word::STAR.to_string())));
    }
}

//! The fixed table of programs that only read.

/// What a program's operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// Nothing may follow.
    None,
    /// Text; no file is touched.
    Text,
    /// Names of programs, without a `/`.
    Programs,
    /// Paths, of which only names and sizes are shown.
    Names,
    /// Paths whose contents are shown, at most this many.
    Contents(usize),
    /// A pattern, then paths whose contents are searched.
    Search,
    /// Judged by code of its own.
    Special,
}

/// A program and its flags. A flag with a value takes it attached or as the next word; no value of
/// these flags is a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Letters of flags without a value.
    pub(super) flags: &'static str,
    /// Letters of flags with a value.
    pub(super) valued: &'static str,
    /// Long flags, parted by spaces.
    pub(super) long: &'static str,
    pub(super) long_valued: &'static str,
    pub(super) operands: Operands,
}

const fn row(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
    long_valued: &'static str,
    operands: Operands,
) -> Program {
    Program {
        name,
        flags,
        valued,
        long,
        long_valued,
        operands,
    }
}

const ALL: usize = usize::MAX;

/// Flags of the programs that print digests. `-c` is not among them: it opens files that a file
/// names.
const DIGEST: &str = "binary text tag zero";

/// The table. What is left out of a row is left out on purpose: flags that write (`sort -o`), run
/// programs (`rg --pre`, `sort --compress-program`), read files that their value names
/// (`grep -f`, `wc --files0-from`), go through folders of any files (`grep -r`, `diff -r`), follow
/// links out (`find -L`) or wait without end (`tail -f`).
pub(super) const TABLE: [Program; 55] = [
    row(
        "ls",
        "1aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ",
        "ITw",
        "all almost-all author escape directory classify file-type full-time \
         group-directories-first no-group human-readable si inode kibibytes \
         numeric-uid-gid literal quote-name reverse recursive size color zero",
        "color format hide ignore sort time time-style width block-size indicator-style",
        Operands::Names,
    ),
    row(
        "cat",
        "AbeEnstTuv",
        "",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs \
         show-nonprinting",
        "",
        Operands::Contents(ALL),
    ),
    row(
        "tac",
        "br",
        "s",
        "before regex",
        "separator",
        Operands::Contents(ALL),
    ),
    row(
        "nl",
        "p",
        "bdfhilnsvw",
        "no-renumber",
        "body-numbering number-format number-separator number-width \
         starting-line-number line-increment",
        Operands::Contents(ALL),
    ),
    row(
        "head",
        "qvz",
        "cn",
        "quiet silent verbose zero-terminated",
        "bytes lines",
        Operands::Contents(ALL),
    ),
    row(
        "tail",
        "qvz",
        "cn",
        "quiet silent verbose zero-terminated",
        "bytes lines",
        Operands::Contents(ALL),
    ),
    row(
        "wc",
        "clLmw",
        "",
        "bytes chars lines max-line-length words",
        "",
        Operands::Contents(ALL),
    ),
    row("pwd", "LP", "", "logical physical", "", Operands::None),
    row("echo", "", "", "", "", Operands::Special),
    row("printf", "", "", "", "", Operands::Special),
    row("true", "", "", "", "", Operands::Text),
    row("false", "", "", "", "", Operands::Text),
    row(
        "date",
        "uRI",
        "d",
        "utc universal rfc-email iso-8601",
        "date iso-8601 rfc-3339",
        Operands::Special,
    ),
    row(
        "stat",
        "Lft",
        "c",
        "dereference file-system terse",
        "format printf",
        Operands::Names,
    ),
    row(
        "file",
        "bEhiNnr0k",
        "F",
        "brief mime mime-type mime-encoding no-pad keep-going no-dereference",
        "separator",
        Operands::Contents(ALL),
    ),
    row(
        "basename",
        "az",
        "s",
        "multiple zero",
        "suffix",
        Operands::Text,
    ),
    row("dirname", "z", "", "zero", "", Operands::Text),
    row(
        "realpath",
        "emLPqsz",
        "",
        "canonicalize-existing canonicalize-missing logical physical quiet no-symlinks \
         strip zero",
        "",
        Operands::Names,
    ),
    row(
        "readlink",
        "emfnqsvz",
        "",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet \
         silent verbose zero",
        "",
        Operands::Names,
    ),
    row(
        "cut",
        "nsz",
        "bcdf",
        "complement only-delimited zero-terminated",
        "bytes characters delimiter fields output-delimiter",
        Operands::Contents(ALL),
    ),
    row(
        "sort",
        "bCcdfghiMmnRrsuVz",
        "kt",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort \
         human-numeric-sort month-sort numeric-sort random-sort reverse version-sort \
         check merge stable unique zero-terminated",
        "key field-separator",
        Operands::Contents(ALL),
    ),
    row(
        "uniq",
        "cdDiuz",
        "fsw",
        "count repeated ignore-case unique zero-terminated all-repeated",
        "skip-fields skip-chars check-chars",
        Operands::Contents(1),
    ),
    row(
        "tr",
        "cCdst",
        "",
        "complement delete squeeze-repeats truncate-set1",
        "",
        Operands::Text,
    ),
    row(
        "grep",
        "abcEFGhHiIlLnoPqsTUvwxyzZ",
        "ABCem",
        "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case \
         no-ignore-case invert-match word-regexp line-regexp count color colour \
         files-without-match files-with-matches only-matching quiet silent no-messages \
         byte-offset with-filename no-filename line-number initial-tab null null-data \
         text",
        "regexp max-count after-context before-context context color colour label",
        Operands::Search,
    ),
    row(
        "egrep",
        "abchHiIlLnoqsvwxz",
        "ABCem",
        "ignore-case count line-number",
        "regexp max-count",
        Operands::Search,
    ),
    row(
        "fgrep",
        "abchHiIlLnoqsvwxz",
        "ABCem",
        "ignore-case count line-number",
        "regexp max-count",
        Operands::Search,
    ),
    row(
        "rg",
        "abcFhiHIlnNopPqsSUvVwx0",
        "ABCdeEgjmMrtT",
        "files files-with-matches files-without-match count count-matches ignore-case \
         case-sensitive smart-case fixed-strings word-regexp line-regexp invert-match \
         line-number no-line-number column no-heading heading only-matching multiline \
         multiline-dotall json vimgrep trim stats pcre2 text quiet no-filename \
         with-filename null pretty no-messages byte-offset crlf passthru no-config",
        "regexp glob type type-not max-count max-depth max-columns after-context \
         before-context context replace color sort sortr threads encoding max-filesize \
         engine",
        Operands::Search,
    ),
    row("find", "", "", "", "", Operands::Special),
    row(
        "du",
        "0abchklmsSx",
        "dBt",
        "all apparent-size bytes total human-readable summarize one-file-system \
         separate-dirs si null",
        "max-depth block-size threshold exclude",
        Operands::Names,
    ),
    row(
        "df",
        "ahHiklPT",
        "Btx",
        "all human-readable si inodes local portability print-type total",
        "block-size type exclude-type output",
        Operands::Names,
    ),
    row(
        "tree",
        "aCdDfFghiJnNpqQrsStuUvXx",
        "ILP",
        "dirsfirst filesfirst noreport prune du si ignore-case gitignore",
        "charset filelimit sort timefmt",
        Operands::Names,
    ),
    row(
        "diff",
        "abBcdeEinpqstTuwyN",
        "CUWIF",
        "brief unified context ignore-case ignore-all-space ignore-space-change \
         ignore-blank-lines minimal new-file report-identical-files side-by-side \
         strip-trailing-cr text color suppress-common-lines show-c-function",
        "unified context width color label ignore-matching-lines",
        Operands::Contents(2),
    ),
    row(
        "cmp",
        "bls",
        "in",
        "print-bytes verbose quiet silent",
        "bytes ignore-initial",
        Operands::Contents(2),
    ),
    row("md5sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row("sha1sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row("sha224sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row("sha256sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row("sha384sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row("sha512sum", "btz", "", DIGEST, "", Operands::Contents(ALL)),
    row(
        "b2sum",
        "btz",
        "l",
        DIGEST,
        "length",
        Operands::Contents(ALL),
    ),
    row("cksum", "", "", "", "", Operands::Contents(ALL)),
    row(
        "comm",
        "123z",
        "",
        "check-order nocheck-order total zero-terminated",
        "output-delimiter",
        Operands::Contents(2),
    ),
    row(
        "join",
        "iz",
        "12aejtv",
        "ignore-case header check-order nocheck-order zero-terminated",
        "",
        Operands::Contents(2),
    ),
    row(
        "column",
        "tx",
        "s",
        "table fillrows",
        "separator",
        Operands::Contents(ALL),
    ),
    row(
        "fold",
        "bs",
        "w",
        "bytes spaces",
        "width",
        Operands::Contents(ALL),
    ),
    row(
        "paste",
        "sz",
        "d",
        "serial zero-terminated",
        "delimiters",
        Operands::Contents(ALL),
    ),
    row(
        "seq",
        "w",
        "fs",
        "equal-width",
        "format separator",
        Operands::Text,
    ),
    row("test", "", "", "", "", Operands::Special),
    row("[", "", "", "", "", Operands::Special),
    row("which", "as", "", "all", "", Operands::Programs),
    row(
        "uname",
        "amnprsvio",
        "",
        "all kernel-name nodename kernel-release kernel-version machine processor \
         operating-system",
        "",
        Operands::None,
    ),
    row("whoami", "", "", "", "", Operands::None),
    row(
        "id",
        "Ggnruz",
        "",
        "group groups name real user zero",
        "",
        Operands::None,
    ),
    row(
        "jq",
        "acCeMnrRsSj",
        "",
        "ascii-output compact-output color-output exit-status monochrome-output \
         null-input raw-output raw-input slurp sort-keys tab join-output",
        "indent",
        Operands::Special,
    ),
    row("nproc", "", "", "all", "ignore", Operands::None),
];

//! What languages look like, as far as it matters for cutting them.

/// How what is defined is told from what is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Braces,
    Indented,
    Headings,
    Unknown,
}

/// How single quotes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Single {
    /// `'a'`, and lifetimes.
    Letter,
    /// A text to the end of the line at the most.
    Text,
}

/// A language, or several that look alike.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the language")]
pub(super) struct Language {
    pub(super) shape: Shape,
    /// What begins a comment to the end of the line.
    pub(super) line_comments: &'static [&'static [u8]],
    /// `/* */`.
    pub(super) block_comments: bool,
    /// Block comments hold others.
    pub(super) nested_comments: bool,
    pub(super) single: Single,
    /// Texts in backticks go over lines.
    pub(super) backticks: bool,
    /// Texts in three quotes go over lines.
    pub(super) triple: bool,
    /// Texts in quotes go over lines.
    pub(super) long_texts: bool,
    /// `r#"…"#`.
    pub(super) raw_hashes: bool,
    /// The end of a line ends a statement.
    pub(super) line_ends: bool,
    /// `/…/`, and functions as values.
    pub(super) script: bool,
    /// Functions need no keyword.
    pub(super) bare_functions: bool,
    /// `#if`.
    pub(super) preprocessor: bool,
}

const C: Language = Language {
    shape: Shape::Braces,
    line_comments: &[b"//"],
    block_comments: true,
    nested_comments: false,
    single: Single::Letter,
    backticks: false,
    triple: false,
    long_texts: false,
    raw_hashes: false,
    line_ends: false,
    script: false,
    bare_functions: true,
    preprocessor: false,
};
static C_FAMILY: Language = Language { preprocessor: true, ..C };
static JAVA: Language = Language { triple: true, ..C };
static RUST: Language = Language {
    nested_comments: true,
    long_texts: true,
    raw_hashes: true,
    bare_functions: false,
    ..C
};
static GO: Language = Language { backticks: true, line_ends: true, bare_functions: false, ..C };
static KOTLIN: Language =
    Language { triple: true, line_ends: true, nested_comments: true, bare_functions: false, ..C };
static DART: Language = Language { triple: true, single: Single::Text, ..C };
static SCRIPT: Language =
    Language { single: Single::Text, backticks: true, line_ends: true, script: true, ..C };
static PHP: Language = Language {
    line_comments: &[b"//", b"#"],
    single: Single::Text,
    long_texts: true,
    bare_functions: false,
    ..C
};
static STYLE: Language = Language { single: Single::Text, bare_functions: false, ..C };
const INDENTED: Language = Language {
    shape: Shape::Indented,
    line_comments: &[b"#"],
    block_comments: false,
    single: Single::Text,
    bare_functions: false,
    ..C
};
static PYTHON: Language = Language { triple: true, ..INDENTED };
static HASHED: Language = Language { ..INDENTED };
static DASHED: Language = Language { line_comments: &[b"--"], ..INDENTED };
static HEADINGS: Language = Language { shape: Shape::Headings, ..C };
static UNKNOWN: Language = Language { shape: Shape::Unknown, ..C };

/// The language of a file, by the ending of its name.
pub(super) fn language(path: &str) -> &'static Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "rs" => &RUST,
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ino" | "m" | "mm" | "cu"
        | "cuh" | "glsl" | "hlsl" | "wgsl" => &C_FAMILY,
        "java" | "cs" | "groovy" | "gradle" | "proto" | "d" | "vala" | "zig" | "sol" => &JAVA,
        "go" => &GO,
        "kt" | "kts" | "swift" | "scala" | "sc" => &KOTLIN,
        "dart" => &DART,
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => &SCRIPT,
        "php" => &PHP,
        "css" | "scss" | "less" => &STYLE,
        "py" | "pyi" | "pyw" | "gd" | "nim" | "mojo" | "star" | "bzl" => &PYTHON,
        "rb" | "rake" | "cr" | "ex" | "exs" | "jl" | "sh" | "bash" | "zsh" | "fish" | "pl"
        | "pm" | "tcl" | "ps1" => &HASHED,
        "lua" => &DASHED,
        "md" | "markdown" | "mdx" | "qmd" => &HEADINGS,
        _ => &UNKNOWN,
    }
}

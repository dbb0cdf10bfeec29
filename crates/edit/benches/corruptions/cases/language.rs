//! What is said of a language: its comments, and a statement that is fit to be inserted.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Language {
    C,
    Css,
    Go,
    Java,
    JavaScript,
    Markdown,
    Python,
    Ruby,
    Rust,
    Shell,
    Toml,
    TypeScript,
    Yaml,
}

impl Language {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "c" | "h" | "cc" | "cpp" => Self::C,
            "css" => Self::Css,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "mjs" | "cjs" => Self::JavaScript,
            "md" => Self::Markdown,
            "py" => Self::Python,
            "rb" => Self::Ruby,
            "rs" => Self::Rust,
            "sh" | "bash" => Self::Shell,
            "toml" => Self::Toml,
            "ts" | "tsx" => Self::TypeScript,
            "yaml" | "yml" => Self::Yaml,
            _ => return None,
        })
    }

    /// What begins a comment to the end of the line.
    pub(crate) fn comment(self) -> Option<&'static str> {
        match self {
            Self::C | Self::Go | Self::Java | Self::JavaScript | Self::Rust | Self::TypeScript => {
                Some("//")
            }
            Self::Python | Self::Ruby | Self::Shell | Self::Toml | Self::Yaml => Some("#"),
            Self::Css | Self::Markdown => None,
        }
    }

    /// How the word after a fence calls it.
    pub(crate) fn fence(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Css => "css",
            Self::Go => "go",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Markdown => "markdown",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Shell => "bash",
            Self::Toml => "toml",
            Self::TypeScript => "typescript",
            Self::Yaml => "yaml",
        }
    }

    pub(crate) fn statement(self, number: usize) -> String {
        match self {
            Self::C | Self::Java | Self::JavaScript | Self::Rust | Self::TypeScript => {
                format!("record_step({number});")
            }
            Self::Go | Self::Python => format!("record_step({number})"),
            Self::Ruby | Self::Shell => format!("record_step {number}"),
            Self::Css => format!("--step-{number}: {number}px;"),
            Self::Markdown => format!("Step {number} is recorded here."),
            Self::Toml => format!("step_{number} = {number}"),
            Self::Yaml => format!("step_{number}: {number}"),
        }
    }

    /// Lines of which the inner ones are one step deeper; none where a language has no such.
    pub(crate) fn nested(self, number: usize, unit: &str) -> Option<Vec<String>> {
        let inner = format!("{unit}{}", self.statement(number));
        let around = match self {
            Self::C | Self::Java | Self::JavaScript | Self::TypeScript => {
                [format!("if (step_{number}) {{"), "}".to_owned()]
            }
            Self::Rust | Self::Go => [format!("if step_{number} {{"), "}".to_owned()],
            Self::Shell => [format!("if step_{number}; then"), "fi".to_owned()],
            Self::Ruby => [format!("if step_{number}"), "end".to_owned()],
            Self::Python => return Some(vec![format!("if step_{number}:"), inner]),
            Self::Css | Self::Markdown | Self::Toml | Self::Yaml => return None,
        };
        let [begin, end] = around;
        Some(vec![begin, inner, end])
    }
}

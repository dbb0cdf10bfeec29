//! A permission rule as it is written, with its place in the file.

use std::path::{Path, PathBuf};

use dogu_tool::Verdict;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_saphyr::Spanned;

use super::shell::Profile;

/// A text and where it stands in its file. A place of 0 is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// The text.
    pub text: String,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        let place = spanned.referenced;
        Ok(Self { text: spanned.value, line: place.line(), column: place.column() })
    }
}

impl Serialize for Located {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// One rule, such as `allow: Execute(cargo test *)`, not yet understood: the place of a mistake
/// in it is that of the text that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenRule", into = "WrittenRule")]
pub struct Rule {
    /// What it says.
    pub verdict: Verdict,
    /// About what, such as `Execute(cargo test *)`.
    pub pattern: Located,
    /// Examples that it must match.
    pub matching: Vec<Located>,
    /// Examples that it must not match.
    pub not_matching: Vec<Located>,
    /// The file that it is from; empty where it is from none.
    pub file: PathBuf,
    /// What holds the commands that it is about.
    pub sandbox: Option<Profile>,
    /// It comes with a workspace that is not trusted: it may make a decision stricter, and must not
    /// take the place of a stricter rule because it is more specific.
    pub only_tightens: bool,
}

impl Rule {
    /// Notes the file that the rule is from.
    pub(super) fn set_file(&mut self, file: &Path) {
        file.clone_into(&mut self.file);
    }
}

/// The words of a rule in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allow: Option<Located>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ask: Option<Located>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deny: Option<Located>,
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    matching: Vec<Located>,
    #[serde(default, rename = "not_match", skip_serializing_if = "Vec::is_empty")]
    not_matching: Vec<Located>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sandbox: Option<Profile>,
}

impl TryFrom<WrittenRule> for Rule {
    type Error = &'static str;

    fn try_from(written: WrittenRule) -> Result<Self, Self::Error> {
        let WrittenRule { allow, ask, deny, matching, not_matching, sandbox } = written;
        let (verdict, pattern) = match (allow, ask, deny) {
            (Some(pattern), None, None) => (Verdict::Allow, pattern),
            (None, Some(pattern), None) => (Verdict::Ask, pattern),
            (None, None, Some(pattern)) => (Verdict::Deny, pattern),
            _ => return Err("a rule has exactly one of `allow`, `ask` and `deny`"),
        };
        if sandbox.is_some() && (verdict == Verdict::Deny || !pattern.text.starts_with("Execute("))
        {
            return Err("only an `allow` or `ask` rule for Execute names a `sandbox`");
        }
        let file = PathBuf::new();
        Ok(Self { verdict, pattern, matching, not_matching, file, sandbox, only_tightens: false })
    }
}

impl From<Rule> for WrittenRule {
    fn from(rule: Rule) -> Self {
        let Rule { verdict, pattern, matching, not_matching, sandbox, .. } = rule;
        let (allow, ask, deny) = match verdict {
            Verdict::Allow => (Some(pattern), None, None),
            Verdict::Ask => (None, Some(pattern), None),
            Verdict::Deny => (None, None, Some(pattern)),
        };
        Self { allow, ask, deny, matching, not_matching, sandbox }
    }
}

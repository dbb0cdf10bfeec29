//! `${env:X}`, `${X}` and `${X:-otherwise}` in what a server is started or reached with.

use std::path::Path;

/// Why a text cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// A variable that is not there.
    #[error("the environment variable {name}, which {wanted_by} needs, is not set")]
    NotSet {
        /// The variable.
        name: String,
        /// What needs it, such as `env.TOKEN`.
        wanted_by: String,
    },
    /// `${` without `}`, or something that only another program knows, such as `${input:key}`.
    #[error(
        "`{text}` in {wanted_by} is nothing that dogu can replace; it knows ${{env:NAME}}, ${{NAME}}, ${{NAME:-otherwise}}, ${{workspaceFolder}} and ${{userHome}}"
    )]
    Unknown {
        /// What stands there.
        text: String,
        /// Where.
        wanted_by: String,
    },
}

/// Replaces variables by what they stand for.
pub struct Expander<'a> {
    /// The value of an environment variable.
    pub variable: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// The workspace.
    pub workspace: &'a Path,
    /// The user's home folder.
    pub home: Option<&'a Path>,
}

impl Expander<'_> {
    /// The text with everything replaced; `wanted_by` is for the message. What a variable holds is
    /// not looked into again.
    ///
    /// ```
    /// use dogu_runtime::mcp::Expander;
    ///
    /// let variable = |name: &str| (name == "TOKEN").then(|| "s3cret".to_owned());
    /// let expander = Expander { variable: &variable, workspace: "/w".as_ref(), home: None };
    /// assert_eq!(expander.expand("Bearer ${env:TOKEN}", "headers").unwrap(), "Bearer s3cret");
    /// assert_eq!(expander.expand("${NO:-x}, $5", "args").unwrap(), "x, $5");
    /// assert!(expander.expand("${NO}", "env.KEY").unwrap_err().to_string().contains("env.KEY"));
    /// ```
    pub fn expand(&self, text: &str, wanted_by: &str) -> Result<String, ExpandError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            expanded.push_str(&rest[..at]);
            let Some(end) = rest[at..].find('}') else {
                return Err(unknown(&rest[at..], wanted_by));
            };
            let (whole, name) = (&rest[at..=at + end], &rest[at + 2..at + end]);
            expanded.push_str(&self.value(whole, name, wanted_by)?);
            rest = &rest[at + end + 1..];
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    fn value(&self, whole: &str, name: &str, wanted_by: &str) -> Result<String, ExpandError> {
        match name {
            "workspaceFolder" => return Ok(self.workspace.display().to_string()),
            "userHome" => {
                let home = self.home.ok_or_else(|| unknown(whole, wanted_by))?;
                return Ok(home.display().to_string());
            }
            _ => {}
        }
        let name = name.strip_prefix("env:").unwrap_or(name);
        let (name, otherwise) = match name.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (name, None),
        };
        if !is_variable(name) {
            return Err(unknown(whole, wanted_by));
        }
        let found = (self.variable)(name).or_else(|| otherwise.map(str::to_owned));
        found.ok_or_else(|| ExpandError::NotSet {
            name: name.to_owned(),
            wanted_by: wanted_by.to_owned(),
        })
    }
}

fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn unknown(text: &str, wanted_by: &str) -> ExpandError {
    ExpandError::Unknown { text: text.to_owned(), wanted_by: wanted_by.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expand(text: &str) -> Result<String, ExpandError> {
        let variable = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${A}".to_owned()),
            _ => None,
        };
        let home = Path::new("/home/me");
        let expander =
            Expander { variable: &variable, workspace: Path::new("/work space"), home: Some(home) };
        expander.expand(text, "args[0]")
    }

    #[test]
    fn variables_become_their_values_once() {
        for (text, expected) in [
            ("", ""),
            ("plain $A $ { }", "plain $A $ { }"),
            ("${A}${env:A}", "11"),
            ("${EMPTY}|${NO:-}|${NO:-a b}|${A:-2}", "||a b|1"),
            ("${NESTED}", "${A}"),
            ("${workspaceFolder}/x ${userHome}", "/work space/x /home/me"),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_named_with_its_place() {
        let not_set = expand("x${env:NO}").unwrap_err().to_string();
        assert_eq!(not_set, "the environment variable NO, which args[0] needs, is not set");
        for text in ["${", "${A", "${}", "${input:key}", "${1A}", "${a b}", "${command:x}"] {
            assert!(matches!(expand(text), Err(ExpandError::Unknown { .. })), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_expanded_or_refused(text in "[${}a-zA:envé -]{0,40}") {
            if let Ok(expanded) = expand(&text)
                && !text.contains("${")
            {
                prop_assert_eq!(expanded, text);
            }
        }
    }
}

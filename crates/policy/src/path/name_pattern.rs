//! A name as a pattern has it, in which `*` stands for any characters.

/// A name of a pattern, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePattern {
    written: &'static str,
    /// Few names have any, and all of them are kept.
    stars: Option<Box<Stars>>,
}

/// What is around the `*` of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stars {
    first: &'static str,
    between: Vec<&'static str>,
    last: &'static str,
}

impl NamePattern {
    pub(super) fn parse(written: &'static str) -> Self {
        let mut parts = written.split('*');
        let (first, last) = (parts.next(), parts.next_back());
        let stars = first
            .zip(last)
            .map(|(first, last)| Box::new(Stars { first, between: parts.collect(), last }));
        Self { written, stars }
    }

    pub(super) fn as_written(&self) -> &'static str {
        self.written
    }

    /// It means more than one name.
    pub(super) fn is_open(&self) -> bool {
        self.stars.is_some()
    }

    /// It means this folded name.
    pub(super) fn matches(&self, name: &str) -> bool {
        match &self.stars {
            Some(stars) => stars.match_name(name),
            None => self.written == name,
        }
    }
}

impl Stars {
    /// The first part must begin the name, the last one end it, and those between are taken as
    /// early as they come, which never misses a match.
    fn match_name(&self, name: &str) -> bool {
        // The end first: most patterns with a star are endings.
        let Some(name) = name.strip_suffix(self.last) else { return false };
        let Some(mut name) = name.strip_prefix(self.first) else { return false };
        for part in &self.between {
            let Some(at) = name.find(part) else { return false };
            name = &name[at + part.len()..];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars() {
        for (pattern, name, matched) in [
            ("*", "", true),
            ("*.pem", "a.pem", true),
            ("*.pem", ".pem", true),
            ("*.pem", "a.pem.md", false),
            (".env.*", ".env.", true),
            (".env.*", ".env", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("*-sa.json", "visa.json", false),
            ("plain", "plain", true),
            ("plain", "plain.", false),
        ] {
            assert_eq!(NamePattern::parse(pattern).matches(name), matched, "{pattern} {name}");
        }
    }
}

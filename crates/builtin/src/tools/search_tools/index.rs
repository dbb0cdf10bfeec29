//! Tools by the words of their names, titles, parameters and descriptions.

use std::collections::HashMap;

use dogu_code::words::{Part, Term, words};
use dogu_tool::{CALL_TOOL, Exposure, NAME_SEPARATOR, SEARCH_TOOLS, ToolSpec};

/// What a word counts that is in the tool's own name.
const IN_NAME: f32 = 4.0;
/// In its title.
const IN_TITLE: f32 = 2.5;
/// In the name of the server or bundle before `__`.
const IN_OWNER: f32 = 1.5;
/// In the name of a parameter.
const IN_PARAMETER: f32 = 1.2;
/// In its description, which its author can make as long as they like: there a word counts once,
/// and the less the more words there are.
const IN_DESCRIPTION: f32 = 1.0;
/// How many words of a description are read.
const MAX_DESCRIPTION_WORDS: usize = 300;
/// How many bytes of a description are read.
const MAX_DESCRIPTION_BYTES: usize = 8 * 1024;
/// How many words a description has that is neither long nor short.
const USUAL_WORDS: f32 = 25.0;
/// How many parameters are read.
const MAX_PARAMETERS: usize = 100;

/// All tools of a step, to be searched.
#[derive(Debug)]
pub struct Index {
    pub(super) tools: Vec<Known>,
    /// Which tools have a word, and how much it counts there.
    pub(super) postings: HashMap<Term, Vec<(u32, f32)>>,
    /// The words of names, for those that are nearly right; sorted.
    pub(super) names: Vec<String>,
}

/// What is known of a tool.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) name: String,
    /// The name without its owner, as letters and digits in lower case.
    pub(super) plain: String,
    /// The whole name so.
    pub(super) whole: String,
    /// Another system's name for what is there under its own.
    pub(super) is_other_name: bool,
}

impl Index {
    /// Reads the tools; the two that are about tools are not among them.
    pub fn of<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Self {
        let mut index = Self { tools: Vec::new(), postings: HashMap::new(), names: Vec::new() };
        for spec in specs.filter(|spec| !is_about_tools(spec)) {
            index.add(spec);
        }
        index.names.sort_unstable();
        index.names.dedup();
        index
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    fn add(&mut self, spec: &ToolSpec) {
        let name = spec.name.as_str();
        let (owner, own) = name.split_once(NAME_SEPARATOR).unwrap_or(("", name));
        let mut counts: HashMap<Term, f32> = HashMap::new();
        let mut count = |text: &str, weight: f32| {
            words(text, |word| {
                let known = counts.entry(word.term()).or_default();
                *known = known.max(weight);
            });
        };
        count(&described(spec), IN_DESCRIPTION * discount(&spec.description));
        for parameter in spec.parameters().into_iter().take(MAX_PARAMETERS) {
            count(parameter, IN_PARAMETER);
        }
        count(owner, IN_OWNER);
        count(spec.title.as_deref().unwrap_or_default(), IN_TITLE);
        count(own, IN_NAME);
        words(name, |word| {
            if word.part == Part::Word {
                self.names.push(String::from_utf8_lossy(word.text).into_owned());
            }
        });
        let at = u32::try_from(self.tools.len()).unwrap_or(u32::MAX);
        for (term, weight) in counts {
            self.postings.entry(term).or_default().push((at, weight));
        }
        self.tools.push(Known {
            name: name.to_owned(),
            plain: letters(own),
            whole: letters(name),
            is_other_name: spec.exposure == Exposure::Deferred,
        });
    }
}

/// The two tools that are about tools are no use to whoever has them.
pub(super) fn is_about_tools(spec: &ToolSpec) -> bool {
    [SEARCH_TOOLS, CALL_TOOL].contains(&spec.name.as_str())
}

/// The part of a description that is read.
fn described(spec: &ToolSpec) -> String {
    beginning(&spec.description)
        .split_whitespace()
        .take(MAX_DESCRIPTION_WORDS)
        .collect::<Vec<_>>()
        .join(" ")
}

fn beginning(text: &str) -> &str {
    &text[..dogu_tool::text::floor_boundary(text, MAX_DESCRIPTION_BYTES.min(text.len()))]
}

/// A word among many says less.
#[expect(clippy::cast_precision_loss, reason = "at most a few thousand words")]
fn discount(description: &str) -> f32 {
    let count = beginning(description).split_whitespace().count() as f32;
    1.0 / (0.5 + 0.5 * (count / USUAL_WORDS).max(0.5))
}

/// Letters and digits in lower case, and nothing that joins them.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

//! What a grammar calls the things that a map shows: rules in names, made into tables of numbers
//! at a language's first use.
//!
//! A walk over the tree with these tables is one pass, and unlike queries it has no limits on
//! nesting or matches that a hostile text meets.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use super::{Language, rules};
use crate::map::Kind;

/// When a node is a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Only {
    /// It has this field: `struct x { … }` and not the use of `struct x`.
    Has(&'static str),
    /// It does not stand in a block or a loop, but where the whole file sees it.
    AtTop,
    /// It declares a function, maybe one that gives a pointer.
    DeclaresFunction,
    /// One of the [`Rule::refined`] kinds applies.
    Refined,
    /// Its name begins with a capital letter: what is constant by custom.
    Capital,
    /// All of these words stand before the name.
    Words(&'static [&'static str]),
}

/// A node that defines something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    /// The field or kind of the child that holds the name.
    pub(crate) name: &'static str,
    /// What it is called where it has no name.
    pub(crate) unnamed: &'static str,
    /// The fields or kinds of the children at which the signature ends.
    pub(crate) ends: &'static [&'static str],
    /// What a child of this kind makes of it.
    pub(crate) refined: &'static [(&'static str, Kind)],
    pub(crate) only: &'static [Only],
}

/// A rule for nodes with a `name` and maybe a `body`.
pub(crate) const fn rule(node: &'static str, kind: Kind) -> Rule {
    Rule { node, kind, name: "name", unnamed: "", ends: &["body"], refined: &[], only: &[] }
}

impl Rule {
    pub(crate) const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    pub(crate) const fn or_called(mut self, name: &'static str) -> Self {
        self.unnamed = name;
        self
    }

    pub(crate) const fn ends_at(mut self, ends: &'static [&'static str]) -> Self {
        self.ends = ends;
        self
    }

    pub(crate) const fn refined(mut self, refined: &'static [(&'static str, Kind)]) -> Self {
        self.refined = refined;
        self
    }

    pub(crate) const fn only(mut self, only: &'static [Only]) -> Self {
        self.only = only;
        self
    }
}

/// How much of a node around a definition belongs to its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// All that stands before it: `template <class T>`, `export default`.
    Whole,
    /// The first word, because others may stand between: `const ( A = 1; B = 2 )`.
    Word,
    /// Nothing of its own.
    Nothing,
}

/// The rules of a language, in its grammar's words.
pub(crate) struct Rules {
    pub(crate) definitions: &'static [Rule],
    pub(crate) wrappers: &'static [(&'static str, Wrapper)],
    /// Nodes that name something: what is mentioned.
    pub(crate) names: &'static [&'static str],
    /// Nodes that do not belong to a signature: comments, annotations.
    pub(crate) dropped: &'static [&'static str],
    /// Nodes of which a signature shows only that they are there.
    pub(crate) folded: &'static [&'static str],
    /// Nodes whose children the whole file sees.
    pub(crate) tops: &'static [&'static str],
}

/// What a kind of node is to a map.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a node can be any of them at once")]
pub(crate) struct NodeRole {
    /// The place of its first rule, and how many it has.
    rules: (u8, u8),
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) is_name: bool,
    pub(crate) is_dropped: bool,
    pub(crate) is_folded: bool,
    pub(crate) is_top: bool,
}

/// Where a signature ends, in numbers.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) fields: Vec<NonZeroU16>,
    pub(crate) kinds: Vec<u16>,
}

/// A language's grammar with its rules.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    roles: Vec<NodeRole>,
    /// By node, so that the rules of a node stand together.
    definitions: Vec<(Rule, Ends)>,
}

impl Grammar {
    fn new(language: tree_sitter::Language, rules: &Rules) -> Self {
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let mut definitions: Vec<_> =
            rules.definitions.iter().map(|rule| (*rule, ends(&language, rule))).collect();
        definitions.sort_by_key(|(rule, _)| rule.node);
        let of_kind = (0..count).map(|id| role(&language, rules, &definitions, id));
        Self { roles: of_kind.collect(), language, definitions }
    }

    /// What nodes of a kind are.
    pub(crate) fn role(&self, kind: u16) -> NodeRole {
        self.roles.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// The rules for nodes with a role.
    pub(crate) fn rules(&self, role: NodeRole) -> &[(Rule, Ends)] {
        let first = usize::from(role.rules.0);
        &self.definitions[first..first + usize::from(role.rules.1)]
    }
}

fn role(
    language: &tree_sitter::Language,
    rules: &Rules,
    definitions: &[(Rule, Ends)],
    id: u16,
) -> NodeRole {
    let kind = language.node_kind_for_id(id).unwrap_or_default();
    if !language.node_kind_is_named(id) {
        return NodeRole::default();
    }
    let first = definitions.iter().position(|(rule, _)| rule.node == kind).unwrap_or(0);
    let count = definitions.iter().filter(|(rule, _)| rule.node == kind).count();
    let small = |number: usize| u8::try_from(number).unwrap_or(0);
    NodeRole {
        rules: (small(first), small(count)),
        wrapper: rules.wrappers.iter().find(|(node, _)| *node == kind).map(|found| found.1),
        is_name: rules.names.contains(&kind),
        is_dropped: rules.dropped.contains(&kind),
        is_folded: rules.folded.contains(&kind),
        is_top: rules.tops.contains(&kind),
    }
}

fn ends(language: &tree_sitter::Language, rule: &Rule) -> Ends {
    let mut ends = Ends::default();
    for name in rule.ends {
        ends.fields.extend(language.field_id_for_name(name));
        ends.kinds.extend(all_kinds(language, name));
    }
    ends
}

/// A kind can have several numbers; words and signs are kinds too.
fn all_kinds<'a>(
    language: &'a tree_sitter::Language,
    name: &'a str,
) -> impl Iterator<Item = u16> + 'a {
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    (0..count).filter(move |id| language.node_kind_for_id(*id) == Some(name))
}

/// The grammar of a language; made at the first call.
pub(super) fn of(language: Language) -> &'static Grammar {
    static GRAMMARS: [OnceLock<Grammar>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    GRAMMARS[language as usize].get_or_init(|| {
        let (function, rules) = rules::of(language);
        Grammar::new(function.into(), rules)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(language: &tree_sitter::Language, name: &str) -> bool {
        all_kinds(language, name)
            .any(|id| language.node_kind_is_named(id) || !name.contains(char::is_alphabetic))
    }

    #[test]
    fn every_name_in_the_rules_is_one_of_the_grammar() {
        for language in Language::ALL {
            let (function, rules) = rules::of(language);
            let grammar: tree_sitter::Language = function.into();
            let nodes = rules.definitions.iter().map(|rule| rule.node);
            let wrappers = rules.wrappers.iter().map(|found| found.0);
            let others = rules
                .names
                .iter()
                .chain(rules.dropped)
                .chain(rules.folded)
                .chain(rules.tops)
                .copied();
            for node in nodes.chain(wrappers).chain(others) {
                assert!(knows(&grammar, node), "{language:?} has no node {node}");
            }
            for rule in rules.definitions {
                for name in rule.ends.iter().chain([&rule.name]).filter(|name| !name.is_empty()) {
                    let known = grammar.field_id_for_name(name).is_some() || knows(&grammar, name);
                    // `name` and `body` are what most nodes have, and some grammars have none.
                    let usual = matches!(*name, "name" | "body");
                    assert!(known || usual, "{language:?}: {} has no {name}", rule.node);
                }
            }
        }
    }
}

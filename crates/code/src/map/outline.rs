//! What one file defines and mentions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::definition::{Definition, Kind};
use super::signature::Place;
use crate::language::{Ends, Grammar, Language, NodeRole, Only, Rule, Unparsed, Wrapper, parsed};

/// No more definitions of one file are noted.
const MAX_DEFINITIONS: usize = 5_000;
/// No more names that one file mentions are noted.
const MAX_NAMES: usize = 10_000;
/// Longer names are no names.
const MAX_NAME: usize = 100;
/// A value that is shown with its constant is at most so long, in bytes.
const MAX_SHOWN_VALUE: usize = 60;
/// How far a name is looked for inside a declaration.
const MAX_STEPS: usize = 32;
/// How many children of a node are looked at for one of a kind.
const MAX_CHILDREN: usize = 32;

/// What one file defines and mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// In the order of the text.
    pub definitions: Vec<Definition>,
    /// The names that it mentions, and how often, by name; definitions do not count.
    pub mentions: Vec<(Arc<str>, u32)>,
}

impl Outline {
    /// Parses a text. `stop` is asked now and then whether to give up.
    ///
    /// ```
    /// use dogu_code::{language::Language, map::Outline};
    ///
    /// let outline = Outline::of("fn f(a: u8) -> X { parse(a) }", Language::Rust, &|| false).unwrap();
    /// assert_eq!(outline.definitions[0].signature, "fn f(a: u8) -> X");
    /// assert!(outline.mentions.contains(&("parse".into(), 1)));
    /// ```
    pub fn of(
        text: &str,
        language: Language,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Unparsed> {
        parsed(text, language, stop, |tree| {
            let mut walk = Walk::new(text, language.grammar());
            walk.all(&mut tree.walk());
            walk.finish()
        })
    }
}

/// Names of many outlines, each kept in memory once.
#[derive(Debug, Default)]
pub struct NamePool(HashSet<Arc<str>>);

impl NamePool {
    /// Replaces the names of an outline by those that are here already.
    pub fn share(&mut self, outline: &mut Outline) {
        let defined = outline.definitions.iter_mut().map(|definition| &mut definition.name);
        let mentioned = outline.mentions.iter_mut().map(|(name, _)| name);
        for name in defined.chain(mentioned) {
            if let Some(known) = self.0.get(name) {
                *name = Arc::clone(known);
            } else {
                self.0.insert(Arc::clone(name));
            }
        }
    }
}

/// A node on the way from the root to where the walk is.
#[derive(Clone, Copy)]
struct Step<'t> {
    node: Node<'t>,
    role: NodeRole,
}

struct Walk<'t> {
    text: &'t str,
    grammar: &'static Grammar,
    above: Vec<Step<'t>>,
    /// The definitions around: how deep each stands, and its place.
    open: Vec<(usize, u32, Kind)>,
    definitions: Vec<Definition>,
    mentions: HashMap<&'t str, u32>,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, grammar: &'static Grammar) -> Self {
        let (above, open) = (Vec::new(), Vec::new());
        Self { text, grammar, above, open, definitions: Vec::new(), mentions: HashMap::new() }
    }

    /// Every node once, parents first; no recursion, for a tree can be as deep as its text is long.
    fn all(&mut self, cursor: &mut TreeCursor<'t>) {
        loop {
            let node = cursor.node();
            let role = self.grammar.role(node.kind_id());
            self.enter(node, role);
            if cursor.goto_first_child() {
                self.above.push(Step { node, role });
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.above.pop();
            }
        }
    }

    fn enter(&mut self, node: Node<'t>, role: NodeRole) {
        while self.open.last().is_some_and(|(depth, ..)| *depth >= self.above.len()) {
            self.open.pop();
        }
        if role.is_name {
            self.mention(node);
        }
        let rules = self.grammar.rules(role);
        if rules.is_empty() || self.is_local() || self.definitions.len() >= MAX_DEFINITIONS {
            return;
        }
        let wrappers = self.wrappers();
        for (rule, ends) in rules {
            if self.define(node, rule, ends, &wrappers) {
                break;
            }
        }
    }

    fn is_local(&self) -> bool {
        self.open.last().is_some_and(|(.., kind)| kind.hides_what_is_inside())
    }

    fn mention(&mut self, node: Node<'t>) {
        let name = &self.text[node.byte_range()];
        // Names of one letter are variables, whatever else is called so.
        if name.len() < 2 || name.len() > MAX_NAME {
            return;
        }
        if let Some(count) = self.mentions.get_mut(name) {
            *count = count.wrapping_add(1);
        } else if self.mentions.len() < MAX_NAMES {
            self.mentions.insert(name, 1);
        }
    }

    /// The nodes right above that belong to a definition here, outermost first.
    fn wrappers(&self) -> Vec<(Node<'t>, Wrapper)> {
        let above = self.above.iter().rev().map_while(|step| Some((step.node, step.role.wrapper?)));
        let mut wrappers: Vec<_> = above.collect();
        wrappers.reverse();
        wrappers
    }

    /// Notes a definition, if the node is one by this rule.
    fn define(
        &mut self,
        node: Node<'t>,
        rule: &Rule,
        ends: &Ends,
        wrappers: &[(Node<'t>, Wrapper)],
    ) -> bool {
        let refined = refined(node, rule);
        let Some((name_node, name)) = self.name(node, rule) else { return false };
        let holds = |only| self.holds(only, node, name, refined.is_some(), wrappers);
        if !rule.only.iter().all(|only| holds(*only)) {
            return false;
        }
        let parent = self.open.last().copied();
        let kind = kind_in(refined.map_or(rule.kind, |found| found.1), parent);
        let end = self.end(node, rule, ends, refined.map(|found| found.0), kind);
        let (signature, start) = Place { node, wrappers, end }.signature(self.grammar, self.text);
        let definition = Definition {
            kind,
            name: name.into(),
            line: self.line_of(start, node),
            last_line: last_line(node),
            parent: parent.map(|(_, place, _)| place),
            signature,
        };
        if self.repeats_parent(&definition) {
            return false;
        }
        if name_node.is_some_and(|found| self.is_mention(found)) {
            // The walk comes by this node too, and counts it.
            let count = self.mentions.entry(name).or_insert(0);
            *count = count.wrapping_sub(1);
        }
        let place = number(self.definitions.len());
        self.definitions.push(definition);
        self.open.push((self.above.len(), place, kind));
        true
    }

    fn is_mention(&self, node: Node<'t>) -> bool {
        (2..=MAX_NAME).contains(&node.byte_range().len())
            && self.grammar.role(node.kind_id()).is_name
    }

    /// `typedef struct x { … } x;` is one thing.
    fn repeats_parent(&self, definition: &Definition) -> bool {
        let parent = definition.parent.map(|place| &self.definitions[place as usize]);
        parent.is_some_and(|parent| {
            parent.name == definition.name
                && parent.line == definition.line
                && definition.kind != Kind::Method
        })
    }

    /// What a definition is called, and the node that says so.
    fn name(&self, node: Node<'t>, rule: &Rule) -> Option<(Option<Node<'t>>, &'t str)> {
        let holder = child(node, rule.name);
        let found = holder.map(|holder| name_in(holder, self.grammar));
        let name = found.map_or(rule.unnamed, |found| &self.text[found.byte_range()]);
        let fits = !name.is_empty() && name.len() <= MAX_NAME && !name.contains('\n');
        fits.then_some((found, name))
    }

    fn holds(
        &self,
        only: Only,
        node: Node<'t>,
        name: &str,
        is_refined: bool,
        wrappers: &[(Node<'t>, Wrapper)],
    ) -> bool {
        match only {
            Only::Has(field) => node.child_by_field_name(field).is_some(),
            Only::AtTop => self.is_at_top(wrappers.len()),
            Only::DeclaresFunction => declares_function(node),
            Only::Refined => is_refined,
            Only::Capital => name.starts_with(char::is_uppercase),
            Only::Words(words) => {
                let start = wrappers.first().map_or(node, |found| found.0).start_byte();
                let before = &self.text[start..node.start_byte()];
                let has =
                    |word| before.split(|c: char| !c.is_alphanumeric()).any(|own| own == word);
                words.iter().all(|word| has(*word))
            }
        }
    }

    fn is_at_top(&self, wrappers: usize) -> bool {
        let above = self.above.len().checked_sub(wrappers + 1);
        above.is_none_or(|place| self.above[place].role.is_top)
    }

    /// Where the signature ends.
    fn end(
        &self,
        node: Node<'t>,
        rule: &Rule,
        ends: &Ends,
        value: Option<Node<'t>>,
        kind: Kind,
    ) -> usize {
        if rule.ends.is_empty() {
            return node.end_byte();
        }
        let body = value.and_then(|value| self.body_of(value));
        let end = body.or_else(|| first_end(node, ends)).unwrap_or(node.end_byte());
        let rest = self.text.get(end..node.end_byte()).unwrap_or_default();
        let is_value = matches!(kind, Kind::Constant | Kind::Property) && body.is_none();
        let rest = rest.trim_end();
        let is_short = rest.len() <= MAX_SHOWN_VALUE && !rest.contains(['\n', '{']);
        if is_value && is_short { node.end_byte() } else { end }
    }

    /// Where the body of a value begins: of a function after its parameters.
    fn body_of(&self, value: Node<'t>) -> Option<usize> {
        let body = value.child_by_field_name("body").map(|body| body.start_byte());
        let brace = || self.text[value.byte_range()].find('{').map(|at| value.start_byte() + at);
        // An empty function may have no body at all.
        let end = || value.is_named().then_some(value.end_byte());
        body.or_else(brace).or_else(end)
    }

    fn line_of(&self, start: usize, node: Node<'t>) -> u32 {
        let lines = |from: usize, to: usize| {
            memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..to]).count()
        };
        let (own, row) = (node.start_byte(), node.start_position().row + 1);
        let row = if start < own { row - lines(start, own) } else { row + lines(own, start) };
        number(row)
    }

    fn finish(self) -> Outline {
        let mentions = self.mentions.into_iter().filter(|(_, count)| *count > 0);
        let mut mentions: Vec<_> = mentions.map(|(name, count)| (Arc::from(name), count)).collect();
        mentions.sort_unstable();
        Outline { definitions: self.definitions, mentions }
    }
}

/// Some nodes hold the end of their last line.
fn last_line(node: Node<'_>) -> u32 {
    let (start, end) = (node.start_position(), node.end_position());
    number(if end.column == 0 && end.row > start.row { end.row } else { end.row + 1 })
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A function of a type is a method.
fn kind_in(kind: Kind, parent: Option<(usize, u32, Kind)>) -> Kind {
    let in_type = parent.is_some_and(|(.., kind)| kind.has_methods());
    if kind == Kind::Function && in_type { Kind::Method } else { kind }
}

/// The child in a field or of a kind.
fn child<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    if name.is_empty() {
        return None;
    }
    node.child_by_field_name(name).or_else(|| {
        children(node).into_iter().find(|(child, _)| child.kind() == name).map(|found| found.0)
    })
}

/// The first children of a node with their fields.
fn children(node: Node<'_>) -> Vec<(Node<'_>, Option<std::num::NonZeroU16>)> {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        while found.len() < MAX_CHILDREN {
            found.push((cursor.node(), cursor.field_id()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}

/// What a child, or a child of it, makes of a definition.
fn refined<'t>(node: Node<'t>, rule: &Rule) -> Option<(Node<'t>, Kind)> {
    if rule.refined.is_empty() {
        return None;
    }
    let of = |node: Node<'t>| {
        let kind = rule.refined.iter().find(|(name, _)| *name == node.kind());
        kind.map(|(_, kind)| (node, *kind))
    };
    let own = children(node);
    own.iter().find_map(|(child, _)| of(*child)).or_else(|| {
        let (last, _) = own.last()?;
        children(*last).into_iter().find_map(|(child, _)| of(child))
    })
}

fn first_end(node: Node<'_>, ends: &Ends) -> Option<usize> {
    let is_end = |child: Node<'_>, field: Option<_>| {
        field.is_some_and(|field| ends.fields.contains(&field))
            || ends.kinds.contains(&child.kind_id())
    };
    children(node)
        .into_iter()
        .find(|(child, field)| is_end(*child, *field))
        .map(|(child, _)| child.start_byte())
}

/// The node that says the name inside one that holds it: `b` of `*(b)(int)` and of `a::b<c>`.
fn name_in<'t>(holder: Node<'t>, grammar: &Grammar) -> Node<'t> {
    const FIELDS: [&str; 6] = ["name", "declarator", "property", "field", "method", "type"];
    let mut node = holder;
    for _ in 0..MAX_STEPS {
        if grammar.role(node.kind_id()).is_name || node.child_count() == 0 {
            break;
        }
        let by_field = FIELDS.iter().find_map(|field| node.child_by_field_name(field));
        let own = || children(node).into_iter().map(|found| found.0);
        let by_kind = || own().rfind(|child| grammar.role(child.kind_id()).is_name);
        let next = by_field.or_else(by_kind).or_else(|| own().find(Node::is_named));
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// Whether a declaration's name stands before parameters.
fn declares_function(node: Node<'_>) -> bool {
    let mut next = node.child_by_field_name("declarator");
    for _ in 0..MAX_STEPS {
        match next {
            Some(found) if found.kind() == "function_declarator" => return true,
            Some(found) => {
                next = found.child_by_field_name("declarator").or_else(|| {
                    let holds = matches!(found.kind(), "reference_declarator");
                    if holds { found.named_child(0) } else { None }
                });
            }
            None => return false,
        }
    }
    false
}

//! A YAML document as nodes that know where they are.

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};
use serde_json::{Map, Number, Value};

use super::super::EditError;

/// A node of the document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Written with brackets.
    pub(super) is_flow: bool,
    /// Its first byte, and the one after its last.
    pub(super) start: usize,
    pub(super) end: usize,
    /// A name for it, or what it refers to, or what kind of thing it says that it is.
    extra: Option<String>,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    Scalar { text: String, is_plain: bool },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// A collection that is still open.
struct Open {
    node: Node,
    /// Children in a row; a map's are key, value, key, value.
    children: Vec<Node>,
}

/// The document; none where there is nothing but comments.
pub(super) fn parse(text: &str) -> Result<Option<Node>, EditError> {
    let unreadable = |what: String| EditError::Unreadable(what);
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| unreadable(error.to_string()))?;
        let done = match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(unreadable("it has more than one document".to_owned()));
                }
                continue;
            }
            Event::Scalar(value, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                let kind = Kind::Scalar { text: value.into_owned(), is_plain };
                node(kind, true, &span, extra(anchor, tag.map(|tag| format!("{tag:?}"))))
            }
            Event::Alias(id) => {
                let kind = Kind::Scalar { text: format!("*{id}"), is_plain: false };
                node(kind, true, &span, Some("alias".to_owned()))
            }
            Event::SequenceStart(style, anchor, tag) => {
                let extra = extra(anchor, tag.map(|tag| format!("{tag:?}")));
                open.push(opened(Kind::List(Vec::new()), style, &span, extra));
                continue;
            }
            Event::MappingStart(style, anchor, tag) => {
                let extra = extra(anchor, tag.map(|tag| format!("{tag:?}")));
                open.push(opened(Kind::Map(Vec::new()), style, &span, extra));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(last) => closed(last, &span),
                None => continue,
            },
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.children.push(done),
            None => root = Some(done),
        }
    }
    Ok(root.filter(|node| node.end > node.start || !node.is_nothing()))
}

fn extra(anchor: usize, tag: Option<String>) -> Option<String> {
    match (anchor, tag) {
        (0, tag) => tag,
        (anchor, tag) => Some(format!("&{anchor} {}", tag.unwrap_or_default())),
    }
}

fn bytes(span: &Span) -> (usize, usize) {
    (span.start.byte_offset().unwrap_or_default(), span.end.byte_offset().unwrap_or_default())
}

fn node(kind: Kind, is_flow: bool, span: &Span, extra: Option<String>) -> Node {
    let (start, end) = bytes(span);
    Node { kind, is_flow, start, end, extra }
}

fn opened(kind: Kind, style: StructureStyle, span: &Span, extra: Option<String>) -> Open {
    let is_flow = style == StructureStyle::Flow;
    Open { node: node(kind, is_flow, span, extra), children: Vec::new() }
}

fn closed(open: Open, span: &Span) -> Node {
    let Open { mut node, children } = open;
    // A block ends where its last word does, not where the next one begins.
    let last = children.last().map(|child| child.end);
    node.end = if node.is_flow { bytes(span).1 } else { last.unwrap_or(node.start) };
    node.kind = match node.kind {
        Kind::Map(_) => {
            let mut pairs = Vec::new();
            let mut children = children.into_iter();
            while let (Some(key), Some(value)) = (children.next(), children.next()) {
                pairs.push((key, value));
            }
            Kind::Map(pairs)
        }
        _ => Kind::List(children),
    };
    node
}

impl Node {
    pub(super) fn is_nothing(&self) -> bool {
        self.value().is_null()
    }

    /// A key's text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The pair of this key.
    pub(super) fn pair(&self, key: &str) -> Result<Option<&(Node, Node)>, EditError> {
        let Kind::Map(pairs) = &self.kind else { return Ok(None) };
        let mut found = pairs.iter().filter(|(name, _)| name.text() == Some(key));
        let first = found.next();
        match found.next() {
            Some(_) => Err(EditError::Twice(key.to_owned())),
            None => Ok(first),
        }
    }

    /// What it means. Anchors and tags stay visible, so that two documents which differ in them
    /// are different.
    pub(super) fn value(&self) -> Value {
        let value = match &self.kind {
            Kind::Scalar { text, is_plain: true } => plain(text),
            Kind::Scalar { text, .. } => Value::from(text.as_str()),
            Kind::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            Kind::Map(pairs) => Value::Object(pairs.iter().map(member).collect::<Map<_, _>>()),
        };
        match &self.extra {
            None => value,
            Some(extra) => serde_json::json!({ extra.as_str(): value }),
        }
    }
}

fn member((key, value): &(Node, Node)) -> (String, Value) {
    let name = match key.text() {
        Some(text) => text.to_owned(),
        None => key.value().to_string(),
    };
    (name, value.value())
}

/// What a word without quotes means.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let integer = text.parse::<i64>().ok().map(Number::from);
    integer.map_or_else(|| Value::from(text), Value::Number)
}

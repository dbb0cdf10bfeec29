//! The work that is measured: each cell reads one input of any size from its beginning to the
//! end of the call, and checks that nothing of it was lost.

use std::hint::black_box;
use std::sync::Arc;

use dogu_protocol::json::{End, PartialJson, repair};
use dogu_protocol::native::{DeltaParser, Finish, NativeParser, ToolCallDelta};
use dogu_protocol::text::{Forms, TextParser};
use dogu_protocol::{Event, Provider, Tools};
use dogu_tool::ToolSpec;
use serde_json::json;

use crate::bare;
use crate::texts::{Cut, Kind};
use crate::wires::{PIECE, Wire, arguments};

pub(crate) const PROVIDERS: [(&str, Provider); 4] = [
    ("openai", Provider::OpenAi),
    ("responses", Provider::Responses),
    ("anthropic", Provider::Anthropic),
    ("gemini", Provider::Gemini),
];

/// One thing to measure, with its input made beforehand.
pub(crate) struct Cell {
    /// How many bytes of text it reads.
    pub(crate) bytes: usize,
    work: Box<dyn Fn()>,
}

impl Cell {
    fn new(bytes: usize, work: impl Fn() + 'static) -> Self {
        Self { bytes, work: Box::new(work) }
    }

    /// Does the work once.
    pub(crate) fn run(&self) {
        (self.work)();
    }
}

/// The cell of a name.
pub(crate) fn named(name: &str, kind: Kind, size: usize) -> Option<Cell> {
    match name {
        "native" => Some(native(kind, size)),
        "xml" => Some(xml(kind, size)),
        "partial-json" => Some(partial_json(kind, size)),
        "repair" => Some(repaired(kind, size)),
        "prose" => Some(prose(kind, size)),
        _ => of_wire(name, kind, size),
    }
}

/// `openai` is the parser, `openai-typed` and `openai-value` are `serde_json` alone.
fn of_wire(name: &str, kind: Kind, size: usize) -> Option<Cell> {
    let (name, bare) = name.split_once('-').unwrap_or((name, ""));
    let (_, provider) = *PROVIDERS.iter().find(|(known, _)| *known == name)?;
    let content = kind.text(size);
    let Wire { documents, chunks } = Wire::of(provider, &content);
    match bare {
        "" => Some(wire(provider, chunks, content.len())),
        "typed" => Some(Cell::new(content.len(), move || bare::typed(provider, &documents))),
        "value" => Some(Cell::new(content.len(), move || bare::values(&documents))),
        _ => None,
    }
}

/// Counts what came, without copies.
#[derive(Default)]
struct Seen {
    text: usize,
    deltas: usize,
    /// The content of the call that ended.
    ended: Option<usize>,
}

impl Seen {
    fn take(&mut self, event: Event<'_>) {
        match black_box(event) {
            Event::Text(text) => self.text += text.len(),
            Event::Started { .. } => {}
            Event::Delta { text, .. } => self.deltas += text.len(),
            Event::Ended(call) => self.ended = call.input["content"].as_str().map(str::len),
            Event::Failed(call) => panic!("{}", call.error.message),
        }
    }
}

fn tools() -> Arc<Tools> {
    let schema = json!({
        "type": "object", "required": ["path", "content"],
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
    });
    let names = ["read_file", "write_file", "list_files", "search_files", "execute_command"];
    let specs = names.map(|name| ToolSpec::new(name, "A tool.", schema.clone()).unwrap());
    Arc::new(Tools::of(&specs))
}

/// Pieces of the arguments' JSON that somebody else took off the wire.
pub(crate) fn native(kind: Kind, size: usize) -> Cell {
    let (tools, content) = (tools(), kind.text(size));
    let arguments = Cut::new(arguments(&content), PIECE);
    Cell::new(content.len(), move || {
        let (mut parser, mut seen) = (DeltaParser::new(Arc::clone(&tools)), Seen::default());
        let (id, name) = (Some("call_1".into()), Some("write_file".into()));
        let begin = ToolCallDelta { index: Some(0), id, name, arguments: None };
        parser.feed(&begin, &mut |event| seen.take(event));
        for piece in arguments.pieces() {
            let arguments = Some(piece.into());
            let delta = ToolCallDelta { index: Some(0), arguments, ..Default::default() };
            parser.feed(&delta, &mut |event| seen.take(event));
        }
        parser.end(Finish::Complete, &mut |event| seen.take(event));
        assert_eq!((seen.deltas, seen.ended), (arguments.text.len(), Some(content.len())));
    })
}

/// Pieces of a call in tags.
pub(crate) fn xml(kind: Kind, size: usize) -> Cell {
    let (tools, content) = (tools(), kind.text(size));
    let (before, after) = ("<write_file><path>a.rs</path><content>\n", "\n</content></write_file>");
    let cut = Cut::new([before, &content, after].concat(), PIECE);
    Cell::new(content.len(), move || {
        let mut parser = TextParser::new(Arc::clone(&tools), Forms::auto());
        let mut seen = Seen::default();
        for piece in cut.pieces() {
            parser.feed(piece, &mut |event| seen.take(event));
        }
        parser.finish(&mut |event| seen.take(event));
        assert_eq!((seen.text, seen.ended), (0, Some(content.len())));
    })
}

/// The wire of a provider, one document a chunk.
pub(crate) fn wire(provider: Provider, chunks: Vec<String>, content: usize) -> Cell {
    let tools = tools();
    Cell::new(content, move || {
        let mut parser = NativeParser::new(provider, Arc::clone(&tools));
        let mut seen = Seen::default();
        for chunk in &chunks {
            parser.feed(chunk, &mut |event| seen.take(event));
        }
        parser.finish(&mut |event| seen.take(event));
        assert_eq!((seen.ended, parser.problem()), (Some(content), None));
    })
}

/// The value so far, looked at after each piece.
pub(crate) fn partial_json(kind: Kind, size: usize) -> Cell {
    let content = kind.text(size);
    let arguments = Cut::new(arguments(&content), PIECE);
    Cell::new(content.len(), move || {
        let (mut partial, mut looks) = (PartialJson::new(), 0);
        for piece in arguments.pieces() {
            partial.push(piece);
            looks += usize::from(black_box(partial.value())["content"].is_string());
        }
        assert!(partial.is_complete() && looks > 0);
        assert_eq!(partial.value()["content"].as_str().map(str::len), Some(content.len()));
    })
}

/// Arguments with one trailing comma.
pub(crate) fn repaired(kind: Kind, size: usize) -> Cell {
    let content = kind.text(size);
    let mut arguments = arguments(&content);
    arguments.insert(arguments.len() - 1, ',');
    Cell::new(content.len(), move || {
        let (value, notes) = repair(&arguments, End::Said).unwrap();
        assert_eq!(value["content"].as_str().map(str::len), Some(content.len()));
        assert_eq!(notes.len(), 1);
    })
}

/// A message without calls, in chunks of 4 KB; source code stands in fences.
pub(crate) fn prose(kind: Kind, size: usize) -> Cell {
    const SECTION: usize = 4_000;
    let (tools, text) = (tools(), kind.text(size));
    let sections = Cut::new(text, SECTION);
    let section = |piece: &str| match kind {
        Kind::Source => format!("This is the next part:\n\n```rust\n{piece}\n```\n\n"),
        _ => format!("{piece}\n\n"),
    };
    let message = Cut::new(sections.pieces().map(section).collect(), 4 << 10);
    Cell::new(message.text.len(), move || {
        let mut parser = TextParser::new(Arc::clone(&tools), Forms::auto());
        let mut seen = Seen::default();
        for chunk in message.pieces() {
            parser.feed(chunk, &mut |event| seen.take(event));
        }
        parser.finish(&mut |event| seen.take(event));
        assert_eq!((seen.text, seen.ended), (message.text.len(), None));
    })
}

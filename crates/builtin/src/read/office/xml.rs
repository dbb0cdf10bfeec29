//! XML as office documents have it, one event after another.

use dogu_tool::CancelFlag;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::MAX_ENTRY_BYTES;
use super::zip::{Archive, Problem};

/// How deep elements may be in each other.
const MAX_DEPTH: usize = 4_000;
/// How many events pass between two looks at whether the call was canceled.
const EVENTS_PER_LOOK: usize = 4_096;

/// What is met in a document. Names are without the prefix of their namespace.
#[derive(Clone, Copy)]
pub(super) enum Met<'e> {
    Open(&'e Element<'e>),
    Close(&'e str),
    Text(&'e str),
}

/// The beginning of an element.
pub(super) struct Element<'e> {
    pub(super) name: &'e str,
    start: &'e BytesStart<'e>,
}

impl Element<'_> {
    /// The value of an attribute, by its name without prefix.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let mut attributes = self.start.attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        let found = attributes.find(|found| found.key.local_name().as_ref() == name)?;
        let raw = found.value.into_owned();
        Some(quick_xml::escape::unescape(&raw).map_or_else(|_| raw.clone(), Into::into))
    }
}

/// Reads a file of a package; an empty element is met as one that is opened and closed. What is
/// broken ends it there: what was met before is kept.
pub(super) fn read(
    archive: &Archive<'_>,
    name: &str,
    cancel: &CancelFlag,
    mut meet: impl FnMut(Met<'_>),
) -> Result<(), Problem> {
    let content = archive.read(name, MAX_ENTRY_BYTES)?.unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let mut reader = Reader::from_str(&content);
    reader.config_mut().check_end_names = false;
    let mut depth = 0_usize;
    for count in 1_usize.. {
        if count.is_multiple_of(EVENTS_PER_LOOK) && cancel.is_canceled() {
            break;
        }
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                depth += 1;
                open(&start, &mut meet);
            }
            Ok(Event::Empty(start)) => {
                open(&start, &mut meet);
                meet(Met::Close(start.local_name().as_ref()));
            }
            Ok(Event::End(end)) => {
                depth = depth.saturating_sub(1);
                meet(Met::Close(end.local_name().as_ref()));
            }
            Ok(Event::Text(text)) => meet(Met::Text(&text)),
            Ok(Event::CData(text)) => meet(Met::Text(&text)),
            Ok(Event::GeneralRef(reference)) => {
                meet(Met::Text(&resolved(&reference)));
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        if depth > MAX_DEPTH {
            return Err(Problem::Broken);
        }
    }
    Ok(())
}

fn open(start: &BytesStart<'_>, meet: &mut impl FnMut(Met<'_>)) {
    let name = start.local_name();
    meet(Met::Open(&Element { name: name.as_ref(), start }));
}

/// `&amp;` and `&#65;`; entities that a document declares itself are not resolved.
fn resolved(reference: &str) -> String {
    let text = format!("&{reference};");
    quick_xml::escape::unescape(&text).map_or_else(|_| text.clone(), Into::into)
}

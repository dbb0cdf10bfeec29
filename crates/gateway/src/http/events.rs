//! A stream of events of which each is bounded.

use futures::StreamExt as _;
use futures::stream;
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::Events;
use crate::wire::{failure, too_long};

/// The shortest time after which a stream is opened again, whatever the server wants.
const SHORTEST_RETRY_MS: u64 = 100;

/// An event that was longer than it may be.
#[derive(Debug, thiserror::Error)]
#[error("an event is too long")]
struct TooLong;

/// The events of a response. One that is too long ends the stream; whoever waits for the answer
/// to the request `id` is told why.
pub(super) fn read(response: Response, most: usize, id: Option<RequestId>) -> Events {
    type Failed = Box<dyn std::error::Error + Send + Sync>;
    let size = Size { most, ..Size::default() };
    let bytes = stream::unfold(Some((response, size)), |state| async move {
        let (mut response, mut size) = state?;
        match response.chunk().await {
            Ok(Some(chunk)) if size.admits(&chunk) => Some((Ok(chunk), Some((response, size)))),
            Ok(Some(_)) => Some((Err(Failed::from(TooLong)), None)),
            Ok(None) => None,
            Err(error) => Some((Err(Failed::from(error)), None)),
        }
    });
    let events = SseStream::from_bytes_stream(bytes.map(|bytes| bytes.map_err(Boxed)));
    events.map(move |event| told(event, most, id.as_ref())).boxed()
}

/// An error of which only its words are known.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Boxed(Box<dyn std::error::Error + Send + Sync>);

fn told(
    event: Result<Sse, SseError>,
    most: usize,
    id: Option<&RequestId>,
) -> Result<Sse, SseError> {
    let error = match event {
        Ok(mut event) => {
            event.retry = event.retry.map(|retry| retry.max(SHORTEST_RETRY_MS));
            return Ok(event);
        }
        Err(error) => error,
    };
    match (&error, id) {
        (SseError::Body(cause), Some(id)) if is_too_long(cause.as_ref()) => {
            let failed = failure(id.clone(), too_long(format_args!("more than {most}")));
            let data = serde_json::to_string(&failed).unwrap_or_default();
            Ok(Sse::default().data(data))
        }
        _ => Err(error),
    }
}

fn is_too_long(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<Boxed>().is_some_and(|boxed| boxed.0.is::<TooLong>())
}

/// How long the event is that is being read.
#[derive(Debug, Default)]
struct Size {
    most: usize,
    event: usize,
    line: usize,
    after_return: bool,
}

impl Size {
    /// Counts bytes; false where they are too many for one event. An empty line ends one.
    fn admits(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let ends_return = std::mem::take(&mut self.after_return) && *byte == b'\n';
            match byte {
                b'\n' if ends_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    self.event = if self.line == 0 { 0 } else { self.event + self.line + 1 };
                    self.line = 0;
                }
                _ => self.line += 1,
            }
            if self.event + self.line > self.most {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn admits(pieces: &[&[u8]], most: usize) -> bool {
        let mut size = Size { most, ..Size::default() };
        pieces.iter().all(|piece| size.admits(piece))
    }

    #[test]
    fn one_event_is_bounded_and_their_number_is_not() {
        for end in ["\n\n", "\r\n\r\n", "\r\r"] {
            let events = format!("data: 12345{end}").repeat(1_000);
            assert!(admits(&[events.as_bytes()], 20), "{end:?}");
            let lines = format!("data: 12345{}", &end[..end.len() / 2]).repeat(3);
            assert!(!admits(&[lines.as_bytes()], 20), "{end:?}");
        }
        assert!(!admits(&[b"data: ", &[b'x'; 100]], 100));
        assert!(!admits(&[b": ", &[b'x'; 100]], 100), "a comment without end is one too");
    }

    proptest! {
        #[test]
        fn pieces_count_as_the_whole_does(text in "[ab\r\n]{0,60}", at in 0_usize..60, most in 1_usize..30) {
            let text = text.as_bytes();
            let at = at.min(text.len());
            prop_assert_eq!(admits(&[text], most), admits(&[&text[..at], &text[at..]], most));
        }
    }
}

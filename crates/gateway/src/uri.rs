//! `mcp://server/tool`: a tool of a server as one text, each part percent-encoded.

use std::fmt::Write as _;

/// What stands in front.
const SCHEME: &str = "mcp://";

/// Why a text is no such URI, as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid MCP tool URI")]
pub struct InvalidUri;

/// Writes a server and a tool as a URI.
///
/// ```
/// use dogu_gateway::{decode_uri, encode_uri};
///
/// let uri = encode_uri("my server", "a/b");
/// assert_eq!(uri, "mcp://my%20server/a%2Fb");
/// assert_eq!(decode_uri(&uri), Some(("my server".to_owned(), "a/b".to_owned())));
/// assert_eq!(decode_uri("https://my%20server/a"), None);
/// ```
pub fn encode_uri(server: &str, tool: &str) -> String {
    format!("{SCHEME}{}/{}", encoded(server), encoded(tool))
}

/// The server and the tool of a URI; none where it is not one.
pub fn decode_uri(uri: &str) -> Option<(String, String)> {
    let (server, tool) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let (server, tool) = (decoded(server)?, decoded(tool)?);
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// The same, or the error that is told.
pub fn parse_uri(uri: &str) -> Result<(String, String), InvalidUri> {
    decode_uri(uri).ok_or(InvalidUri)
}

/// Letters, digits and what is never special stay. Dots do not, where they are all there is: `..`
/// would be taken for a step up by whatever reads it as a path.
pub(crate) fn encoded(text: &str) -> String {
    let only_dots = text.bytes().all(|byte| byte == b'.');
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        let stays = byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'~')
            || (byte == b'.' && !only_dots);
        if stays {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match first {
            b'%' => {
                let (high, low) = (hex(*after.first()?)?, hex(*after.get(1)?)?);
                bytes.push(high << 4 | low);
                rest = &after[2..];
            }
            b'/' | b'?' | b'#' => return None,
            byte => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn m2_thirteen_ids_come_back_as_they_were() {
        let ids = [
            "github",
            "도구",
            "서버 하나",
            "a/b",
            "..",
            ".",
            "a b",
            "100%",
            "q?x=1#y",
            "mcp://x/y",
            "emoji 🛠️",
            "UPPER.case-_~",
            "%2F",
        ];
        for server in ids {
            for tool in ids {
                let uri = encode_uri(server, tool);
                assert!(uri.is_ascii(), "{uri}");
                assert!(!uri.contains("/.."), "{uri}");
                assert_eq!(decode_uri(&uri), Some((server.to_owned(), tool.to_owned())), "{uri}");
            }
        }
        assert_eq!(encode_uri("서버", ".."), "mcp://%EC%84%9C%EB%B2%84/%2E%2E");
    }

    #[test]
    fn m2_what_is_no_uri_is_none() {
        for text in [
            "",
            "mcp://",
            "mcp://a",
            "mcp://a/",
            "mcp:///b",
            "http://a/b",
            "MCP://a/b",
            "mcp:/a/b",
            "mcp://a/b/c",
            "mcp://a/b?c",
            "mcp://a/b#c",
            "mcp://a/%",
            "mcp://a/%2",
            "mcp://a/%zz",
            "mcp://a/%ff",
        ] {
            assert_eq!(decode_uri(text), None, "{text}");
            assert_eq!(parse_uri(text).unwrap_err().to_string(), "Invalid MCP tool URI");
        }
    }

    proptest! {
        #[test]
        fn m2_any_two_names_come_back(server in ".+", tool in ".+") {
            prop_assert_eq!(decode_uri(&encode_uri(&server, &tool)), Some((server, tool)));
        }

        #[test]
        fn m2_any_text_is_read_or_refused(text in any::<String>()) {
            let _ = decode_uri(&text);
            let _ = decode_uri(&format!("mcp://{text}"));
        }
    }
}

//! The standard streams, by their names.

use std::path::Path;

/// What is written to these goes where the output goes anyway, or nowhere.
pub(super) const STREAMS: [&str; 7] = [
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd/0",
    "/dev/fd/1",
    "/dev/fd/2",
];

/// It is a name of a standard stream, or of nothing: reading and writing it harms no file.
pub fn is_stream(path: &Path) -> bool {
    may_be_device(path) && STREAMS.iter().any(|stream| path == Path::new(stream))
}

/// Whether a path may be in `/dev`, told by its first bytes: to compare it with each device, part
/// by part, is dear, and nearly no path is one.
pub(crate) fn may_be_device(path: &Path) -> bool {
    match path.as_os_str().as_encoded_bytes() {
        // More slashes and dots change nothing: `//dev/null` and `/./dev/null` are devices.
        [b'/', b'/' | b'.', ..] => true,
        bytes => bytes.starts_with(b"/dev/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_that_is_equal_to_a_stream_is_one() {
        for stream in STREAMS {
            let rest = stream.trim_start_matches("/dev/");
            for spelling in [
                stream.to_owned(),
                format!("/{stream}"),
                format!("/.{stream}"),
                format!("//.//.{stream}"),
                format!("/dev//{rest}"),
                format!("/dev/./{rest}"),
                format!("{stream}/"),
                format!("{stream}/."),
            ] {
                let path = Path::new(&spelling);
                assert_eq!(path, Path::new(stream));
                assert!(is_stream(path), "{spelling}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_stream_is_none() {
        for path in
            ["", "/", "dev/null", "./dev/null", "/dev", "/devnull", "/DEV/null", "/../dev/null"]
        {
            assert!(!is_stream(Path::new(path)), "{path}");
        }
    }
}

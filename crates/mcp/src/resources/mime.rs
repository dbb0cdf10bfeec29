//! What a file is, by the end of its name: for the client's display, never for a decision.

/// The types that clients do something with.
const TYPES: [(&str, &str); 30] = [
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("c", "text/x-c"),
    ("cpp", "text/x-c++"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("go", "text/x-go"),
    ("html", "text/html"),
    ("ico", "image/x-icon"),
    ("java", "text/x-java"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("rs", "text/x-rust"),
    ("sh", "text/x-shellscript"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/typescript"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// The type of a text with this name.
pub(super) fn of_name(name: &str) -> &'static str {
    known(name).unwrap_or("text/plain")
}

/// The type of bytes that are no text, with this name.
pub(super) fn of_binary(name: &str) -> &'static str {
    known(name).filter(|kind| !kind.starts_with("text/")).unwrap_or("application/octet-stream")
}

fn known(name: &str) -> Option<&'static str> {
    let end = name.rsplit_once('.')?.1.to_ascii_lowercase();
    TYPES.iter().find(|(known, _)| *known == end).map(|(_, kind)| *kind)
}

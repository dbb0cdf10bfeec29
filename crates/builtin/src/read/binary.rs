//! Files that are no text: their name, size and type.

use dogu_tool::ToolError;

use super::file::Reading;

/// What is said of a binary file.
pub(super) fn refused(reading: &Reading<'_>, sample: &[u8]) -> ToolError {
    if let Some(kind) = kind(sample) {
        return refused_as(reading, kind);
    }
    let (shown, size) = (reading.shown(), size_text(reading.size));
    ToolError::failed(format!("{shown} is a binary file of {size} and cannot be shown as text."))
}

/// What is said of a binary file of a known type.
pub(super) fn refused_as(reading: &Reading<'_>, kind: &str) -> ToolError {
    let (shown, size) = (reading.shown(), size_text(reading.size));
    ToolError::failed(format!(
        "{shown} is a binary file ({kind}, {size}) and cannot be shown as text."
    ))
}

/// `123 bytes`, `4.5 MB`.
pub(super) fn size_text(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = bytes.saturating_mul(10) / unit;
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}

/// What a file is by its first bytes: offset, bytes, name.
const KINDS: [(usize, &[u8], &str); 46] = [
    (0, b"\x7fELF", "ELF program or library"),
    (0, b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (0, b"\xce\xfa\xed\xfe", "Mach-O program"),
    (0, b"MZ", "Windows program or library"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"!<arch>\n", "archive of objects"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"PK\x05\x06", "empty ZIP archive"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"BZh", "bzip2 archive"),
    (0, b"\xfd7zXZ\0", "xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (0, b"\x04\x22\x4d\x18", "LZ4 archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office document before 2007"),
    (0, b"%PDF-", "PDF document"),
    (0, b"%!PS", "PostScript document"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF8", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (0, b"BM", "BMP image"),
    (0, b"\0\0\x01\0", "icon"),
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftypqt", "QuickTime video"),
    (4, b"ftyp", "MP4 video or audio"),
    (0, b"\x1a\x45\xdf\xa3", "Matroska or WebM video"),
    (8, b"AVI ", "AVI video"),
    (8, b"WAVE", "WAV audio"),
    (0, b"ID3", "MP3 audio"),
    (0, b"\xff\xfb", "MP3 audio"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"fLaC", "FLAC audio"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\0\x01\0\0", "TrueType font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"PAR1", "Parquet data"),
    (0, b"\x80\x04\x95", "Python pickle"),
];

/// What a file is by its first bytes.
pub(super) fn kind(sample: &[u8]) -> Option<&'static str> {
    let is = |(at, magic, _): &&(usize, &[u8], &str)| {
        sample.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    KINDS.iter().find(is).map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_the_unit_that_people_use() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1_023, "1023 bytes"),
            (1_536, "1.5 KB"),
            (5 << 20, "5.0 MB"),
            (u64::MAX, "1717986918.3 GB"),
        ] {
            assert_eq!(size_text(bytes), text);
        }
    }

    #[test]
    fn types_are_told_by_the_first_bytes() {
        for (sample, expected) in [
            (&b"\x7fELF\x02"[..], Some("ELF program or library")),
            (b"RIFF....WEBPVP8 ", Some("WebP image")),
            (b"....ftypheic", Some("HEIC image")),
            (b"", None),
            (b"\x01\x02\x03", None),
        ] {
            assert_eq!(kind(sample), expected);
        }
    }
}

//! Which files an index is better without, and which count less.

use memchr::memchr_iter;

/// No larger file is cut, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;
/// So much of a file is looked at to tell text from binary.
const SNIFF_BYTES: usize = 8 * 1024;
/// Nobody writes lines that are so long on average.
const MAX_AVERAGE_LINE: usize = 300;

/// Why a file is not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unsuitable {
    /// Larger than a megabyte.
    TooLarge,
    /// No text.
    Binary,
    /// A text that no person wrote: minified, or a lock file.
    Generated,
}

impl Unsuitable {
    /// All reasons; the place in this list is the number in an index.
    pub const ALL: [Self; 3] = [Self::TooLarge, Self::Binary, Self::Generated];
}

/// Why a file is not cut; none where it is. A size above the limit is told without its content.
pub fn unsuitable(path: &str, content: &[u8]) -> Option<Unsuitable> {
    if content.len() > MAX_BYTES {
        return Some(Unsuitable::TooLarge);
    }
    let start = &content[..content.len().min(SNIFF_BYTES)];
    if start.contains(&0) || std::str::from_utf8(content).is_err() {
        return Some(Unsuitable::Binary);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let locked = ending == "lock"
        || matches!(
            name,
            "package-lock.json" | "pnpm-lock.yaml" | "go.sum" | "npm-shrinkwrap.json"
        );
    let minified = name.contains(".min.") || matches!(ending, "map" | "svg");
    (locked || minified || long_lines(content)).then_some(Unsuitable::Generated)
}

fn long_lines(content: &[u8]) -> bool {
    let lines = memchr_iter(b'\n', content).count() + 1;
    content.len() > 4 * 1024 && content.len() / lines > MAX_AVERAGE_LINE
}

/// Whether a path is one of tests.
pub fn is_test_path(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let folder = folders.split('/').any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "spec"
                | "specs"
                | "__tests__"
                | "testing"
                | "testdata"
                | "fixtures"
                | "benches"
                | "e2e"
        )
    });
    let stem = name.split('.').next().unwrap_or(name);
    folder
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem == "tests"
        || stem == "test"
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.ends_with("_spec")
}

/// Whether a file was made by a program or brought from elsewhere, so that it counts less.
pub fn is_demoted(path: &str, text: &str) -> bool {
    let brought = path.split('/').any(|part| {
        matches!(
            part,
            "vendor" | "third_party" | "node_modules" | "external" | "dist" | "generated"
        )
    });
    if brought {
        return true;
    }
    text.lines().take(10).any(|line| {
        let lower = line.get(..200).unwrap_or(line).to_ascii_lowercase();
        lower.contains("do not edit")
            || lower.contains("@generated")
            || lower.contains("automatically generated")
    })
}

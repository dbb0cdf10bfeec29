//! The names of a path, folded.
//!
//! Some file systems take several spellings for one name: case (macOS, Windows, ext4 where it
//! folds), characters without a shape (HFS+), trailing dots and spaces, streams and short names
//! (NTFS). Which one a path is on is not known here, so all of it is folded: a name is at worst
//! taken for a stricter one.

use std::borrow::Cow;
use std::path::Path;

/// So many names have room before a path needs more.
const USUAL_NAMES: usize = 16;

/// The folded names of a path, from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// All of them in one text, a `/` before each: every call that names a path makes one of
    /// these, and a text for each name would be most of its price.
    text: String,
    /// Where in the text each of them ends. The slashes alone do not tell: a wide one is folded
    /// to a plain one inside of a name.
    ends: Vec<usize>,
    /// How many of them lead to a home folder: a usual one, and that of this machine.
    homes: [Option<usize>; 2],
}

impl Names {
    /// The names of a path.
    pub(super) fn of(path: &Path) -> Self {
        Self::with_home(path, None)
    }

    /// The names of a path, on a machine where this is the home folder too.
    pub(super) fn with_home(path: &Path, home: Option<&Names>) -> Self {
        let path = path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed);
        let mut names = Self {
            text: String::with_capacity(path.len() + 1),
            ends: Vec::with_capacity(USUAL_NAMES),
            homes: [None; 2],
        };
        if !names.push_as_is(&path) {
            names.push_all(&path);
        }
        names.drop_private();
        names.homes = names.find_homes(home);
        names
    }

    /// Adds a whole path at once, if nothing in it is folded but the case of letters. Nearly all
    /// paths are like that.
    fn push_as_is(&mut self, path: &str) -> bool {
        if !find_ends(path.as_bytes(), &mut self.ends) {
            self.ends.clear();
            return false;
        }
        self.text.push_str(path);
        self.text.make_ascii_lowercase();
        true
    }

    fn push_all(&mut self, path: &str) {
        for part in path.split('/') {
            match part {
                ".." => self.pop(),
                _ => self.push_parts(part),
            }
        }
    }

    /// Windows separates by `\` too; elsewhere such a name is judged by its parts as well. A `..`
    /// among them leads nowhere: where `\` is an ordinary character, it would hide what is above.
    fn push_parts(&mut self, part: &str) {
        for name in part.split('\\') {
            if !matches!(name, "" | "." | "..") {
                self.text.push('/');
                fold_onto(name, &mut self.text);
                self.ends.push(self.text.len());
            }
        }
    }

    fn pop(&mut self) {
        self.ends.pop();
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// On macOS `/etc`, `/var` and `/tmp` are links to `/private`.
    fn drop_private(&mut self) {
        const PRIVATE: &str = "/private";
        if self.get(0) == Some(&PRIVATE[1..]) && matches!(self.get(1), Some("etc" | "var" | "tmp"))
        {
            self.text.drain(..PRIVATE.len());
            self.ends.remove(0);
            self.ends.iter_mut().for_each(|end| *end -= PRIVATE.len());
        }
    }

    /// Where home folders are on every machine, and where this one's is.
    fn find_homes(&self, home: Option<&Names>) -> [Option<usize>; 2] {
        let usual = match self.get(0) {
            Some("home" | "users") if self.len() > 1 => Some(2),
            Some("root") => Some(1),
            _ => None,
        };
        [usual, home.filter(|home| self.starts_with(home)).map(Names::len)]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of this number.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let slash = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[slash + 1..end])
    }

    /// All of them from this number on.
    pub(super) fn from(&self, at: usize) -> impl Iterator<Item = &str> {
        (at..self.len()).filter_map(|at| self.get(at))
    }

    /// The path is this one top folder.
    pub(super) fn is(&self, name: &str) -> bool {
        self.len() == 1 && self.get(0) == Some(name)
    }

    /// Names that end at the same places of the same text are the same.
    pub(super) fn starts_with(&self, other: &Names) -> bool {
        self.ends.starts_with(&other.ends) && self.text.starts_with(&other.text)
    }

    /// How many names lead to a home folder, for each that the path is in.
    pub(super) fn homes(&self) -> impl Iterator<Item = usize> {
        self.homes.into_iter().flatten()
    }
}

/// Where the names of a path end that is absolute and has nothing to fold but case; false for
/// any other. A name that ends in a dot or a space is folded, and so `.` and `..` are no names here.
fn find_ends(path: &[u8], ends: &mut Vec<usize>) -> bool {
    let Some((b'/', names)) = path.split_first() else { return false };
    let is_end = |byte: u8| !matches!(byte, b'/' | b'.' | b' ');
    let mut before = b'/';
    for (at, &byte) in names.iter().enumerate() {
        match byte {
            b'/' if is_end(before) => ends.push(at + 1),
            // The last one is for short names of NTFS.
            b'/' | b'\\' | b':' | b'~' => return false,
            _ if !byte.is_ascii() => return false,
            _ => {}
        }
        before = byte;
    }
    ends.push(path.len());
    is_end(before)
}

/// A name as the most tolerant of file systems sees it.
#[cfg(test)]
pub(super) fn fold(name: &str) -> String {
    let mut folded = String::new();
    fold_onto(name, &mut folded);
    folded
}

/// Adds a name to a text as the most tolerant of file systems sees it.
fn fold_onto(name: &str, text: &mut String) {
    let start = text.len();
    let shaped = name.chars().filter(|&letter| !is_ignorable(letter));
    shaped.for_each(|letter| fold_letter(letter, text));
    trim_as_ntfs(text, start);
    if is_short_git(&text[start..]) {
        text.truncate(start);
        text.push_str(".git");
    }
}

/// The folds that lower case alone does not have, and the wide forms of ASCII.
pub(super) fn fold_letter(letter: char, folded: &mut String) {
    match letter {
        '\u{17f}' => folded.push('s'),
        '\u{df}' | '\u{1e9e}' => folded.push_str("ss"),
        '\u{fb00}' => folded.push_str("ff"),
        '\u{fb01}' => folded.push_str("fi"),
        '\u{fb02}' => folded.push_str("fl"),
        '\u{fb03}' => folded.push_str("ffi"),
        '\u{fb04}' => folded.push_str("ffl"),
        '\u{fb05}' | '\u{fb06}' => folded.push_str("st"),
        '\u{ff01}'..='\u{ff5e}' => folded.push(narrow(letter)),
        '\u{2024}' => folded.push('.'),
        _ => folded.extend(letter.to_lowercase()),
    }
}

/// The ASCII character of a wide one.
fn narrow(letter: char) -> char {
    let ascii = u32::from(letter).wrapping_sub(0xfee0);
    char::from_u32(ascii).map_or(letter, |letter| letter.to_ascii_lowercase())
}

/// Characters that have no shape of their own, and that a file system may leave out.
pub(super) fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

/// What follows a `:` is a stream of the same file, a drive's letter aside; dots and spaces at
/// the end are left out. The name is what the text has from `start` on.
fn trim_as_ntfs(text: &mut String, start: usize) {
    let name = &text[start..];
    if let Some(colon) = name.find(':').filter(|&at| at > 0 && name.len() > 2) {
        text.truncate(start + colon);
    }
    let kept = text[start..].trim_end_matches(['.', ' ']).len();
    if kept > 0 {
        text.truncate(start + kept);
    }
}

/// `git~1` and its like are what NTFS calls `.git` in old programs.
fn is_short_git(name: &str) -> bool {
    name.strip_prefix("git~")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Vec<String> {
        Names::of(Path::new(path)).from(0).map(str::to_owned).collect()
    }

    #[test]
    fn one_name_in_many_spellings() {
        for spelling in [
            ".git",
            ".GIT",
            ".g\u{200c}it",
            ".git ",
            ".git.",
            ".git. .",
            "git~1",
            "GIT~2",
            ".git::$INDEX_ALLOCATION",
            "\u{ff0e}\u{ff47}\u{ff49}\u{ff54}",
            "\u{feff}.git",
        ] {
            assert_eq!(fold(spelling), ".git", "{spelling:?}");
        }
        assert_eq!(fold(".gitcon\u{fb01}g"), fold(".gitconfig"));
        assert_eq!(fold("\u{212a}ey"), "key");
        assert_eq!(fold(".\u{17f}sh"), ".ssh");
    }

    #[test]
    fn names_that_stay_apart() {
        for (a, b) in [(".git", "git"), (".git", ".gits"), ("git~1", "git~"), (".env", "env")] {
            assert_ne!(fold(a), fold(b));
        }
        assert_eq!(fold("..."), "...");
        assert_eq!(fold(" "), " ");
    }

    #[test]
    fn dots_and_backslashes() {
        assert_eq!(names("/a/./b/../c//d/"), ["a", "c", "d"]);
        assert_eq!(names("/../a"), ["a"]);
        assert_eq!(names(r"/home/u/.ssh/x\..\..\y"), ["home", "u", ".ssh", "x", "y"]);
        assert_eq!(names(r"C:\Windows\System32"), ["c:", "windows", "system32"]);
        assert_eq!(names("/private/etc/hosts"), ["etc", "hosts"]);
        assert_eq!(names("/private/notes"), ["private", "notes"]);
    }
}

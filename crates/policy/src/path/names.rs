//! The names of a path, folded.
//!
//! Some file systems take several spellings for one name: case (macOS, Windows, ext4 where it
//! folds), characters without a shape (HFS+), trailing dots and spaces, streams and short names
//! (NTFS). Which one a path is on is not known here, so all of it is folded: a name is at worst
//! taken for a stricter one.

use std::path::Path;

/// The folded names of a path, from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    names: Vec<String>,
    /// How many of them lead to a home folder; usually one number, or none.
    homes: Vec<usize>,
}

impl Names {
    /// The names of a path.
    pub(super) fn of(path: &Path) -> Self {
        Self::with_home(path, None)
    }

    /// The names of a path, on a machine where this is the home folder too.
    pub(super) fn with_home(path: &Path, home: Option<&Names>) -> Self {
        let mut names = Vec::with_capacity(12);
        for part in path.to_string_lossy().split('/') {
            match part {
                ".." => drop(names.pop()),
                _ => split_backslashes(part, &mut names),
            }
        }
        drop_private(&mut names);
        let mut found = Self { names, homes: Vec::new() };
        found.homes = found.find_homes(home);
        found
    }

    /// Where home folders are on every machine, and where this one's is.
    fn find_homes(&self, home: Option<&Names>) -> Vec<usize> {
        let usual = match self.names.first().map(String::as_str) {
            Some("home" | "users") if self.len() > 1 => Some(2),
            Some("root") => Some(1),
            _ => None,
        };
        let own = home.filter(|home| self.starts_with(home)).map(Names::len);
        let mut homes: Vec<usize> = usual.into_iter().chain(own).collect();
        homes.dedup();
        homes
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The path is this one top folder.
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self.names.as_slice(), [only] if only == name)
    }

    pub(super) fn starts_with(&self, other: &Names) -> bool {
        self.names.starts_with(&other.names)
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.names
    }

    pub(super) fn homes(&self) -> &[usize] {
        &self.homes
    }
}

/// Windows separates by `\` too; elsewhere such a name is judged by its parts as well. A `..`
/// among them leads nowhere: where `\` is an ordinary character, it would hide what is above.
fn split_backslashes(part: &str, names: &mut Vec<String>) {
    for name in part.split('\\') {
        if !matches!(name, "" | "." | "..") {
            names.push(fold(name));
        }
    }
}

/// On macOS `/etc`, `/var` and `/tmp` are links to `/private`.
fn drop_private(names: &mut Vec<String>) {
    if let [first, second, ..] = names.as_slice()
        && first == "private"
        && matches!(second.as_str(), "etc" | "var" | "tmp")
    {
        names.remove(0);
    }
}

/// A name as the most tolerant of file systems sees it.
pub(super) fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    if name.is_ascii() {
        folded.push_str(name);
        folded.make_ascii_lowercase();
    } else {
        name.chars().filter(|&letter| !is_ignorable(letter)).for_each(|letter| {
            fold_letter(letter, &mut folded);
        });
    }
    trim_as_ntfs(&mut folded);
    if is_short_git(&folded) {
        return ".git".to_owned();
    }
    folded
}

/// The folds that lower case alone does not have, and the wide forms of ASCII.
fn fold_letter(letter: char, folded: &mut String) {
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
fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

/// What follows a `:` is a stream of the same file, a drive's letter aside; dots and spaces at
/// the end are left out.
fn trim_as_ntfs(name: &mut String) {
    if let Some(colon) = name.find(':').filter(|&at| at > 0 && name.len() > 2) {
        name.truncate(colon);
    }
    let kept = name.trim_end_matches(['.', ' ']).len();
    if kept > 0 {
        name.truncate(kept);
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
        Names::of(Path::new(path)).names
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

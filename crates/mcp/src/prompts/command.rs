//! One slash command: what its file says, and its text with the arguments filled in.

use std::collections::BTreeSet;

/// The name of the argument that stands for all words.
pub(super) const ALL: &str = "arguments";
/// What the names of single arguments begin with.
const ONE: &str = "arg";
/// How many single arguments a command may have.
const MOST_ARGUMENTS: usize = 9;

/// How long a text with its arguments may be, in bytes.
pub(super) const MOST_TEXT: usize = 1024 * 1024;

/// A command as its file describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) description: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) body: String,
}

impl Command {
    /// Reads a file: lines of `key: value` between two lines of `---`, then the text.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let Some((head, body)) = front_matter(&text) else {
            return Self { body: text.trim().to_owned(), ..Self::default() };
        };
        let mut command = Self { body: body.trim().to_owned(), ..Self::default() };
        for (key, value) in head.lines().filter_map(|line| line.split_once(':')) {
            let value = Some(unquoted(value.trim())).filter(|value| !value.is_empty());
            match key.trim() {
                "description" => command.description = value,
                "argument-hint" | "argument_hint" => command.hint = value,
                _ => {}
            }
        }
        command
    }

    /// What is shown where the file has no description.
    pub(super) fn shown(&self) -> String {
        let first = || self.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let text = self.description.as_deref().unwrap_or_else(first);
        crate::ask::shown::line(text.trim_start_matches('#').trim(), 200)
    }

    /// The names of its arguments, in order.
    pub(super) fn arguments(&self) -> Vec<String> {
        let places: BTreeSet<Place> =
            pieces(&self.body).filter_map(|piece| piece.place()).collect();
        let mut names: Vec<String> = places
            .iter()
            .filter_map(|place| match place {
                Place::One(number) => Some(format!("{ONE}{number}")),
                Place::All => None,
            })
            .collect();
        if places.contains(&Place::All) || (names.is_empty() && self.hint.is_some()) {
            names.push(ALL.to_owned());
        }
        names
    }

    /// The text with the arguments in their places; none where that would be too long. What an
    /// argument says is never looked through for places again.
    pub(super) fn filled<'a>(&self, argument: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
        let all = argument(ALL);
        let words: Vec<&str> = all.unwrap_or_default().split_whitespace().collect();
        let one = |number: usize| {
            argument(&format!("{ONE}{number}")).or_else(|| words.get(number - 1).copied())
        };
        let ones: Vec<&str> = (1..=MOST_ARGUMENTS).map_while(one).collect();
        let everything = all.map_or_else(|| ones.join(" "), str::to_owned);
        let mut text = String::new();
        let mut used = false;
        for piece in pieces(&self.body) {
            let part = match piece {
                Piece::Text(part) => part,
                Piece::Place(Place::All) => &everything,
                Piece::Place(Place::One(number)) => one(number).unwrap_or_default(),
            };
            // A long argument in many places is more than any client asked for.
            if text.len() + part.len() > MOST_TEXT {
                return None;
            }
            text.push_str(part);
            used |= piece.place().is_some();
        }
        if !used && !everything.is_empty() {
            text.push_str(&format!("\n\nARGUMENTS: {everything}"));
        }
        (text.len() <= MOST_TEXT).then_some(text)
    }
}

/// The lines between the marks, and what follows them.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    if let Some(body) = rest.strip_prefix("---\n") {
        return Some(("", body));
    }
    let end = rest.find("\n---\n").map(|at| (at, at + 5));
    let (end, body) = end.or_else(|| rest.strip_suffix("\n---").map(|h| (h.len(), rest.len())))?;
    Some((&rest[..end], &rest[body..]))
}

fn unquoted(value: &str) -> String {
    let inside = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(value).to_owned()
}

/// Where an argument goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    One(usize),
    All,
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
enum Piece<'a> {
    Text(&'a str),
    Place(Place),
}

impl Piece<'_> {
    fn place(&self) -> Option<Place> {
        match self {
            Self::Place(place) => Some(*place),
            Self::Text(_) => None,
        }
    }
}

/// A text as its parts: `$ARGUMENTS`, `$1` to `$9`, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((place, length)) = place_at(rest) {
            rest = &rest[length..];
            return Some(Piece::Place(place));
        }
        let mut next = rest.match_indices('$').map(|(at, _)| at);
        let end = next.find(|at| place_at(&rest[*at..]).is_some()).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(part))
    })
}

fn place_at(text: &str) -> Option<(Place, usize)> {
    let after = text.strip_prefix('$')?;
    if after.starts_with("ARGUMENTS") {
        return Some((Place::All, "$ARGUMENTS".len()));
    }
    let mut characters = after.chars();
    let number = characters.next()?.to_digit(10).filter(|number| *number > 0)?;
    // `$10` is money, not the first argument and a nought.
    if characters.next().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    Some((Place::One(number as usize), 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REVIEW: &str = "---\ndescription: \"Review a change\"\nargument-hint: <file> <why>\nmodel: x\n---\n\nLook at $1 because $2.\nAll: $ARGUMENTS costs $10\n";

    #[test]
    fn a_file_says_what_it_is_and_what_it_takes() {
        let command = Command::parse(REVIEW);
        assert_eq!(command.shown(), "Review a change");
        assert_eq!(command.hint.as_deref(), Some("<file> <why>"));
        assert_eq!(command.arguments(), ["arg1", "arg2", "arguments"]);
        let plain = Command::parse("# Do it\nnow");
        assert_eq!((plain.shown().as_str(), plain.arguments().len()), ("Do it", 0));
        assert_eq!(Command::parse("---\nno end").body, "---\nno end");
        assert_eq!(Command::parse("---\n---\nbody").body, "body");
    }

    #[test]
    fn arguments_go_where_they_belong_and_are_not_looked_through() {
        let all = |name: &str| (name == ALL).then_some("a.rs $1");
        let filled = |command: &str, given: &dyn Fn(&str) -> Option<&'static str>| {
            Command::parse(command).filled(given).unwrap()
        };
        assert_eq!(filled(REVIEW, &all), "Look at a.rs because $1.\nAll: a.rs $1 costs $10");
        let ones = |name: &str| match name {
            "arg1" => Some("x y"),
            "arg2" => Some("z"),
            _ => None,
        };
        assert_eq!(filled(REVIEW, &ones), "Look at x y because z.\nAll: x y z costs $10");
        assert_eq!(filled("Do", &all), "Do\n\nARGUMENTS: a.rs $1");
        assert_eq!(filled("Do", &|_| None), "Do");
    }

    #[test]
    fn a_long_argument_in_many_places_is_refused() {
        let long = "x".repeat(MOST_TEXT / 2);
        let given = |name: &str| (name == ALL).then_some(long.as_str());
        assert!(Command::parse("$ARGUMENTS").filled(given).is_some());
        for body in ["$ARGUMENTS$ARGUMENTS$ARGUMENTS", &"$1 ".repeat(26_000)] {
            assert_eq!(Command::parse(body).filled(given), None);
        }
        let longer = "x".repeat(MOST_TEXT);
        assert_eq!(Command::parse("Do").filled(|_| Some(&longer)), None);
    }

    proptest! {
        #[test]
        fn any_file_is_read_and_filled(text in "(---\n|[a-z]+: .{0,9}\n|\\$[A-Z0-9]{0,9}|.|\n){0,40}", given in ".{0,20}") {
            let command = Command::parse(&text);
            let filled = command.filled(|_| Some(&given)).unwrap();
            prop_assert!(filled.len() <= (command.body.len() + 20) * (given.len() + 2) * 10);
            let whole: usize = pieces(&command.body).map(|piece| match piece {
                Piece::Text(part) => part.len(),
                Piece::Place(Place::All) => "$ARGUMENTS".len(),
                Piece::Place(Place::One(_)) => 2,
            }).sum();
            prop_assert_eq!(whole, command.body.len());
        }
    }
}

//! What paths are, told in the plainest way: every pattern of a table is tried at every name.
//!
//! This is what [`classify`](super::classify) must agree with. It is slow, and has nothing to do
//! with how patterns are looked up or how names are kept.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use dogu_tool::FileKind;

use super::names::{fold_letter, is_ignorable};
use super::streams::STREAMS;
use super::{PRIVATE, PathClass, Places};
use crate::facts::PathFacts;

static SENSITIVE: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/sensitive.txt")));
static SYSTEM: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/system.txt")));
static INSTALLED: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/installed.txt")));
static STARTUP: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/startup.txt")));
static VERSIONS: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/versions.txt")));
static STEERING: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/steering.txt")));
static PROTECTED: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("tables/protected.txt")));

type Reason = Option<&'static str>;

struct View {
    names: Vec<String>,
    homes: Vec<usize>,
}

pub(super) fn classify(facts: &PathFacts, places: &Places) -> PathClass {
    if is_stream(&facts.declared) {
        return PathClass::default();
    }
    let home = places.home.as_deref().map(names);
    let root = facts.root.as_deref().map(names);
    let folder = facts.kind == Some(FileKind::Folder);
    let real = view(&facts.real, home.as_deref());
    let mut views = vec![&real];
    let declared = view(&facts.declared, home.as_deref());
    if facts.declared != facts.real {
        views.push(&declared);
    }
    let either = |ask: &dyn Fn(&View) -> Reason| views.iter().find_map(|view| ask(view));
    let start_up = |view: &View| find(&STARTUP, view, 0, folder);
    let own = either(&|view| within(view, &places.private).then_some(PRIVATE));
    let hard = find(&SYSTEM, &real, 0, false);
    let chosen = root.as_ref().is_some_and(|root| root.len() > 1);
    let at_home = home
        .as_ref()
        .is_some_and(|home| (home.len() > 1 || *home == ["root"]) && real.names.starts_with(home));
    let installed = if chosen || at_home { None } else { find(&INSTALLED, &real, 0, false) };
    let start_up_outside = |view: &View| {
        let inside = root.as_ref().is_some_and(|root| {
            view.names.starts_with(root) && view.homes.iter().all(|home| root.len() > *home)
        });
        if inside { None } else { start_up(view) }
    };
    let protected = |view: &View| {
        let above = root.as_ref().filter(|root| view.names.starts_with(root)).map_or(0, Vec::len);
        find(&VERSIONS, view, 0, folder)
            .or(find(&STEERING, view, above, folder))
            .or(find(&PROTECTED, view, above, folder))
    };
    PathClass {
        sensitive: either(&|view| find(&SENSITIVE, view, 0, folder))
            .or(own.filter(|_| !within(&real, &places.shown))),
        system: hard.or(installed).or(either(&start_up_outside)).or(own),
        protected: either(&protected).or(either(&start_up)),
    }
}

pub(super) fn sensitive(path: &Path, folder: bool, places: &Places) -> Reason {
    let inside = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let own = inside(&places.private) && !inside(&places.shown);
    let home = places.home.as_deref().map(names);
    find(&SENSITIVE, &view(path, home.as_deref()), 0, folder).or(own.then_some(PRIVATE))
}

pub(super) fn steering_reason(path: &Path, folder: bool, root: &Path) -> Reason {
    find(&STEERING, &view(path, None), names(root).len(), folder)
}

pub(super) fn is_stream(path: &Path) -> bool {
    STREAMS.iter().any(|stream| path == Path::new(stream))
}

fn within(view: &View, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| view.names.starts_with(&names(folder)))
}

fn view(path: &Path, home: Option<&[String]>) -> View {
    let names = names(path);
    let usual = match names.first().map(String::as_str) {
        Some("home" | "users") if names.len() > 1 => Some(2),
        Some("root") => Some(1),
        _ => None,
    };
    let own = home.filter(|home| names.starts_with(home)).map(<[String]>::len);
    View { homes: usual.into_iter().chain(own).collect(), names }
}

pub(super) fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in path.to_string_lossy().split('/') {
        if part == ".." {
            names.pop();
            continue;
        }
        let parts = part.split('\\').filter(|name| !matches!(*name, "" | "." | ".."));
        names.extend(parts.map(fold));
    }
    let link = names.get(1).is_some_and(|name| matches!(name.as_str(), "etc" | "var" | "tmp"));
    if link && names[0] == "private" {
        names.remove(0);
    }
    names
}

fn fold(name: &str) -> String {
    let mut folded = String::new();
    for letter in name.chars().filter(|letter| !is_ignorable(*letter)) {
        fold_letter(letter, &mut folded);
    }
    let colon = folded.find(':').filter(|at| *at > 0 && folded.len() > 2);
    folded.truncate(colon.unwrap_or(folded.len()));
    let trimmed = folded.trim_end_matches(['.', ' ']);
    let folded = if trimmed.is_empty() { folded.as_str() } else { trimmed };
    match folded.strip_prefix("git~") {
        Some(rest) if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()) => {
            ".git".to_owned()
        }
        _ => folded.to_owned(),
    }
}

/// The reason of the first row that matches, of those that begin first.
fn find(rows: &[Row], view: &View, from: usize, folder: bool) -> Reason {
    (from..view.names.len()).find_map(|at| {
        rows.iter()
            .filter(|row| matches(&row.pattern, view, at, folder))
            .find(|row| {
                !row.except
                    .iter()
                    .any(|except| (0..view.names.len()).any(|at| matches(except, view, at, folder)))
            })
            .map(|row| row.reason)
    })
}

struct Row {
    reason: &'static str,
    pattern: Pattern,
    except: Vec<Pattern>,
}

struct Pattern {
    /// `~` in a home folder, `/` at the top.
    start: Option<char>,
    names: Vec<&'static str>,
    tree: bool,
}

/// The rows of a table in the order in which they are asked: the ones without a `*` in their
/// first name, the others, and last the mere endings.
fn rows(table: &'static str) -> Vec<Row> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        match (line.strip_prefix("= "), groups.last_mut()) {
            (Some(reason), _) => groups.push(vec![reason]),
            (None, group) => group.unwrap().push(line),
        }
    }
    let rows = groups.iter().flat_map(|group| {
        let lines = group[1..].iter().filter(|line| !line.starts_with('!'));
        lines.map(|line| {
            let except = group.iter().filter_map(|line| line.strip_prefix('!')).map(parse);
            Row { reason: group[0], pattern: parse(line), except: except.collect() }
        })
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_by_key(|Row { pattern, .. }| match pattern.names[0].contains('*') {
        true if pattern.names.len() == 1 && !pattern.tree => 2,
        star => u8::from(star),
    });
    rows
}

fn parse(text: &'static str) -> Pattern {
    let rest = text.trim_start_matches('~').trim_start_matches('/');
    let names = rest.trim_end_matches("/**").split('/').collect();
    let start = text.chars().next().filter(|start| matches!(start, '~' | '/'));
    Pattern { start, names, tree: text.ends_with("/**") }
}

fn matches(pattern: &Pattern, view: &View, at: usize, folder: bool) -> bool {
    let may_start = match pattern.start {
        Some('~') => view.homes.contains(&at),
        Some(_) => at == 0,
        None => true,
    };
    let (wanted, found) = (&pattern.names, &view.names[at..]);
    let long_enough = if pattern.tree {
        found.len() >= wanted.len()
    } else {
        found.len() == wanted.len() && !folder
    };
    let fits = |(wanted, found): (&&str, &String)| matches_name(wanted, found);
    may_start && long_enough && wanted.iter().zip(found).all(fits)
}

/// `*` stands for any characters: each is tried with every rest of the name.
fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((first, rest)) => name.strip_prefix(first).is_some_and(|name| {
            let starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            starts.into_iter().any(|at| matches_name(rest, &name[at..]))
        }),
    }
}

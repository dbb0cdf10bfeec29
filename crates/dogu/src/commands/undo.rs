//! `dogu undo`: taking back what calls did to files.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dogu_edit::diff::{CONTEXT, Limits, hunks};
use dogu_runtime::files::Roots;
use dogu_runtime::journal::{
    ChangedFile, Content, Entry, Journal, Listed, Reversal, UndoPlan, UndoProblem, Which,
};
use dogu_tool::ToolError;
use serde_json::{Value, json};

use crate::args::{Undo, Workspace};
use crate::problem::{Problem, print_tool_error};
use crate::show::{Layout, escaped, exact, still_read};
use crate::{sandbox, setup};

/// How many entries a list shows.
const MOST_LISTED: usize = 20;
/// How many files a line of it names.
const MOST_FILES: usize = 3;

pub(crate) fn run(workspace: &Workspace, undo: &Undo) -> Result<ExitCode, Problem> {
    sandbox::refuse("undo changes")?;
    let scope = setup::scope(workspace)?;
    let state = setup::open_state()?;
    let roots = Roots::of(&scope).map_err(|error| Problem::of(&error))?.keeping_out_of(&state);
    let which = match (&undo.id, &undo.file) {
        (Some(id), _) => Which::Call(id.clone()),
        (None, Some(path)) => Which::File(scope.workdir().join(path)),
        (None, None) => Which::Last,
    };
    let shown = Shown { workdir: scope.workdir().canonicalize()?, json: undo.json };
    let journal = Journal::new(state);
    let done = if undo.list {
        journal.list(&roots).map(|all| shown.list(&all))
    } else if undo.dry_run {
        journal.plan_undo(&roots, &which).map(|plan| shown.plan(&plan))
    } else {
        let undone = journal.undo(&roots, &which, undo.force);
        undone.map(|undone| shown.undone(&undone.plan, &undone.id))
    };
    match done {
        Ok(text) => {
            still_read(write!(std::io::stdout(), "{text}"))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => shown.refused(error),
    }
}

/// How it is shown.
struct Shown {
    workdir: PathBuf,
    json: bool,
}

impl Shown {
    /// A path as somebody in the working folder would write it.
    fn path(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.workdir).unwrap_or(path);
        exact(&below.to_string_lossy(), Layout::Line).into_owned()
    }

    fn refused(&self, error: ToolError) -> Result<ExitCode, Problem> {
        let (info, causes) = error.into_info(usize::MAX);
        if self.json {
            let answer = json!({"status": "refused", "error": info});
            still_read(writeln!(std::io::stdout(), "{answer}"))?;
        } else {
            print_tool_error(&info, &causes);
        }
        Ok(ExitCode::from(1))
    }

    fn list(&self, all: &[Listed]) -> String {
        let newest = &all[..all.len().min(MOST_LISTED)];
        if self.json {
            return format!("{}\n", json!(newest));
        }
        if newest.is_empty() {
            return "no changes of this workspace are known\n".to_owned();
        }
        newest.iter().map(|listed| self.line(listed)).collect()
    }

    fn line(&self, Listed { entry, undone_by }: &Listed) -> String {
        let mut files: Vec<String> =
            entry.files.iter().take(MOST_FILES).map(|file| self.change(file)).collect();
        if let Some(more @ 1..) = entry.files.len().checked_sub(MOST_FILES) {
            files.push(format!("and {more} more"));
        }
        let undone = match undone_by {
            Some(by) => format!("  (undone by {by})"),
            None => String::new(),
        };
        let tool = exact(&entry.by.tool, Layout::Line);
        format!("{}  {}  {tool:12}  {}{undone}\n", entry.id, time(entry), files.join(", "))
    }

    /// `+` for a file that was made, `-` for one that was removed.
    fn change(&self, file: &ChangedFile) -> String {
        let path = self.path(&file.path);
        match (&file.moved_from, &file.before, &file.after) {
            (Some(from), ..) => format!("{} -> {path}", self.path(from)),
            (None, None, _) => format!("+{path}"),
            (None, _, None) => format!("-{path}"),
            (None, Some(_), Some(_)) => path,
        }
    }

    fn plan(&self, plan: &UndoPlan) -> String {
        if self.json {
            let files: Vec<Value> = plan.files.iter().map(|file| self.file_json(file)).collect();
            let ids: Vec<&str> = plan.entries.iter().map(|entry| entry.id.as_str()).collect();
            let mut answer = json!({"status": "planned", "undoes": ids, "files": files});
            add_not_covered(&mut answer, plan);
            return format!("{answer}\n");
        }
        let mut text = self.not_covered(plan, "# ");
        for file in &plan.files {
            if let Some(problem) = &file.problem {
                text.push_str(&format!("# {}\n", exact(problem.text(), Layout::Line)));
            }
            text.push_str(&self.diff(file));
        }
        text
    }

    fn file_json(&self, file: &Reversal) -> Value {
        json!({
            "path": file.then_at.to_string_lossy(),
            "from": (file.now_at != file.then_at).then(|| file.now_at.to_string_lossy()),
            "does": does(file),
            "problem": file.problem.as_ref().map(UndoProblem::text),
            "diff": self.diff(file),
        })
    }

    /// What would change, as `diff -u` shows it.
    fn diff(&self, file: &Reversal) -> String {
        let (now, then) = (self.path(&file.now_at), self.path(&file.then_at));
        let name = |side: &str, path: &str, content: &Option<Content>| match content {
            Some(_) => format!("{side}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let head = format!(
            "--- {}\n+++ {}\n",
            name("now", &now, &file.now),
            name("then", &then, &file.then)
        );
        let (Some(old), Some(new)) = (text_of(file.now.as_ref()), text_of(file.then.as_ref()))
        else {
            return format!("{head}(not text, or not kept)\n");
        };
        format!("{head}{}", escaped(&unified(&old, &new)))
    }

    /// What commands changed and nobody can take back, and whether it may be another's work.
    fn not_covered(&self, plan: &UndoPlan, before: &str) -> String {
        let mut text = String::new();
        for entry in &plan.entries {
            for file in &entry.beside.not_covered {
                let path = self.path(&file.path);
                text.push_str(&format!("{before}not taken back: {path} ({})\n", file.why));
            }
            if entry.beside.overlapped {
                let id = &entry.id;
                text.push_str(&format!(
                    "{before}another command ran at the same time as {id}: some of this may be its work\n"
                ));
            }
        }
        text
    }

    fn undone(&self, plan: &UndoPlan, id: &str) -> String {
        if self.json {
            let files: Vec<Value> = (plan.files.iter())
                .map(|file| json!({"path": file.then_at.to_string_lossy(), "does": does(file)}))
                .collect();
            let ids: Vec<&str> = plan.entries.iter().map(|entry| entry.id.as_str()).collect();
            let mut answer = json!({"status": "undone", "id": id, "undoes": ids, "files": files});
            add_not_covered(&mut answer, plan);
            return format!("{answer}\n");
        }
        let mut text = String::new();
        for entry in &plan.entries {
            let tool = exact(&entry.by.tool, Layout::Line);
            text.push_str(&format!("undone: {tool} of {} ({})\n", time(entry), entry.id));
        }
        for file in &plan.files {
            text.push_str(&format!("  {} {}\n", does(file), self.path(&file.then_at)));
        }
        text.push_str(&self.not_covered(plan, "  "));
        text.push_str(&format!("`dogu undo {id}` does it again\n"));
        text
    }
}

/// The same for programs.
fn add_not_covered(answer: &mut Value, plan: &UndoPlan) {
    let not: Vec<Value> = (plan.entries.iter().flat_map(|entry| &entry.beside.not_covered))
        .map(|file| json!({"path": file.path.to_string_lossy(), "why": file.why}))
        .collect();
    if !not.is_empty() {
        answer["not_covered"] = json!(not);
    }
    if plan.entries.iter().any(|entry| entry.beside.overlapped) {
        answer["overlapped"] = json!(true);
    }
}

/// A content as text; nothing is an empty one, and a link where it leads.
fn text_of(content: Option<&Content>) -> Option<Cow<'_, str>> {
    match content {
        None => Some(Cow::Borrowed("")),
        Some(Content::Bytes(bytes)) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Some(Content::Link(target)) => Some(format!("-> {}\n", target.display()).into()),
        Some(Content::Unknown(_)) => None,
    }
}

/// What is done to a file.
fn does(file: &Reversal) -> &'static str {
    match (&file.now, &file.then) {
        _ if file.now_at != file.then_at && file.then.is_some() => "moved back",
        (_, None) => "removed",
        (None, Some(_)) => "put back",
        (Some(_), Some(_)) => "restored",
    }
}

fn time(entry: &Entry) -> String {
    entry.time.split('.').next().unwrap_or_default().trim_end_matches('Z').replace('T', " ") + "Z"
}

/// The hunks of a change, without the names.
fn unified(old: &str, new: &str) -> String {
    let hunks = hunks(old.as_bytes(), new.as_bytes(), CONTEXT, Limits::default());
    String::from_utf8_lossy(&hunks.text).into_owned()
}

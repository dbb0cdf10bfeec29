//! Doing what a plan says, all of it or nothing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;

use super::super::entry::{Beside, ChangedBy, Entry};
use super::super::history::Which;
use super::super::{Journal, store};
use super::around::{Around, Done};
use super::{Reversal, UndoPlan, UndoProblem, Undone};
use crate::files::Roots;
use crate::files::transaction::{self, How, Keep, Wanted, Wish};

/// The tool that the journal names for it.
const TOOL: &str = "undo";

/// What is being undone, for the journal.
struct Undoing<'a> {
    journal: &'a Journal,
    roots: &'a Roots,
    by: ChangedBy,
    key: Option<&'a str>,
    one_file: bool,
}

impl Journal {
    /// Takes changes back, all of a call or none. With `force` also where files have changed since.
    ///
    /// Links, modes and empty folders, which only commands change, are set right beside the
    /// transaction of the files: where the process ends between the two, those are left as they
    /// were.
    pub fn undo(&self, roots: &Roots, which: &Which, force: bool) -> Result<Undone, ToolError> {
        self.recover().map_err(store::failed("recover", &self.folder()))?;
        let plan = self.plan_undo(roots, which)?;
        refuse(&plan, force)?;
        let key = plan.entries.first().map(Entry::call_key);
        let by = ChangedBy {
            call: format!("undo-{}", key.unwrap_or_default()).into(),
            tool: TOOL.into(),
            principal: "process".into(),
            session: TOOL.into(),
        };
        let one_file = matches!(which, Which::File(_));
        let id = Undoing { journal: self, roots, by, key, one_file }.run(&plan)?;
        let id = id.ok_or_else(|| ToolError::failed("all of that is as it was before"))?;
        Ok(Undone { id, plan })
    }
}

impl Undoing<'_> {
    /// Does it; says which entry it is, if anything was to be done.
    fn run(&self, plan: &UndoPlan) -> Result<Option<String>, ToolError> {
        let mut around = Around::new(self.roots);
        let ids = around.make_way(&plan.files).and_then(|()| self.change_files(plan, &mut around));
        let ids = match ids {
            Ok(ids) => ids,
            Err(error) => {
                around.take_back();
                return Err(error);
            }
        };
        around.remove_folders(plan);
        if !self.one_file {
            around.make_folders(plan);
        }
        let made = around.set_right(&plan.files);
        let id = self.note(ids, &plan.files, around.done())?;
        made.map(|()| id)
    }

    /// Changes files. What must go before something else can be there goes first.
    fn change_files(
        &self,
        plan: &UndoPlan,
        around: &mut Around<'_>,
    ) -> Result<Vec<String>, ToolError> {
        let wanted: Vec<Wanted<'_>> = plan.files.iter().flat_map(Reversal::wanted).collect();
        let filled: HashSet<PathBuf> = (wanted.iter())
            .filter(|change| !matches!(change.becomes, Wish::Nothing))
            .map(|change| change.spot.real.clone())
            .collect();
        let (first, rest) = in_order(wanted, &filled);
        let mut ids = Vec::new();
        ids.extend(self.transact(&first, None)?);
        around.remove_folders_at(plan, &filled);
        match self.transact(&rest, ids.first().map(String::as_str)) {
            Ok(id) => ids.extend(id),
            Err(error) => {
                if let Some(id) = ids.first() {
                    // It is taken back as any call is.
                    let _ = self.journal.undo(self.roots, &Which::Call(id.clone()), true);
                }
                return Err(error);
            }
        }
        Ok(ids)
    }

    fn transact(
        &self,
        wanted: &[Wanted<'_>],
        first: Option<&str>,
    ) -> Result<Option<String>, ToolError> {
        let undoes = self.key.map(|key| (key, self.one_file));
        let keep = Keep { journal: self.journal, by: &self.by, first, undoes };
        let how = How { create_folders: true, durable: true, keep: Some(keep) };
        let written = transaction::run(self.roots, wanted, how)?;
        Ok(written.first().and_then(|first| first.journal.clone()))
    }

    /// Adds to the entries what the transactions know nothing of.
    fn note(
        &self,
        ids: Vec<String>,
        files: &[Reversal],
        done: Done,
    ) -> Result<Option<String>, ToolError> {
        if done.is_nothing() {
            return Ok(ids.into_iter().next());
        }
        let failed = |error| store::failed("write to", &self.journal.folder())(error);
        let _unswept = self.journal.open()?;
        let mut entries: Vec<Entry> =
            ids.iter().filter_map(|id| self.journal.read_entry(id)).collect();
        if entries.is_empty() {
            entries.push(self.empty_entry()?);
        }
        done.note(&mut entries, files);
        let entries: Vec<_> = entries.into_iter().filter(|entry| !entry.files.is_empty()).collect();
        for entry in &entries {
            self.journal.write_entry(entry).map_err(failed)?;
        }
        Ok(entries.first().map(|entry| entry.call_key().to_owned()))
    }

    fn empty_entry(&self) -> Result<Entry, ToolError> {
        let (id, time) = self.journal.next_id()?;
        Ok(Entry {
            id,
            time,
            by: self.by.clone(),
            roots: self.roots.real_paths().map(PathBuf::from).collect(),
            files: Vec::new(),
            folders: Vec::new(),
            first: None,
            undoes: self.key.map(str::to_owned),
            undoes_one_file: self.one_file,
            conflicts: Vec::new(),
            beside: Beside::default(),
        })
    }
}

/// Removals that make way for a file, above or below it, and the rest.
fn in_order<'a>(
    wanted: Vec<Wanted<'a>>,
    filled: &HashSet<PathBuf>,
) -> (Vec<Wanted<'a>>, Vec<Wanted<'a>>) {
    let above: HashSet<PathBuf> =
        (filled.iter()).flat_map(|path| path.ancestors().skip(1).map(Path::to_path_buf)).collect();
    let makes_way = |change: &Wanted<'_>| {
        let path = &change.spot.real;
        let below = || path.ancestors().skip(1).any(|folder| filled.contains(folder));
        let removes = matches!(change.becomes, Wish::Nothing);
        removes && (above.contains(path) || below())
    };
    wanted.into_iter().partition(makes_way)
}

/// Refuses as a whole, and says all reasons.
fn refuse(plan: &UndoPlan, force: bool) -> Result<(), ToolError> {
    let problems = || plan.files.iter().filter_map(|file| file.problem.as_ref());
    let hard: Vec<&str> = problems()
        .filter(|problem| !force || matches!(problem, UndoProblem::Impossible(_)))
        .map(UndoProblem::text)
        .collect();
    if hard.is_empty() {
        return Ok(());
    }
    let error = ToolError::failed(format!("nothing was undone: {}", hard.join("; ")));
    if problems().all(|problem| matches!(problem, UndoProblem::Changed(_))) {
        return Err(error.suggest("--dry-run shows what would be lost; --force undoes it anyway"));
    }
    Err(error)
}

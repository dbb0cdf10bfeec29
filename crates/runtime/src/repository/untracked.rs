//! Files that the repository does not know of.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dogu_tool::{
    CancelFlag, FileKind, LeftOut, NotCompared, Onward, ReadFiles as _, ToolError, Visitor,
    WalkEntry, WalkOptions,
};

use super::trees::{Prefix, Staged};
use crate::files::GrantedFiles;

/// How many are listed.
const MAX_FILES: usize = 100_000;

/// What a walk found.
#[derive(Default)]
struct Met {
    files: Vec<Vec<u8>>,
    repositories: Vec<String>,
    secret: usize,
    shut_out: usize,
    full: bool,
}

struct Collector<'a> {
    files: &'a GrantedFiles,
    from: &'a Path,
    prefix: &'a Prefix,
    known: &'a HashSet<&'a [u8]>,
    met: &'a Mutex<Met>,
}

/// The files below a folder that are neither staged nor ignored, sorted.
pub(super) fn find(
    files: &GrantedFiles,
    from: &Path,
    prefix: &Prefix,
    staged: &[Staged],
    cancel: &CancelFlag,
    left_out: &mut NotCompared,
) -> Result<Vec<Vec<u8>>, ToolError> {
    let known: HashSet<&[u8]> = staged.iter().map(|entry| entry.stored.path.as_slice()).collect();
    if known.contains(prefix.0.as_slice()) {
        return Ok(Vec::new());
    }
    match files.facts(from)?.map(|facts| facts.kind) {
        Some(FileKind::Folder) => {}
        Some(FileKind::File) => return Ok(vec![prefix.0.clone()]),
        _ => return Ok(Vec::new()),
    }
    let met = Mutex::default();
    let visitors = || -> Box<dyn Visitor + '_> {
        Box::new(Collector { files, from, prefix, known: &known, met: &met })
    };
    // What is left out is shown by name, because only what is untracked counts here.
    let options = WalkOptions { show_left_out: true, ..WalkOptions::default() };
    let walked = files.walk(from, &options, cancel, &visitors)?;
    let mut met = met.into_inner().unwrap_or_else(PoisonError::into_inner);
    left_out.secret += met.secret;
    left_out.shut_out += met.shut_out;
    left_out.unreadable.extend(walked.first_unreadable);
    met.repositories.sort();
    left_out.repositories = met.repositories;
    if met.full {
        left_out.unreadable.push(format!("there are more than {MAX_FILES} untracked files"));
    }
    met.files.sort();
    Ok(met.files)
}

impl Visitor for Collector<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        let path = self.path_of(entry);
        let known = self.known.contains(path.as_slice()) || self.is_closed_and_known(entry, &path);
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = entry.left_out() {
            met.secret += usize::from(!known && why == LeftOut::Secret);
            met.shut_out += usize::from(!known && why == LeftOut::ShutOut);
            return Onward::Skip;
        }
        match entry.kind() {
            // A submodule: the repository knows it by its commit.
            FileKind::Folder if known => return Onward::Skip,
            FileKind::Folder => {
                let marker = self.from.join(entry.path()).join(".git");
                if matches!(self.files.facts(&marker), Ok(Some(_))) {
                    met.repositories.push(String::from_utf8_lossy(&path).into_owned());
                    return Onward::Skip;
                }
            }
            FileKind::File | FileKind::Link if !known => met.files.push(path),
            _ => {}
        }
        met.full = met.files.len() > MAX_FILES;
        if met.full { Onward::Stop } else { Onward::Go }
    }
}

impl Collector<'_> {
    /// What is staged below a folder that is closed was counted file by file.
    fn is_closed_and_known(&self, entry: &dyn WalkEntry, path: &[u8]) -> bool {
        let below =
            |known: &&[u8]| known.strip_prefix(path).is_some_and(|rest| rest.starts_with(b"/"));
        entry.left_out().is_some()
            && entry.kind() == FileKind::Folder
            && self.known.iter().any(below)
    }

    fn path_of(&self, entry: &dyn WalkEntry) -> Vec<u8> {
        let below = entry.path().as_os_str().as_bytes();
        if self.prefix.0.is_empty() {
            return below.to_vec();
        }
        [&self.prefix.0, b"/".as_slice(), below].concat()
    }
}

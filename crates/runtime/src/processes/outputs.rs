//! What commands wrote, in files of the state folder: a folder for each caller, a file for each
//! command. Out of reach of every call but `read_command_output`, whose results are redacted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dogu_output::Kept;
use dogu_tool::{Principal, ToolError};

use crate::state::{create_private, make_private, random_hex, spill_folder};

/// The folder, in the state folder.
pub(super) const FOLDER: &str = "outputs";
/// How many characters of randomness an id has.
const ID_LENGTH: usize = 10;
/// How long an output is kept.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);
/// How many outputs of one caller are kept.
const MAX_FILES: usize = 200;

/// The files of what commands wrote.
#[derive(Debug)]
pub(crate) struct Outputs {
    folder: Option<PathBuf>,
}

impl Outputs {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// A new id, and the file for it. A command runs without one where none can be made: then
    /// only the beginning and the end of what it writes are kept.
    pub(super) fn create(&self, who: &Principal) -> (String, Option<File>) {
        let random = random_hex().unwrap_or_else(|_| format!("{:p}", &raw const *self));
        let id: String = random.chars().take(ID_LENGTH).collect();
        let file = self.file(who, &id).and_then(|path| create_private(&path).ok());
        (id, file)
    }

    /// What was written under an id by a command of this caller.
    pub(super) fn open(&self, who: &Principal, id: &str) -> Result<Kept, ToolError> {
        let is_id = id.len() == ID_LENGTH && id.chars().all(|c| c.is_ascii_hexdigit());
        let path = self.file(who, id).filter(|path| is_id && path.is_file());
        let Some(path) = path else { return Err(unknown(id)) };
        let opened = File::open(&path).map_err(|error| ToolError::io("read", &path, error))?;
        Kept::open(opened).map_err(|error| ToolError::io("read", &path, error))
    }

    fn file(&self, who: &Principal, id: &str) -> Option<PathBuf> {
        let all = self.folder.as_ref()?;
        let folder = all.join(spill_folder(who));
        make_private(all).and_then(|()| make_private(&folder)).ok()?;
        Some(folder.join(id))
    }

    /// Removes what has expired: by age, and of each caller all but the newest.
    pub(super) fn sweep(&self) {
        let callers = self.folder.iter().flat_map(|folder| entries(folder));
        for caller in callers {
            let mut files: Vec<(SystemTime, PathBuf)> = entries(&caller)
                .into_iter()
                .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
                .collect();
            files.sort();
            let too_many = files.len().saturating_sub(MAX_FILES);
            for (number, (modified, path)) in files.iter().enumerate() {
                let old = modified.elapsed().is_ok_and(|age| age > MAX_AGE);
                if old || number < too_many {
                    let _ = std::fs::remove_file(path);
                }
            }
        }
    }
}

/// Nobody learns whether another caller has such an id.
pub(super) fn unknown(id: &str) -> ToolError {
    ToolError::invalid(format!("There is no command `{id}`."))
        .suggest("Use an id that execute_command, process_start or process_list has shown.")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    read.map(|entry| entry.path()).collect()
}

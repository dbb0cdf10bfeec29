//! Whether an edit broke the syntax of a file.

use dogu_code::language::{Language, errors};

use super::plan::Changed;

/// A warning where a file was sound and is not any more.
pub(super) fn warning(file: &Changed) -> Option<String> {
    let (before, after) = (file.before.as_deref()?, file.after.as_deref()?);
    let language = Language::of(&file.path, after.as_bytes())?;
    if before == after || errors(before, language).is_some() {
        return None;
    }
    let error = errors(after, language)?;
    Some(format!(
        "warning: {} was sound {} before and is not any more: line {}, column {}: {}",
        file.shown,
        language.name(),
        error.line,
        error.column,
        error.message
    ))
}

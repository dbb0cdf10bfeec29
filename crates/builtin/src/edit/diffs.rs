//! SEARCH/REPLACE blocks in files.

use dogu_edit::blocks::{Block, Placed, apply, parse};
use dogu_tool::{ReadFiles, Scope, ToolError};
use serde_json::{Value, json};

use super::opened::{open, refuse_redacted};
use super::plan::{Changed, Plan};
use super::replace::how_found;

/// The blocks of a diff for a file.
pub(super) fn blocks(shown: &str, diff: &str) -> Result<Vec<Block>, ToolError> {
    let blocks = parse(diff).map_err(|error| ToolError::invalid(error.to_string()))?;
    let foreign = blocks.iter().filter_map(|block| block.path.as_deref());
    if let Some(other) = foreign.into_iter().find(|path| *path != shown) {
        return Err(ToolError::invalid(format!("the diff names {other}, but the call {shown}"))
            .suggest("multi_apply_diff changes several files; a call of apply_diff changes one."));
    }
    Ok(blocks)
}

/// What blocks make of a file: the change, or what is to be said where there is none.
pub(super) fn changed(
    shown: &str,
    blocks: &[Block],
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Result<Changed, Vec<String>>, ToolError> {
    blocks.iter().try_for_each(|block| refuse_redacted(&block.replace))?;
    let path = scope.resolve(shown);
    let opened = open(&path, shown, files)?;
    let applied = apply(&opened.text, blocks).map_err(|failures| {
        let failed = format!("{} of {} blocks", failures.len(), blocks.len());
        let reasons: Vec<String> = failures.iter().map(ToString::to_string).collect();
        ToolError::failed(format!(
            "{shown}: {failed} could not be applied, so nothing was changed\n{}",
            reasons.join("\n")
        ))
    })?;
    let (notes, facts) = placed(&applied.blocks, "block");
    if applied.text == opened.text {
        return Ok(Err(notes.into_iter().map(|note| format!("{shown}: {note}")).collect()));
    }
    let mut file = Changed::edited(path, shown, &opened, applied.text)?;
    file.detail = match blocks.len() {
        1 => String::new(),
        count => format!(" ({count} blocks)"),
    };
    file.notes = notes;
    file.facts["blocks"] = json!(facts);
    Ok(Ok(file))
}

/// What became of the pieces of a change, for the model and for programs.
pub(super) fn placed(all: &[Placed], piece: &str) -> (Vec<String>, Vec<Value>) {
    let (mut notes, mut facts) = (Vec::new(), Vec::new());
    for (placed, number) in all.iter().zip(1..) {
        match placed {
            Placed::Applied { line, level, repair } => {
                let found = how_found(*repair, *level);
                notes.extend(found.map(|how| format!("{piece} {number}, line {line}: {how}")));
                facts.push(json!({"line": line, "level": level.name(), "repair": repair.name()}));
            }
            Placed::AlreadyApplied { line } => {
                notes.push(format!("{piece} {number} stands there already, at line {line}"));
                facts.push(json!({"line": line, "already_applied": true}));
            }
        }
    }
    (notes, facts)
}

/// The plan of one file's change, or of none.
pub(super) fn plan_of(changed: Result<Changed, Vec<String>>) -> Plan {
    match changed {
        Ok(file) => Plan::of(file),
        Err(notes) => Plan { notes, ..Plan::default() },
    }
}

//! Whether a case means what its kind says.

use super::draft::Draft;
use super::kinds::Class;
use super::text::squashed;

/// Whether the block stands once in the file as it is now, white space and blank lines aside.
pub(crate) fn stands_once(draft: &Draft) -> bool {
    let filled = |line: &String| Some(squashed(line)).filter(|line| !line.is_empty());
    let file: Vec<String> = draft.file().filter_map(filled).collect();
    let block: Vec<String> = draft.block.iter().filter_map(filled).collect();
    !block.is_empty() && file.windows(block.len()).filter(|window| *window == block).count() == 1
}

/// Whether a place that is not the block has more than half of its lines: then a text with a wrong
/// line could be meant for either.
pub(crate) fn has_rival(draft: &Draft) -> bool {
    [&draft.block, &draft.original].into_iter().any(|block| stands_nearly(draft, block))
}

/// Whether more than half of some lines stand together before or after the block.
pub(crate) fn stands_nearly(draft: &Draft, block: &[String]) -> bool {
    let filled = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| squashed(line)).filter(|line| !line.is_empty()).collect()
    };
    let block = filled(block);
    let near = |lines: &[String]| {
        filled(lines).windows(block.len()).any(|window| {
            let same = window.iter().zip(&block).filter(|(a, b)| a == b).count();
            same * 2 > block.len()
        })
    };
    !block.is_empty() && (near(&draft.before) || near(&draft.after))
}

/// What must hold besides what the kinds themselves see to.
pub(crate) fn is_sound(draft: &Draft, class: Class, misremembers: bool) -> bool {
    if class == Class::Refuse || draft.replace_all {
        return true;
    }
    let doubtful = misremembers || class == Class::Either;
    stands_once(draft) && !(doubtful && has_rival(draft))
}

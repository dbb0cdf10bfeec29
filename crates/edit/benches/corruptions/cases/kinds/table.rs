//! The table of the kinds.

use super::Class::{Either, Recoverable, Refuse};
use super::Origin::{Known, Own};
use super::Touches::{All, Blank, Characters, Ends, Indent, Inner, Trail, Words, Wrap};
use super::{Class, Kind, Origin, Step, Touches, either, fuzzy, inner, lines, refuse, space, wrap};

const fn kind(
    name: &'static str,
    class: Class,
    origin: Origin,
    touches: Touches,
    lines: &'static [Step],
    texts: &'static [Step],
) -> Kind {
    let misremembers = matches!(touches, Words);
    Kind { name, class, origin, touches, lines, texts, misremembers, exact: false }
}

/// A kind whose old text stands in the file as it is sent.
const fn exact(name: &'static str, class: Class, origin: Origin, lines: &'static [Step]) -> Kind {
    Kind { exact: true, ..kind(name, class, origin, All, lines, &[]) }
}

/// A kind that does several things, one of them to words.
const fn misremembered(name: &'static str, lines: &'static [Step]) -> Kind {
    Kind { misremembers: true, ..kind(name, Recoverable, Known, All, lines, &[]) }
}

/// Every kind.
pub(crate) const KINDS: [Kind; 75] = [
    exact("exact", Recoverable, Known, &[space::nothing]),
    exact("mid_line_fragment", Recoverable, Known, &[lines::mid_line_fragment]),
    exact("replace_all_dollar", Recoverable, Known, &[lines::replace_all_dollar]),
    exact("decoy_sibling", Recoverable, Known, &[lines::decoy_sibling]),
    kind("unicode_in_file", Recoverable, Known, Characters, &[inner::unicode_in_file], &[]),
    kind("typo_one", Recoverable, Known, Words, &[fuzzy::typo_one], &[]),
    kind("drift_line", Recoverable, Known, Words, &[fuzzy::drift_line], &[]),
    kind("trailing_ws_in_file", Recoverable, Known, Trail, &[space::trailing_ws_in_file], &[]),
    kind("elision", Recoverable, Known, All, &[lines::elision], &[]),
    kind("blank_line_dropped", Recoverable, Known, Blank, &[lines::blank_line_dropped], &[]),
    kind("intra_space", Recoverable, Known, Inner, &[inner::intra_space], &[]),
    kind(
        "decoy_dedented",
        Recoverable,
        Own,
        Indent,
        &[lines::decoy_sibling, space::dedent_all],
        &[],
    ),
    kind("dedent_all", Recoverable, Known, Indent, &[space::dedent_all], &[]),
    kind("dedent_partial", Recoverable, Known, Indent, &[space::dedent_partial], &[]),
    // Its old text begins within a line, where it stands as it is.
    Kind {
        exact: true,
        ..kind(
            "first_line_unindented",
            Recoverable,
            Known,
            Indent,
            &[space::first_line_unindented],
            &[],
        )
    },
    kind("tabs_spaces", Recoverable, Known, Indent, &[space::tabs_spaces], &[]),
    kind("trailing_ws_in_old", Recoverable, Known, Trail, &[space::trailing_ws_in_old], &[]),
    kind("crlf_file", Recoverable, Known, Ends, &[space::crlf_file], &[]),
    kind("mixed_eol_file", Recoverable, Known, Ends, &[space::mixed_eol_file], &[]),
    kind("smart_quotes_in_old", Recoverable, Known, Characters, &[inner::smart_quotes_in_old], &[]),
    kind("line_numbers", Recoverable, Known, Wrap, &[wrap::line_numbers], &[]),
    kind("line_numbers_old_only", Recoverable, Known, Wrap, &[wrap::line_numbers_old_only], &[]),
    kind("extra_blank_edges", Recoverable, Known, Blank, &[], &[lines::extra_blank_edges]),
    kind("html_entities", Recoverable, Known, Wrap, &[], &[wrap::html_entities]),
    kind("fenced", Recoverable, Known, Wrap, &[], &[wrap::fenced]),
    kind("escaped_newlines", Recoverable, Known, Wrap, &[], &[wrap::escaped_newlines]),
    kind("crlf_old", Recoverable, Known, Ends, &[], &[space::crlf_old]),
    kind("combo_crlf_dedent", Recoverable, Known, All, &[space::dedent_all, space::crlf_file], &[]),
    misremembered("combo_tabs_typo", &[fuzzy::typo_one, space::tabs_spaces]),
    kind(
        "combo_numbers_dedent_quotes",
        Recoverable,
        Known,
        All,
        &[space::dedent_all, inner::smart_quotes_in_old, wrap::line_numbers],
        &[],
    ),
    misremembered("combo_stale_context", &[fuzzy::drift_line, space::dedent_all]),
    exact("ambiguous_exact", Refuse, Known, &[refuse::ambiguous_exact]),
    kind("ambiguous_dedented", Refuse, Known, All, &[refuse::ambiguous_dedented], &[]),
    kind("ambiguous_fuzzy_siblings", Refuse, Known, All, &[refuse::ambiguous_fuzzy_siblings], &[]),
    kind("hallucinated_middle", Refuse, Known, All, &[refuse::hallucinated_middle], &[]),
    kind("non_contiguous", Refuse, Known, All, &[refuse::non_contiguous], &[]),
    kind("stale_already_applied", Refuse, Known, All, &[refuse::stale_already_applied], &[]),
    kind("target_removed_decoy", Refuse, Known, All, &[refuse::target_removed_decoy], &[]),
    kind("not_in_file", Refuse, Known, All, &[refuse::not_in_file], &[]),
    exact("bom_file", Recoverable, Own, &[space::bom_file]),
    exact("partial_edges", Recoverable, Own, &[lines::partial_edges]),
    kind("stale_number", Recoverable, Own, Words, &[fuzzy::stale_number], &[]),
    kind("word_case", Recoverable, Own, Words, &[fuzzy::word_case], &[]),
    kind("quote_style", Recoverable, Own, Words, &[fuzzy::quote_style], &[]),
    kind("trailing_comma_dropped", Recoverable, Own, Words, &[fuzzy::trailing_comma_dropped], &[]),
    kind("semicolon_dropped", Recoverable, Own, Words, &[fuzzy::semicolon_dropped], &[]),
    kind("comment_shortened", Recoverable, Own, Words, &[fuzzy::comment_shortened], &[]),
    kind("cut_off_line", Recoverable, Own, Words, &[fuzzy::cut_off_line], &[]),
    kind("comment_dropped", Recoverable, Own, Words, &[lines::comment_dropped], &[]),
    kind("nfd_in_old", Recoverable, Own, Characters, &[inner::nfd_in_old], &[]),
    kind("fullwidth_in_old", Recoverable, Own, Characters, &[inner::fullwidth_in_old], &[]),
    kind("zero_width_in_old", Recoverable, Own, Characters, &[inner::zero_width_in_old], &[]),
    kind("blank_line_added", Recoverable, Own, Blank, &[lines::blank_line_added], &[]),
    kind("joined_lines", Recoverable, Own, Inner, &[inner::joined_lines], &[]),
    kind("wrapped_line", Recoverable, Own, Inner, &[inner::wrapped_line], &[]),
    kind("text_reflowed", Recoverable, Own, Inner, &[inner::text_reflowed], &[]),
    kind("indent_width", Recoverable, Own, Indent, &[space::indent_width], &[]),
    kind("grep_prefix", Recoverable, Own, Wrap, &[wrap::grep_prefix], &[]),
    kind("diff_prefix", Recoverable, Own, Wrap, &[wrap::diff_prefix], &[]),
    kind("double_backslashes", Recoverable, Own, Wrap, &[], &[wrap::double_backslashes]),
    kind("json_string", Recoverable, Own, Wrap, &[], &[wrap::json_string]),
    kind("cdata_wrapper", Recoverable, Own, Wrap, &[], &[wrap::cdata_wrapper]),
    kind("xml_tags", Recoverable, Own, Wrap, &[], &[wrap::xml_tags]),
    kind("same_function_twice", Refuse, Own, All, &[refuse::same_function_twice], &[]),
    kind("conflicting_change", Refuse, Own, All, &[refuse::conflicting_change], &[]),
    kind("target_line_removed", Refuse, Own, All, &[refuse::target_line_removed], &[]),
    kind("unpaired_elision", Refuse, Own, All, &[refuse::unpaired_elision], &[]),
    kind("ambiguous_elision", Refuse, Own, All, &[refuse::ambiguous_elision], &[]),
    exact("word_many_times", Refuse, Own, &[refuse::word_many_times]),
    kind("swapped_lines", Either, Own, All, &[either::swapped_lines], &[]),
    kind("extra_line", Either, Own, All, &[either::extra_line], &[]),
    kind("line_left_out", Either, Own, All, &[either::line_left_out], &[]),
    kind("typo_in_changed_line", Either, Own, All, &[either::typo_in_changed_line], &[]),
    kind("change_on_drifted_line", Either, Own, All, &[either::change_on_drifted_line], &[]),
    exact("elision_only_in_new", Either, Own, &[either::elision_only_in_new]),
];

//! C and C++.

use crate::language::grammar::{Only, Rule, Rules, Wrapper, rule};
use crate::map::Kind;

const FUNCTION: Rule = rule("function_definition", Kind::Function).named("declarator");
/// A prototype.
const DECLARED: Rule = rule("declaration", Kind::Function)
    .named("declarator")
    .only(&[Only::AtTop, Only::DeclaresFunction]);
const STRUCT: Rule =
    rule("struct_specifier", Kind::Struct).only(&[Only::Has("body"), Only::Has("name")]);
const UNION: Rule =
    rule("union_specifier", Kind::Struct).only(&[Only::Has("body"), Only::Has("name")]);
const ENUM: Rule = rule("enum_specifier", Kind::Enum).only(&[Only::Has("body"), Only::Has("name")]);
const TYPEDEF: Rule =
    rule("type_definition", Kind::Type).named("declarator").ends_at(&[]).refined(&[
        ("struct_specifier", Kind::Struct),
        ("union_specifier", Kind::Struct),
        ("enum_specifier", Kind::Enum),
    ]);
const DEFINE: Rule =
    rule("preproc_def", Kind::Constant).ends_at(&["value"]).only(&[Only::Has("value")]);
const MACRO: Rule = rule("preproc_function_def", Kind::Macro).ends_at(&["value"]);

pub(super) static C: Rules = Rules {
    definitions: &[FUNCTION, DECLARED, STRUCT, UNION, ENUM, TYPEDEF, DEFINE, MACRO],
    wrappers: &[],
    names: &["identifier", "type_identifier", "field_identifier"],
    dropped: &["comment", "attribute_specifier", "attribute_declaration"],
    folded: &["field_declaration_list", "enumerator_list"],
    tops: TOPS,
};

const TOPS: &[&str] = &[
    "translation_unit",
    "declaration_list",
    "linkage_specification",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
];

pub(super) static CPP: Rules = Rules {
    definitions: &[
        FUNCTION.ends_at(&["body", "field_initializer_list"]),
        DECLARED,
        rule("field_declaration", Kind::Method).named("declarator").only(&[Only::DeclaresFunction]),
        rule("class_specifier", Kind::Class).only(&[Only::Has("body"), Only::Has("name")]),
        STRUCT,
        UNION,
        ENUM,
        TYPEDEF,
        DEFINE,
        MACRO,
        rule("namespace_definition", Kind::Module),
        rule("alias_declaration", Kind::Type),
        rule("concept_definition", Kind::Interface),
    ],
    wrappers: &[("template_declaration", Wrapper::Whole)],
    names: &["identifier", "type_identifier", "field_identifier", "namespace_identifier"],
    dropped: &["comment", "attribute_specifier", "attribute_declaration"],
    folded: &["field_declaration_list", "enumerator_list"],
    tops: &[
        "translation_unit",
        "declaration_list",
        "field_declaration_list",
        "linkage_specification",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
    ],
};

//! `JavaScript` and `TypeScript`, both with JSX.

use crate::language::grammar::{Only, Rule, Rules, Wrapper, rule};
use crate::map::Kind;

/// What makes a value a function or a class.
const VALUES: &[(&str, Kind)] = &[
    ("arrow_function", Kind::Function),
    ("function_expression", Kind::Function),
    ("generator_function", Kind::Function),
    ("class", Kind::Class),
];
const FUNCTION: Rule = rule("function_declaration", Kind::Function);
const GENERATOR: Rule = rule("generator_function_declaration", Kind::Function);
const CLASS: Rule = rule("class_declaration", Kind::Class);
const METHOD: Rule = rule("method_definition", Kind::Method);
const VARIABLE: Rule = rule("variable_declarator", Kind::Constant)
    .ends_at(&["value"])
    .refined(VALUES)
    .only(&[Only::AtTop]);

/// `exports.f = function () {}`, `F.prototype.m = () => {}`.
const ASSIGNED: Rule = rule("assignment_expression", Kind::Function)
    .named("left")
    .ends_at(&["right"])
    .refined(VALUES)
    .only(&[Only::AtTop, Only::Refined]);

pub(super) static JAVASCRIPT: Rules = Rules {
    definitions: &[
        FUNCTION,
        GENERATOR,
        CLASS,
        METHOD,
        VARIABLE,
        ASSIGNED,
        rule("field_definition", Kind::Method)
            .named("property")
            .ends_at(&["value"])
            .refined(VALUES)
            .only(&[Only::Refined]),
    ],
    wrappers: WRAPPERS,
    names: &[
        "identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
    ],
    dropped: &["comment", "decorator"],
    folded: &[],
    tops: &["program"],
};

const WRAPPERS: &[(&str, Wrapper)] = &[
    ("export_statement", Wrapper::Whole),
    ("expression_statement", Wrapper::Whole),
    ("lexical_declaration", Wrapper::Word),
    ("variable_declaration", Wrapper::Word),
];

pub(super) static TYPESCRIPT: Rules = Rules {
    definitions: &[
        FUNCTION,
        GENERATOR,
        rule("function_signature", Kind::Function),
        CLASS,
        rule("abstract_class_declaration", Kind::Class),
        METHOD,
        rule("method_signature", Kind::Method),
        rule("abstract_method_signature", Kind::Method),
        VARIABLE,
        rule("public_field_definition", Kind::Method)
            .ends_at(&["value"])
            .refined(VALUES)
            .only(&[Only::Refined]),
        rule("interface_declaration", Kind::Interface),
        rule("enum_declaration", Kind::Enum),
        rule("type_alias_declaration", Kind::Type),
        rule("internal_module", Kind::Module),
        rule("module", Kind::Module),
    ],
    wrappers: &[
        ("export_statement", Wrapper::Whole),
        ("ambient_declaration", Wrapper::Whole),
        ("expression_statement", Wrapper::Whole),
        ("lexical_declaration", Wrapper::Word),
        ("variable_declaration", Wrapper::Word),
    ],
    names: &[
        "identifier",
        "type_identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
    ],
    dropped: &["comment", "decorator"],
    folded: &[],
    tops: &["program", "statement_block"],
};

//! Rust, Go and Swift.

use crate::language::grammar::{Only, Rules, Wrapper, rule};
use crate::map::Kind;

pub(super) static RUST: Rules = Rules {
    definitions: &[
        rule("function_item", Kind::Function),
        rule("function_signature_item", Kind::Function),
        rule("struct_item", Kind::Struct).ends_at(&["field_declaration_list"]),
        rule("union_item", Kind::Struct),
        rule("enum_item", Kind::Enum),
        rule("trait_item", Kind::Trait),
        rule("impl_item", Kind::Implementation).named("type"),
        rule("type_item", Kind::Type),
        rule("associated_type", Kind::Type),
        rule("const_item", Kind::Constant).ends_at(&["value"]),
        rule("static_item", Kind::Constant).ends_at(&["value"]),
        rule("mod_item", Kind::Module).only(&[Only::Has("body")]),
        rule("macro_definition", Kind::Macro).ends_at(&["macro_rule"]),
    ],
    wrappers: &[],
    names: &["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"],
    dropped: &["line_comment", "block_comment", "attribute_item"],
    folded: &[],
    tops: &["source_file", "declaration_list"],
};

pub(super) static GO: Rules = Rules {
    definitions: &[
        rule("function_declaration", Kind::Function),
        rule("method_declaration", Kind::Method),
        rule("method_elem", Kind::Method),
        rule("type_spec", Kind::Type)
            .ends_at(&["field_declaration_list", "struct_type", "interface_type"])
            .refined(&[("struct_type", Kind::Struct), ("interface_type", Kind::Interface)]),
        rule("type_alias", Kind::Type),
        rule("const_spec", Kind::Constant).ends_at(&["value"]).only(&[Only::AtTop]),
        rule("var_spec", Kind::Constant).ends_at(&["value"]).only(&[Only::AtTop]),
    ],
    wrappers: &[
        ("type_declaration", Wrapper::Word),
        ("const_declaration", Wrapper::Word),
        ("var_declaration", Wrapper::Word),
        ("var_spec_list", Wrapper::Nothing),
    ],
    names: &["identifier", "type_identifier", "field_identifier", "package_identifier"],
    dropped: &["comment"],
    folded: &[],
    tops: &["source_file"],
};

pub(super) static SWIFT: Rules = Rules {
    definitions: &[
        rule("class_declaration", Kind::Class).refined(&[
            ("struct", Kind::Struct),
            ("enum", Kind::Enum),
            ("extension", Kind::Implementation),
        ]),
        rule("protocol_declaration", Kind::Interface),
        rule("function_declaration", Kind::Function),
        rule("protocol_function_declaration", Kind::Function).ends_at(&["statements"]),
        rule("init_declaration", Kind::Function).or_called("init"),
        rule("subscript_declaration", Kind::Function)
            .named("")
            .or_called("subscript")
            .ends_at(&["computed_property"]),
        rule("typealias_declaration", Kind::Type),
        rule("associatedtype_declaration", Kind::Type),
        rule("macro_declaration", Kind::Macro).named("simple_identifier").ends_at(&["definition"]),
        rule("property_declaration", Kind::Property)
            .ends_at(&["value", "computed_value"])
            .only(&[Only::AtTop]),
        rule("protocol_property_declaration", Kind::Property),
    ],
    wrappers: &[],
    names: &["simple_identifier", "type_identifier"],
    dropped: &["comment", "multiline_comment", "attribute"],
    folded: &[],
    tops: &["source_file", "class_body", "enum_class_body", "protocol_body"],
};

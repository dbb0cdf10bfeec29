//! Java, Kotlin, Scala and C#.

use crate::language::grammar::{Only, Rules, Wrapper, rule};
use crate::map::Kind;

pub(super) static JAVA: Rules = Rules {
    definitions: &[
        rule("class_declaration", Kind::Class),
        rule("record_declaration", Kind::Class),
        rule("interface_declaration", Kind::Interface),
        rule("annotation_type_declaration", Kind::Interface),
        rule("annotation_type_element_declaration", Kind::Method),
        rule("enum_declaration", Kind::Enum),
        rule("method_declaration", Kind::Method),
        rule("constructor_declaration", Kind::Method),
        rule("compact_constructor_declaration", Kind::Method),
        rule("variable_declarator", Kind::Constant).ends_at(&["value"]).only(&[
            Only::AtTop,
            Only::Capital,
            Only::Words(&["static", "final"]),
        ]),
    ],
    wrappers: &[("field_declaration", Wrapper::Whole), ("constant_declaration", Wrapper::Whole)],
    names: &["identifier", "type_identifier"],
    dropped: &["line_comment", "block_comment", "annotation", "marker_annotation"],
    folded: &[],
    tops: &["class_body", "interface_body", "enum_body_declarations"],
};

pub(super) static KOTLIN: Rules = Rules {
    definitions: &[
        rule("class_declaration", Kind::Class)
            .ends_at(&["class_body", "enum_class_body"])
            .refined(&[("interface", Kind::Interface), ("enum_class_body", Kind::Enum)]),
        rule("object_declaration", Kind::Class).ends_at(&["class_body"]),
        rule("companion_object", Kind::Class).or_called("Companion").ends_at(&["class_body"]),
        rule("function_declaration", Kind::Function).ends_at(&["function_body"]),
        rule("secondary_constructor", Kind::Function)
            .named("")
            .or_called("constructor")
            .ends_at(&["block", "constructor_delegation_call"]),
        rule("type_alias", Kind::Type).named("type"),
        rule("property_declaration", Kind::Property)
            .named("variable_declaration")
            .ends_at(&["=", "property_delegate", "getter", "setter"])
            .only(&[Only::AtTop]),
    ],
    wrappers: &[],
    names: &["identifier"],
    dropped: &["line_comment", "block_comment", "annotation"],
    folded: &[],
    tops: &["source_file", "class_body", "enum_class_body"],
};

pub(super) static SCALA: Rules = Rules {
    definitions: &[
        rule("class_definition", Kind::Class),
        rule("object_definition", Kind::Class),
        rule("package_object", Kind::Class),
        rule("trait_definition", Kind::Trait),
        rule("enum_definition", Kind::Enum),
        rule("function_definition", Kind::Function),
        rule("function_declaration", Kind::Function),
        rule("type_definition", Kind::Type),
        rule("given_definition", Kind::Constant).or_called("given"),
        rule("extension_definition", Kind::Implementation).named("").or_called("extension"),
        rule("val_definition", Kind::Constant)
            .named("pattern")
            .ends_at(&["value"])
            .only(&[Only::AtTop]),
        rule("val_declaration", Kind::Constant).only(&[Only::AtTop]),
    ],
    wrappers: &[],
    names: &["identifier", "type_identifier", "operator_identifier"],
    dropped: &["comment", "block_comment", "annotation"],
    folded: &[],
    tops: &["compilation_unit", "template_body", "package_clause", "enum_body"],
};

pub(super) static C_SHARP: Rules = Rules {
    definitions: &[
        rule("class_declaration", Kind::Class),
        rule("record_declaration", Kind::Class),
        rule("struct_declaration", Kind::Struct),
        rule("interface_declaration", Kind::Interface),
        rule("enum_declaration", Kind::Enum),
        rule("delegate_declaration", Kind::Type),
        rule("namespace_declaration", Kind::Module),
        rule("file_scoped_namespace_declaration", Kind::Module),
        rule("method_declaration", Kind::Method),
        rule("constructor_declaration", Kind::Method),
        rule("operator_declaration", Kind::Method).named("operator"),
        rule("indexer_declaration", Kind::Method)
            .named("")
            .or_called("this")
            .ends_at(&["accessors", "value"]),
        rule("local_function_statement", Kind::Function),
        rule("property_declaration", Kind::Property).ends_at(&["accessors", "value"]),
        rule("event_declaration", Kind::Property).ends_at(&["accessors"]),
        rule("variable_declarator", Kind::Constant).ends_at(&["="]).only(&[
            Only::AtTop,
            Only::Capital,
            Only::Words(&["const"]),
        ]),
        rule("variable_declarator", Kind::Constant).ends_at(&["="]).only(&[
            Only::AtTop,
            Only::Capital,
            Only::Words(&["static", "readonly"]),
        ]),
    ],
    wrappers: &[("field_declaration", Wrapper::Whole), ("variable_declaration", Wrapper::Whole)],
    names: &["identifier"],
    dropped: &["comment", "attribute_list"],
    folded: &[],
    tops: &["declaration_list"],
};

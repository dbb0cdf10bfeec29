//! Python, Ruby, PHP, Lua and Bash.

use crate::language::grammar::{Only, Rules, Wrapper, rule};
use crate::map::Kind;

pub(super) static PYTHON: Rules = Rules {
    definitions: &[
        rule("function_definition", Kind::Function),
        rule("class_definition", Kind::Class),
        rule("type_alias_statement", Kind::Type).named("left"),
        rule("assignment", Kind::Constant)
            .named("left")
            .ends_at(&["right"])
            .only(&[Only::AtTop, Only::Capital]),
    ],
    wrappers: &[("decorated_definition", Wrapper::Whole), ("expression_statement", Wrapper::Whole)],
    names: &["identifier"],
    dropped: &["comment", "decorator"],
    folded: &[],
    tops: &["module", "block"],
};

pub(super) static RUBY: Rules = Rules {
    definitions: &[
        rule("class", Kind::Class),
        rule("module", Kind::Module),
        rule("singleton_class", Kind::Implementation).named("").or_called("self"),
        rule("method", Kind::Function),
        rule("singleton_method", Kind::Function),
        rule("assignment", Kind::Constant)
            .named("left")
            .ends_at(&["right"])
            .only(&[Only::AtTop, Only::Capital]),
    ],
    wrappers: &[],
    names: &["identifier", "constant"],
    dropped: &["comment"],
    folded: &[],
    tops: &["program", "body_statement"],
};

pub(super) static PHP: Rules = Rules {
    definitions: &[
        rule("function_definition", Kind::Function),
        rule("method_declaration", Kind::Method),
        rule("class_declaration", Kind::Class),
        rule("interface_declaration", Kind::Interface),
        rule("trait_declaration", Kind::Trait),
        rule("enum_declaration", Kind::Enum),
        rule("namespace_definition", Kind::Module),
        rule("const_element", Kind::Constant).named("name"),
    ],
    wrappers: &[("const_declaration", Wrapper::Whole)],
    names: &["name"],
    dropped: &["comment", "attribute_list"],
    folded: &[],
    tops: &["program"],
};

pub(super) static LUA: Rules = Rules {
    definitions: &[
        rule("function_declaration", Kind::Function),
        // `M.f = function() … end`, `local f = function() … end`.
        rule("assignment_statement", Kind::Function)
            .named("variable_list")
            .ends_at(&["expression_list"])
            .refined(&[("function_definition", Kind::Function)])
            .only(&[Only::AtTop, Only::Refined]),
    ],
    wrappers: &[("variable_declaration", Wrapper::Whole)],
    names: &["identifier"],
    dropped: &["comment"],
    folded: &[],
    tops: &["chunk"],
};

pub(super) static BASH: Rules = Rules {
    definitions: &[
        rule("function_definition", Kind::Function),
        rule("variable_assignment", Kind::Constant)
            .ends_at(&["value"])
            .only(&[Only::AtTop, Only::Capital]),
    ],
    wrappers: &[("declaration_command", Wrapper::Whole)],
    names: &["command_name", "variable_name"],
    dropped: &["comment"],
    folded: &[],
    tops: &["program"],
};

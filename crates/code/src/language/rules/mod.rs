//! For each language, which nodes of its grammar define something, name something, or stand
//! around a definition.

mod c;
mod javascript;
mod jvm;
mod scripts;
mod systems;

use tree_sitter_language::LanguageFn;

use super::Language;
use super::grammar::Rules;

/// A language's grammar and rules.
pub(super) fn of(language: Language) -> (LanguageFn, &'static Rules) {
    match language {
        Language::Bash => (tree_sitter_bash::LANGUAGE, &scripts::BASH),
        Language::C => (tree_sitter_c::LANGUAGE, &c::C),
        Language::CSharp => (tree_sitter_c_sharp::LANGUAGE, &jvm::C_SHARP),
        Language::Cpp => (tree_sitter_cpp::LANGUAGE, &c::CPP),
        Language::Go => (tree_sitter_go::LANGUAGE, &systems::GO),
        Language::Java => (tree_sitter_java::LANGUAGE, &jvm::JAVA),
        Language::JavaScript => (tree_sitter_javascript::LANGUAGE, &javascript::JAVASCRIPT),
        Language::Kotlin => (tree_sitter_kotlin_ng::LANGUAGE, &jvm::KOTLIN),
        Language::Lua => (tree_sitter_lua::LANGUAGE, &scripts::LUA),
        Language::Php => (tree_sitter_php::LANGUAGE_PHP, &scripts::PHP),
        Language::Python => (tree_sitter_python::LANGUAGE, &scripts::PYTHON),
        Language::Ruby => (tree_sitter_ruby::LANGUAGE, &scripts::RUBY),
        Language::Rust => (tree_sitter_rust::LANGUAGE, &systems::RUST),
        Language::Scala => (tree_sitter_scala::LANGUAGE, &jvm::SCALA),
        Language::Swift => (tree_sitter_swift::LANGUAGE, &systems::SWIFT),
        Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX, &javascript::TYPESCRIPT),
        Language::TypeScript => {
            (tree_sitter_typescript::LANGUAGE_TYPESCRIPT, &javascript::TYPESCRIPT)
        }
    }
}

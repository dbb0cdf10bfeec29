//! Texts that nobody wrote to be parsed.

use dogu_code::language::Language;

/// A sound text of each language.
pub(crate) fn sample(language: Language) -> &'static str {
    match language {
        Language::Bash => include_str!("../fixtures/sample.sh"),
        Language::C => include_str!("../fixtures/sample.c"),
        Language::CSharp => include_str!("../fixtures/Sample.cs"),
        Language::Cpp => include_str!("../fixtures/sample.cpp"),
        Language::Go => include_str!("../fixtures/sample.go"),
        Language::Java => include_str!("../fixtures/Sample.java"),
        Language::JavaScript => include_str!("../fixtures/sample.js"),
        Language::Kotlin => include_str!("../fixtures/Sample.kt"),
        Language::Lua => include_str!("../fixtures/sample.lua"),
        Language::Php => include_str!("../fixtures/sample.php"),
        Language::Python => include_str!("../fixtures/sample.py"),
        Language::Ruby => include_str!("../fixtures/sample.rb"),
        Language::Rust => include_str!("../fixtures/sample.rs"),
        Language::Scala => include_str!("../fixtures/Sample.scala"),
        Language::Swift => include_str!("../fixtures/sample.swift"),
        Language::Tsx => include_str!("../fixtures/sample.tsx"),
        Language::TypeScript => include_str!("../fixtures/sample.ts"),
    }
}

/// Texts of a hundred thousand levels, and shorter ones that take more work for each.
pub(crate) fn deep(language: Language) -> Vec<String> {
    let start = if language == Language::Php { "<?php " } else { "" };
    let text = |piece: &str, count: usize| format!("{start}{}", piece.repeat(count));
    let closed = |open: &str, close: &str| {
        format!("{start}x = {}1{};\n", open.repeat(100_000), close.repeat(100_000))
    };
    vec![
        text("(", 100_000),
        text("[", 100_000),
        text("{", 100_000),
        closed("[", "]"),
        text("<", 4_000),
        text("{[(", 2_000),
        text("}", 4_000),
        text("if (x) {", 1_000),
        text("a(b[{c: ", 1_000),
        text("\"${", 2_000),
        text("class a { void b() { ", 500),
    ]
}

/// Lines of half a megabyte, and shorter ones that take more work for each byte.
pub(crate) fn long_lines(language: Language) -> Vec<String> {
    let one_line = sample(language).replace('\n', " ");
    let long = |piece: &str| piece.repeat(500 * 1024 / piece.len());
    vec![long(&one_line), long("a"), long("\\"), "\"'`".repeat(10_000)]
}

/// Pieces of a sound text in an order that makes no sense: errors everywhere.
pub(crate) fn shuffled(language: Language, seed: u64, length: usize) -> String {
    let words: Vec<&str> = sample(language).split_inclusive([' ', '\n', '(', '{']).collect();
    let mut state = seed;
    let mut text = String::new();
    while text.len() < length {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(words[usize::try_from(state >> 33).unwrap_or(0) % words.len()]);
    }
    text
}

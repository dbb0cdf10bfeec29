//! Which file is written in which language: by its name, and by how it begins.

use std::path::Path;

use super::Language;

/// How much of a file's beginning is looked at.
const LOOKED_AT: usize = 8 * 1024;
/// What only C++ says, at the beginning of a line of a header.
const CPP_WORDS: [&str; 7] =
    ["class ", "namespace ", "template<", "template <", "using ", "public:", "extern \"C++\""];

impl Language {
    /// The language of a file, by its name; of files without an ending by the program that
    /// their first line names, and of `.h` by what they hold. `start` may be empty.
    pub fn of(path: &Path, start: &[u8]) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let start = &start[..start.len().min(LOOKED_AT)];
        match Self::by_name(name) {
            Some(Self::C) if has_ending(name, "h") && looks_like_cpp(start) => Some(Self::Cpp),
            Some(language) => Some(language),
            None if Self::needs_start(path) => by_first_line(start),
            None => None,
        }
    }

    /// The name alone does not tell, the first line may: the file has no ending.
    pub fn needs_start(path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| !name.contains('.') && Self::by_name(name).is_none())
    }

    fn by_name(name: &str) -> Option<Self> {
        by_whole_name(name).or_else(|| {
            let (stem, ending) = name.rsplit_once('.')?;
            if stem.is_empty() { None } else { by_ending(&ending.to_ascii_lowercase()) }
        })
    }
}

fn by_whole_name(name: &str) -> Option<Language> {
    Some(match name {
        ".bashrc" | ".bash_profile" | ".bash_aliases" | ".bash_logout" | ".profile"
        | "PKGBUILD" | "APKBUILD" => Language::Bash,
        "Rakefile" | "Gemfile" | "Podfile" | "Vagrantfile" | "Fastfile" | "Brewfile"
        | "Guardfile" | "Capfile" | "Dangerfile" => Language::Ruby,
        "SConstruct" | "SConscript" | "wscript" => Language::Python,
        "Jakefile" => Language::JavaScript,
        _ => return None,
    })
}

fn by_ending(ending: &str) -> Option<Language> {
    Some(match ending {
        "sh" | "bash" | "bats" | "ksh" | "ebuild" => Language::Bash,
        "c" | "h" => Language::C,
        "cs" | "csx" => Language::CSharp,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "tpp" | "inl"
        | "ixx" | "cppm" | "cu" | "cuh" | "ino" => Language::Cpp,
        "go" => Language::Go,
        "java" => Language::Java,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "kt" | "kts" => Language::Kotlin,
        "lua" => Language::Lua,
        "php" | "phtml" | "php5" | "php7" | "php8" => Language::Php,
        "py" | "pyi" | "pyw" => Language::Python,
        "rb" | "rake" | "gemspec" | "ru" | "podspec" => Language::Ruby,
        "rs" => Language::Rust,
        "scala" | "sc" | "sbt" => Language::Scala,
        "swift" => Language::Swift,
        "tsx" => Language::Tsx,
        "ts" | "mts" | "cts" => Language::TypeScript,
        _ => return None,
    })
}

/// `#!/usr/bin/env -S python3 -u` names python.
fn by_first_line(start: &[u8]) -> Option<Language> {
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let program = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = program.filter(|word| !word.starts_with('-') && !word.contains('='));
    let program = { program }.find(|word| *word != "env")?;
    Some(match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "sh" | "bash" | "dash" | "ksh" | "bats" => Language::Bash,
        "python" | "pypy" => Language::Python,
        "node" | "nodejs" | "bun" => Language::JavaScript,
        "deno" | "ts-node" | "tsx" => Language::TypeScript,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "scala" | "scala-cli" => Language::Scala,
        "swift" => Language::Swift,
        "kotlin" => Language::Kotlin,
        _ => return None,
    })
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, own)| own.eq_ignore_ascii_case(ending))
}

fn looks_like_cpp(start: &[u8]) -> bool {
    String::from_utf8_lossy(start).lines().map(str::trim_start).any(|line| {
        CPP_WORDS.iter().any(|word| line.starts_with(word))
            || (line.starts_with("#include <") && !line.contains(".h") && line.contains('>'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, start: &str) -> Option<Language> {
        Language::of(Path::new(name), start.as_bytes())
    }

    #[test]
    fn endings_and_names_tell() {
        assert_eq!(of("a/b.rs", ""), Some(Language::Rust));
        assert_eq!(of("x.d.ts", ""), Some(Language::TypeScript));
        assert_eq!(of("X.PY", ""), Some(Language::Python));
        assert_eq!(of("Rakefile", ""), Some(Language::Ruby));
        assert_eq!(of(".bashrc", ""), Some(Language::Bash));
        for name in ["README.md", "rs", ".rs", "a.rs/", "a.b", "", "..", "Makefile"] {
            let expected = (name == "a.rs/").then_some(Language::Rust);
            assert_eq!(of(name, ""), expected, "{name}");
        }
    }

    #[test]
    fn the_first_line_tells_of_files_without_an_ending() {
        for (line, expected) in [
            ("#!/bin/sh\nx", Some(Language::Bash)),
            ("#!/usr/bin/env python3.12\n", Some(Language::Python)),
            ("#! /usr/bin/env -S A=1 node --x\n", Some(Language::JavaScript)),
            ("#!/usr/bin/perl\n", None),
            ("#!", None),
            ("#!env", None),
            ("python", None),
            ("#!\u{0}\u{ff}", None),
        ] {
            assert_eq!(of("run", line), expected, "{line}");
            assert_eq!(of("run.txt", line), None, "{line}");
        }
    }

    #[test]
    fn headers_of_cpp_are_told_from_those_of_c() {
        assert_eq!(of("a.h", "#include <stdio.h>\nint f(void);\n"), Some(Language::C));
        assert_eq!(of("a.h", "#pragma once\n  namespace x {\n"), Some(Language::Cpp));
        assert_eq!(of("a.h", "#include <vector>\n"), Some(Language::Cpp));
        assert_eq!(of("a.c", "class x;\n"), Some(Language::C));
    }
}

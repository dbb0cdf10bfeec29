//! The most memory that the worst texts take. A program of its own: other tests would count too.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod support;

use dogu_code::language::Language;
use dogu_code::map::Outline;
use support::{deep, long_lines, shuffled};

/// The most memory that this process ever had, in megabytes.
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

#[test]
fn hostile_texts_are_parsed_in_less_than_200_megabytes() {
    for language in Language::ALL {
        let texts = [deep(language), long_lines(language), vec![shuffled(language, 1, 50 * 1024)]];
        for text in texts.concat() {
            let _ = Outline::of(&text, language, &|| false);
            let most = most_memory();
            let start: String = text.chars().take(40).collect();
            assert!(most < 200, "{most} MB after {} bytes of {language:?}: {start}", text.len());
        }
    }
}

//! Texts that are no code, or too much of it: an answer within bounds, whatever they are. What
//! bounds the work is counted in steps and bytes, so the answers are the same on every machine.

mod support;

use dogu_code::language::{Language, MAX_BYTES, Unparsed, errors};
use dogu_code::map::Outline;
use proptest::prelude::*;
use support::{deep, long_lines, sample, shuffled};

/// Parses; whatever comes out must make sense.
fn outline(text: &str, language: Language) -> Result<Outline, Unparsed> {
    let outline = Outline::of(text, language, &|| false)?;
    let lines =
        u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX) + 1;
    for (place, definition) in (0..).zip(&outline.definitions) {
        let what = || format!("{language:?} {definition:?}");
        assert!((1..=lines).contains(&definition.line), "{}", what());
        assert!((1..=lines).contains(&definition.last_line), "{}", what());
        assert!(definition.parent.is_none_or(|parent| parent < place), "{}", what());
        assert!(definition.signature.len() <= 210, "{}", what());
        assert!(!definition.signature.contains(char::is_control), "{}", what());
        assert!(!definition.name.is_empty() && definition.name.len() <= 100, "{}", what());
    }
    assert!(outline.definitions.len() <= 5_000 && outline.mentions.len() <= 10_000);
    assert!(outline.mentions.is_sorted() && outline.mentions.iter().all(|(_, count)| *count > 0));
    Ok(outline)
}

fn each_language(check: impl Fn(Language) + Sync) {
    std::thread::scope(|scope| {
        for half in Language::ALL.chunks(Language::ALL.len().div_ceil(2)) {
            let check = &check;
            scope.spawn(move || half.iter().for_each(|language| check(*language)));
        }
    });
}

#[test]
fn a_hundred_thousand_levels_do_not_end_the_process() {
    each_language(|language| {
        for text in deep(language) {
            let found = outline(&text, language);
            let judged = matches!(found, Ok(_) | Err(Unparsed::TooHard));
            assert!(judged, "{language:?} {:?}", &text[..20]);
        }
    });
}

#[test]
fn fifty_megabytes_are_not_parsed() {
    let text = "x = 1;\n".repeat(50 * 1024 * 1024 / 7);
    for language in Language::ALL {
        assert_eq!(outline(&text, language), Err(Unparsed::TooLarge));
        assert_eq!(errors(&text, language), None);
    }
    let longest = " ".repeat(MAX_BYTES);
    assert_eq!(outline(&longest, Language::Rust), Ok(Outline::default()));
    assert_eq!(outline(&(longest + " "), Language::Rust), Err(Unparsed::TooLarge));
}

#[test]
fn a_line_of_half_a_megabyte_has_an_outline_within_bounds() {
    each_language(|language| {
        for text in long_lines(language) {
            let found = outline(&text, language);
            let judged = matches!(found, Ok(_) | Err(Unparsed::TooHard));
            assert!(judged, "{language:?} {:?}", &text[..20]);
        }
    });
    let many = "fn f(){}".repeat(60_000);
    assert_eq!(outline(&many, Language::Rust).map(|found| found.definitions.len()), Ok(5_000));
}

#[test]
fn a_text_whose_scanner_looks_ahead_from_each_place_is_given_up() {
    // Bash looks for the end of a here document from each `<`: as many bytes as the square of its
    // length, and hardly a step.
    assert_eq!(outline(&"<".repeat(100_000), Language::Bash), Err(Unparsed::TooHard));
    assert!(outline(&"<".repeat(1_000), Language::Bash).is_ok());
    // The parser starts afresh.
    assert!(
        outline(sample(Language::Bash), Language::Bash)
            .is_ok_and(|found| found.definitions.len() == 6)
    );
}

#[test]
fn zero_bytes_and_bytes_that_are_no_text_are_passed_over() {
    for language in Language::ALL {
        let text = sample(language);
        let many = |text: &str| outline(text, language).map_or(0, |found| found.definitions.len());
        let all = many(text);
        // After the whole text what was found stays.
        let bytes = [text.as_bytes(), b"\n\0\0\xff\xfe\xc3\x28\n"].concat();
        assert!(many(&String::from_utf8_lossy(&bytes)) * 2 >= all, "{language:?}");
        let _ = outline(&text.replace(' ', "\0"), language);
        let _ = outline(&text.replace('\n', "\r"), language);
        let _ = outline(&text.replace('\n', "\r\n"), language);
        let _ = outline("\u{feff}", language);
        let _ = outline("\0", language);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_have_an_outline(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for language in Language::ALL {
            let text = String::from_utf8_lossy(&bytes);
            let _ = outline(&text, language);
            let _ = errors(&text, language);
        }
    }

    #[test]
    fn pieces_of_code_in_any_order_have_an_outline(seed in any::<u64>(), length in 0_usize..4_000) {
        for language in Language::ALL {
            let text = shuffled(language, seed, length);
            let _ = outline(&text, language);
            let _ = errors(&text, language);
        }
    }

    #[test]
    fn a_sound_text_with_a_hole_has_an_outline(at in any::<prop::sample::Index>(), length in 0_usize..40) {
        for language in Language::ALL {
            let text = sample(language);
            let start = text.floor_char_boundary(at.index(text.len()));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            let holed = [&text[..start], &text[end..]].concat();
            let _ = outline(&holed, language);
            if let Some(error) = errors(&holed, language) {
                prop_assert!(error.line <= holed.lines().count() + 1, "{:?}", error);
            }
        }
    }
}

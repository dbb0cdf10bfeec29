use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Expands a template of the table into a text and the secret in it.
fn expand(template: &str, seed: usize) -> (String, String) {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}').unwrap();
        text.push_str(&rest[..open]);
        let (kind, count) = rest[open + 1..close].split_at(1);
        let alphabet = match kind {
            "a" => "x7Qm2ZkP9vLcT4bRw8NfJ6hYd3GsK5uE1tB",
            "h" => "0f3a9c7e1b5d2846",
            "d" => "1935728460",
            "u" => "QXZ7KM2PVLT4BRWNFJ",
            _ => " ",
        };
        let letters = alphabet.chars().cycle().skip(seed % alphabet.len());
        text.extend(letters.take(count.parse().unwrap()));
        rest = &rest[close + 1..];
    }
    text.push_str(rest);
    let (start, end) = (text.find('«').unwrap(), text.find('»').unwrap());
    let secret = text[start + '«'.len_utf8()..end].to_owned();
    (text.replace(['«', '»'], ""), secret)
}

fn example(name: &str, seed: usize) -> (String, String) {
    let pattern = PATTERNS.iter().find(|pattern| pattern.name == name).unwrap();
    expand(pattern.example, seed)
}

#[test]
fn the_table_is_sound() {
    assert!(PATTERNS.len() <= 128, "one bit each in a u128");
    assert!(PATTERNS.iter().filter(|p| p.level == Level::Result).count() >= 25);
    for (index, pattern) in PATTERNS.iter().enumerate() {
        assert!(Regex::new(pattern.regex).is_ok(), "{} does not compile", pattern.name);
        assert!(pattern.triggers.iter().all(|t| *t == t.to_ascii_lowercase()), "{}", pattern.name);
        assert!(!pattern.about.is_empty());
        assert!(PATTERNS[..index].iter().all(|other| other.name != pattern.name));
    }
}

#[test]
fn every_example_disappears_under_its_own_name() {
    let redactor = Redactor::new();
    for pattern in PATTERNS {
        let (text, secret) = expand(pattern.example, 0);
        let redacted = redactor.redact(&text, pattern.level);
        let wanted = text.replace(&secret, &mark(pattern.name));
        assert_eq!(redacted, wanted, "{}", pattern.name);
    }
}

#[test]
fn guesses_are_for_the_record_only() {
    let redactor = Redactor::new();
    for pattern in PATTERNS.iter().filter(|pattern| pattern.level == Level::Record) {
        let (text, _) = expand(pattern.example, 0);
        assert_eq!(redactor.redact(&text, Level::Result), text, "{}", pattern.name);
    }
}

const ORDINARY: &[&str] = &[
    "let token = next_token();",
    "struct User { password: String, api_key: Option<String> }",
    "mod tokenizer; // src/tokenizer.rs",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "sha512-RpNvdF7i8p2+gQZz6JpYGpM5e8q9kFQ1xjAsia3hvQ3yS3m2mQ==",
    "password = os.environ[\"DB_PASSWORD\"]",
    "if line.starts_with(\"-----BEGIN PRIVATE KEY-----\") { return Some(parse(rest)); }",
    "const END: &str = \"-----END PRIVATE KEY-----\";",
    "postgres://user:${PASSWORD}@localhost/db",
    "the task-runner and the disk-usage of Asia; msg.send(bot )",
    "npm_config_registry=https://registry.npmjs.org hf_transformers sk-learn",
    "Authorization: Bearer <token>",
    "토큰과 비밀번호 🔑 ⟦redacted jwt⟧",
];

#[test]
fn ordinary_text_is_left_alone_in_results() {
    let redactor = Redactor::new();
    for text in ORDINARY {
        let redacted = redactor.redact(text, Level::Result);
        assert_eq!(redacted, *text);
        assert!(matches!(redacted, Cow::Borrowed(_)));
    }
}

#[test]
fn this_source_is_left_alone_in_results() {
    let redactor = Redactor::new();
    for source in [include_str!("names.rs"), include_str!("../redact.rs")] {
        assert_eq!(redactor.redact(source, Level::Result), source);
    }
}

#[test]
fn a_private_key_without_its_end_is_redacted_to_the_end() {
    let (text, secret) = example("private-key", 0);
    let cut = &text[..text.find("-----END").unwrap() - 30];
    for level in [Level::Result, Level::Record] {
        let redacted = Redactor::new().redact(cut, level);
        assert_eq!(redacted, "a ⟦redacted private-key⟧");
        assert!(!redacted.contains(&secret[40..70]));
    }
}

#[test]
fn a_private_key_inside_a_json_text_is_redacted() {
    let (text, secret) = example("private-key", 0);
    let json = json!({ "key": text }).to_string();
    let redacted = Redactor::new().redact(&json, Level::Result);
    assert!(!redacted.contains(&secret[40..90]), "{redacted}");
    assert!(serde_json::from_str::<Value>(&redacted).is_ok());
}

#[test]
fn an_encrypted_private_key_with_headers_is_redacted() {
    let (text, secret) = example("private-key", 0);
    let head = "KEY-----\n";
    let text =
        text.replacen(head, &format!("{head}Proc-Type: 4,ENCRYPTED\nDEK-Info: AES,0F\n\n"), 1);
    assert!(!Redactor::new().redact(&text, Level::Result).contains(&secret[40..90]));
}

#[test]
fn one_key_file_does_not_hide_the_next() {
    let (first, _) = example("putty-key", 0);
    let (second, _) = example("putty-key", 1);
    let redacted =
        Redactor::new().redact(&format!("{first}\n{second}"), Level::Result).into_owned();
    let one = "Private-Lines: 2\n⟦redacted putty-key⟧";
    assert_eq!(redacted, format!("{one}\n{one}"));
}

#[test]
fn what_people_write_is_redacted_in_the_record() {
    let redactor = Redactor::new();
    for (text, wanted) in [
        (r#"{"password":"a b\"c"}"#, r#"{"password":"⟦redacted assignment⟧"}"#),
        (
            r#"{\"password\":\"abc\",\"x\":1}"#,
            r#"{\"password\":\"⟦redacted assignment⟧\",\"x\":1}"#,
        ),
        ("TOKEN: abc", "TOKEN: ⟦redacted assignment⟧"),
        ("?access_token=abc&x=1", "?access_token=⟦redacted assignment⟧&x=1"),
        ("Authorization: Bearer abc", "Authorization: ⟦redacted authorization⟧"),
        ("--api-key=abc", "--api-key=⟦redacted flag⟧"),
        ("redis://:abc@h", "redis://:⟦redacted database-url⟧@h"),
        ("max_tokens: 5", "max_tokens: 5"),
    ] {
        assert_eq!(redactor.redact(text, Level::Record), wanted);
    }
}

#[test]
fn known_values_are_found_in_every_spelling() {
    let redactor =
        Redactor::with_known([("KEY", "a\"b c/d+e"), ("SHORT", "abc"), ("M", "redacted")]);
    let text = r#"a"b c/d+e | a\"b c/d+e | a%22b%20c%2Fd%2Be | abc redacted"#;
    let redacted = redactor.redact(text, Level::Result);
    assert_eq!(redacted, "⟦redacted KEY⟧ | ⟦redacted KEY⟧ | ⟦redacted KEY⟧ | abc redacted");
}

#[test]
fn values_under_the_keys_of_secrets_are_replaced_whole() {
    let redactor = Redactor::new();
    let (_, token) = example("github-token", 0);
    let mut value = json!({
        "apiKey": "x", "secrets": ["a", "b"], "max_tokens": 5, "path": "src/a.rs",
        "nested": { "Authorization": "Basic x" }, token.clone(): 1, "password": "",
    });
    let mut result = value.clone();
    redactor.redact_value(&mut value, Level::Record);
    assert_eq!(
        value,
        json!({
            "apiKey": "⟦redacted apikey⟧", "max_tokens": 5, "path": "src/a.rs", "password": "",
            "secrets": ["⟦redacted secret⟧", "⟦redacted secret⟧"],
            "nested": { "Authorization": "⟦redacted authorization⟧" },
            "⟦redacted github-token⟧": 1,
        })
    );
    redactor.redact_value(&mut result, Level::Result);
    assert_eq!(result["apiKey"], "x");
    assert!(!result.to_string().contains(&token));
}

#[test]
fn depth_costs_no_stack() {
    let depth = 10_000;
    let mut value = Value::from("x");
    for _ in 0..depth {
        value = Value::Array(vec![value]);
    }
    Redactor::new().redact_value(&mut value, Level::Record);
}

fn any_level() -> impl Strategy<Value = Level> {
    prop_oneof![Just(Level::Result), Just(Level::Record)]
}

/// Texts of the pieces that patterns are made of: random characters would never match.
fn any_text() -> impl Strategy<Value = String> {
    let example = (0..PATTERNS.len(), 0..64_usize)
        .prop_map(|(index, seed)| expand(PATTERNS[index].example, seed).0);
    let piece = prop_oneof![
        example,
        proptest::sample::select(ORDINARY).prop_map(str::to_owned),
        "[ -~\n]{0,20}",
        "\\PC{0,8}",
        "(password|token|Authorization|Cookie|://|:|=|@|\"|'|\\\\|⟦redacted |⟧| |\n){1,6}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing(text in any_text(), level in any_level()) {
        let redactor = Redactor::with_known([("KNOWN", "token=correct horse")]);
        let once = redactor.redact(&text, level).into_owned();
        prop_assert_eq!(&redactor.redact(&once, level), &once);
    }

    #[test]
    fn a_planted_secret_is_gone(
        before in any_text(), after in any_text(), index in 0..PATTERNS.len(), seed in 0..64_usize,
    ) {
        let pattern = &PATTERNS[index];
        let (text, secret) = expand(pattern.example, seed);
        let text = format!("{before}\n {text}\n {after}");
        let redacted = Redactor::new().redact(&text, pattern.level);
        // Another piece may hold a shorter form of the same letters, which is no secret there.
        if !before.contains(&secret) && !after.contains(&secret) {
            prop_assert!(!redacted.contains(&secret), "{}: {}", pattern.name, redacted);
        }
    }
}

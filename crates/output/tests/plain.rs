//! What a person would see.

use dogu_output::{Plain, plain};

fn seen(bytes: &str) -> String {
    plain(bytes.as_bytes())
}

#[test]
fn a_line_is_written_over() {
    for (printed, expected) in [
        ("a\r\nb\r\n", "a\nb\n"),
        ("12345\rab\n", "ab345\n"),
        ("no newline", "no newline"),
        ("abc\x08\x08X\n", "aXc\n"),
        ("_\x08a_\x08b b\x08b\n", "ab b\n"),
        ("a\tb\n", "a\tb\n"),
        ("a\tb\rX\n", "X\tb\n"),
        ("a\tb\r123\n", "123     b\n"),
        ("hello\x1b[1K!\n", "     !\n"),
        ("hello\r\x1b[K\n", "\n"),
        ("hello\x1b[2D\x1b[K!\n", "hel!\n"),
        ("hello\x1b[2K\rbye\n", "bye\n"),
        ("hello\x1b[2Kbye\n", "     bye\n"),
        ("abcdef\x1b[3G\x1b[2P!\n", "ab!f\n"),
        ("abc\x1b[2G\x1b[2@\n", "a  bc\n"),
        ("abcdef\x1b[2G\x1b[3X\n", "a   ef\n"),
        ("a\x1b[5Cb\n", "a     b\n"),
        ("한글\rab\n", "ab글\n"),
        ("한글\ra\n", "a 글\n"),
        ("한글\x08\x08x\n", "한x \n"),
        ("e\u{301}x\rabc\n", "abc\n"),
        ("xe\u{301}\ra\n", "ae\u{301}\n"),
        ("\x7f\0a\x07b\x0e\x0f\u{85}\u{9b}c\n", "abc\n"),
    ] {
        assert_eq!(seen(printed), expected, "{printed:?}");
    }
}

#[test]
fn lines_above_are_written_over() {
    for (printed, expected) in [
        ("one\ntwo\n\x1b[2A\x1b[2KONE\n\x1b[1B", "ONE\ntwo\n"),
        ("one\ntwo\n\x1b[1A\x1b[K", "one\n\n"),
        ("one\ntwo\nthree\n\x1b[3A\x1b[J", ""),
        ("one\ntwo\x1b[1FX\n", "Xne\ntwo"),
        ("a\x1b7bc\x1b8X\n", "aXc\n"),
        ("a\x1b[sbc\ndef\x1b[uX\n", "aXc\ndef"),
        ("a\nb\x1bMX\n", "aX\nb"),
        ("top\x1b[99AX\x1b[99BY\n", "topXY\n"),
    ] {
        assert_eq!(seen(printed), expected, "{printed:?}");
    }
}

#[test]
fn what_scrolled_out_is_final() {
    let mut printed: String = (0..100).map(|number| format!("{number}\n")).collect();
    printed.push_str("\x1b[99AX");
    let text = seen(&printed);
    assert!(text.starts_with("0\n1\n2\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with('X')).count(), 1);
    assert_eq!(text.lines().nth(37), Some("X7"));
}

#[test]
fn a_cleared_screen_starts_anew() {
    for (printed, expected) in [
        ("\x1b[H\x1b[2Jfirst\n", "first\n"),
        ("before\n\x1b[H\x1b[2Jafter\n", "before\n\nafter\n"),
        ("before\x0cafter\n", "before\n\nafter\n"),
        ("before\x1bcafter\n", "before\n\nafter\n"),
        (
            "shell\n\x1b[?1049hfull screen\x1b[?1049lshell again\n",
            "shell\n\nfull screen\n\nshell again\n",
        ),
        // Rows of a full-screen program, redrawn in place.
        ("log\n\x1b[Ha: 1\x1b[2;1Hb: 1\x1b[Ha: 2\x1b[2;4H2\n", "log\n\na: 2\nb: 2\n"),
        ("\x1b[3;2Hx", "\n\n x"),
    ] {
        assert_eq!(seen(printed), expected, "{printed:?}");
    }
}

#[test]
fn colours_titles_links_and_switches_are_dropped() {
    for printed in [
        "\x1b[1;38;5;196mred\x1b[0m",
        "\x1b[38:2::1:2:3mred\x1b[m",
        "\x1b]0;a title\x07red",
        "\x1b]8;;https://example.com\x1b\\red\x1b]8;;\x1b\\",
        "\x1bP1$r0m\x1b\\red",
        "\x1b_Gf=100;AAAA\x1b\\red",
        "\x1b^private\x1b\\\x1bXstring\x1b\\red",
        "\x1b(B\x1b)0\x1b#8\x1b%Gred",
        "\x1b[?25l\x1b[?2004hred\x1b[?25h\x1b=\x1b>",
        "\x1b[>4;1m\x1b[>c\x1b[6nred",
        "\x1b\x1b[31mred",
    ] {
        assert_eq!(seen(printed), "red", "{printed:?}");
    }
}

#[test]
fn broken_sequences_swallow_no_more_than_they_must() {
    for (printed, expected) in [
        ("\x1b[31\nnext", "\nnext"),
        ("\x1b[한글", "한글"),
        ("\x1b한글", "한글"),
        ("\x1b]0;title without end\nnext", "\nnext"),
        ("\x1bPdcs without end\r\nnext", "\nnext"),
        ("\x1b]0;one\x1b[31mtwo", "two"),
        ("text\x1b", "text"),
        ("text\x1b[12;3", "text"),
        ("\x1b]a\x18text", "text"),
        ("\x1b(\ntext", "\ntext"),
    ] {
        assert_eq!(seen(printed), expected, "{printed:?}");
    }
    let endless = format!("\x1b[{}m", "1;".repeat(1000));
    assert!(seen(&endless).ends_with("1;m"));
    let endless = format!("\x1b]{}end", "x".repeat(3_000_000));
    let text = seen(&endless);
    assert!(text.len() < 2_000_000 && text.len() > 1_900_000 && text.ends_with("xend"));
}

#[test]
fn progress_bars_show_their_last_state() {
    let cargo = "\x1b[1m\x1b[32m   Compiling\x1b[0m memchr v2.8.3\n\
        \x1b[1m\x1b[36m    Building\x1b[0m [====>      ] 12/40: memchr\r\
        \x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m regex v1.12.0\n\
        \x1b[1m\x1b[36m    Building\x1b[0m [=========> ] 39/40: regex\r\
        \x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m in 2.50s\n";
    let expected =
        "   Compiling memchr v2.8.3\n   Compiling regex v1.12.0\n    Finished in 2.50s\n";
    assert_eq!(seen(cargo), expected);

    // docker pull: rows of layers, each rewritten from below.
    let mut docker = String::from("latest: Pulling\na1: Waiting\nb2: Waiting\n");
    for percent in [10, 50, 100] {
        docker.push_str(&format!("\x1b[2A\x1b[2K\ra1: {percent}%\x1b[2B\r"));
        docker.push_str(&format!("\x1b[1A\x1b[2K\rb2: {percent}%\x1b[1B\r"));
    }
    docker.push_str("done\n");
    assert_eq!(seen(&docker), "latest: Pulling\na1: 100%\nb2: 100%\ndone\n");

    let npm = "\x1b[1G\x1b[0K⠙ reify\x1b[1G\x1b[0K⠹ reify:left\x1b[1G\x1b[0K\nadded 3 packages\n";
    assert_eq!(seen(npm), "\nadded 3 packages\n");

    let pip = "   ━━━━\x1b[90m╺━━━━\x1b[0m 1.0/2.0 MB\r\x1b[2K   ━━━━━━━━━━ 2.0/2.0 MB\nok\n";
    assert_eq!(seen(pip), "   ━━━━━━━━━━ 2.0/2.0 MB\nok\n");

    let tqdm = "\r  0%|          | 0/2\r 50%|█████     | 1/2\r100%|██████████| 2/2\n";
    assert_eq!(seen(tqdm), "100%|██████████| 2/2\n");

    // Two bars of tqdm, one below the other.
    let nested = "a:   0%\n\rb:   0%\x1b[A\ra:  50%\n\rb:  90%\x1b[A\ra: 100%\n\rb: 100%\n";
    assert_eq!(seen(nested), "a: 100%\nb: 100%\n");
}

#[test]
fn a_million_returns_are_one_line() {
    let mut plain = Plain::new();
    let mut text = String::new();
    for number in 0..=1_000_000 {
        plain.feed(format!("\r{number} of 1000000").as_bytes(), &mut text);
        assert!(text.is_empty());
    }
    plain.finish(&mut text);
    assert_eq!(text, "1000000 of 1000000");
}

#[test]
fn blanks_beyond_a_line_are_bounded() {
    let printed = "\x1b[9999C\x1b[9999C\x1b[9999Gx\n".repeat(1000);
    assert!(seen(&printed).len() < 1000 * 300);
    let printed = "x\x1b[D\x1b[9999@".repeat(10_000);
    assert!(seen(&printed).len() < 100_000);
}

#[test]
fn a_line_of_any_length_stays_whole() {
    let long = "가나다라 abc ".repeat(100_000);
    assert_eq!(seen(&long), long);
    let long = "x".repeat(3_000_000) + "\n" + &"y".repeat(1_000_000) + "\n";
    assert_eq!(seen(&long), long);
    let marks = format!("a{}b\n", "\u{301}".repeat(500_000));
    assert_eq!(seen(&marks), marks);
}

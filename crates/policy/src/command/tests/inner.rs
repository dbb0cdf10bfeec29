//! The commands inside of commands.

use super::*;

/// The inner commands of a line as text.
fn inner(line: &str) -> Vec<String> {
    let words = |words: &[Arg]| words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let text = |inner: &Inner| match inner {
        Inner::Command(command) => format!("run {}", words(command)),
        Inner::PerInput { command, exact } => format!("each {exact} {}", words(command)),
        Inner::Script(script) => format!("script {script}"),
        Inner::Elsewhere(command) => format!("there {}", words(command)),
    };
    judged(line).inner.iter().map(text).collect()
}

#[test]
fn wrappers_hand_out_what_they_start() {
    for (line, expected) in [
        ("env ls -l", "run ls -l"),
        ("env -i A=1 B=2 ls", "run ls"),
        ("env -u X ls", "run ls"),
        ("env -uX -- ls", "run ls"),
        ("sudo rm x", "run rm x"),
        ("sudo -n -u root rm x", "run rm x"),
        ("sudo -nu root A=1 rm x", "run rm x"),
        ("doas -u x rm y", "run rm y"),
        ("nohup ls", "run ls"),
        ("nice ls", "run ls"),
        ("nice -n 5 ls", "run ls"),
        ("nice -n5 ls", "run ls"),
        ("nice -5 ls", "run ls"),
        ("time -p ls", "run ls"),
        ("timeout 5 ls -l", "run ls -l"),
        ("timeout -k 1 -s KILL 5 ls", "run ls"),
        ("timeout --signal=KILL 5 ls", "run ls"),
        ("stdbuf -oL ls", "run ls"),
        ("setsid ls", "run ls"),
        ("command ls", "run ls"),
        ("builtin cd x", "run cd x"),
        ("exec ls", "run ls"),
        ("busybox rm x", "run rm x"),
        ("flock x ls", "run ls"),
        ("strace -f -e open ls", "run ls"),
        ("chroot d ls", "there ls"),
        ("xargs", "each false echo {}"),
        ("xargs rm -f", "each false rm -f {}"),
        ("xargs -0 rm", "each true rm {}"),
        ("xargs -0n1 rm", "each true rm {}"),
        ("xargs -d '\\n' rm", "each true rm {}"),
        ("xargs -I{} mv {} d/", "each false mv {} d/"),
        ("xargs -I % mv % d/%", "each false mv {} d/…"),
        ("xargs -n 1 -P 4 ls", "each false ls {}"),
        ("find a -exec cat {} ;", "run cat …"),
        ("find a -name x -exec cat {} +", "run cat …"),
        ("find a -execdir cat {} ;", "run cat …"),
        ("bash -c 'ls -l'", "script ls -l"),
        ("bash -lc 'ls -l' x y", "script ls -l"),
        ("sh -ec ls", "script ls"),
        ("bash -euo pipefail -c ls", "script ls"),
        ("zsh -c ls", "script ls"),
        ("eval ls -l", "script ls -l"),
        ("eval $X", "script …"),
        ("trap 'rm x' EXIT", "script rm x"),
        ("su -c 'rm x'", "script rm x"),
        ("watch -n 1 ls -l", "script ls -l"),
        ("ssh host rm -rf x", "there rm -rf x"),
        ("ssh -p 22 u@host rm x", "there rm x"),
        ("docker exec -it c rm x", "there rm x"),
        ("docker run --rm -v a:b image rm x", "there rm x"),
        ("kubectl exec pod -- rm x", "there rm x"),
        ("python -m pip install x", "run pip install x"),
        ("uv run rm -rf x", "run rm -rf x"),
        ("flock x -c 'rm x'", "script rm x"),
        ("cmake -E rm x", "run rm x"),
        ("npx rm x", "run rm x"),
        ("taskset 1 rm x", "run rm x"),
        ("fd -x rm x", "run rm x"),
        ("bundle exec rm x", "run rm x"),
    ] {
        assert_eq!(inner(line), [expected], "{line}");
    }
}

#[test]
fn danger_is_handed_out_even_where_a_wrapper_is_not_understood() {
    for line in [
        "timeout $T rm -rf x",
        "env $X rm -rf x",
        "xargs $X rm -rf x",
        "nice --what rm -rf x",
        "find . -what -exec rm -rf x ;",
    ] {
        assert!(
            inner(line).iter().any(|inner| inner.starts_with("run rm -rf x")),
            "{line}: {:?}",
            inner(line)
        );
    }
}

#[test]
fn variables_that_are_set_are_named() {
    assert_eq!(judged("env A=1 B=x ls").sets, ["A", "B"]);
    assert_eq!(judged("sudo LD_PRELOAD=x ls").sets, ["LD_PRELOAD"]);
    assert_eq!(judged("export A=1 B").sets, ["A", "B"]);
}

#[test]
fn names_that_find_fills_in_cannot_be_options() {
    let effects = judged("find src -exec wc {} +");
    let [Inner::Command(command)] = &effects.inner[..] else { panic!("{effects:?}") };
    assert!(!command[1].may_be_option());
    assert_eq!(judge(command).risk, Risk::Safe);
}

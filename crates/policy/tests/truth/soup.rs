//! Random command lines: pieces of the shell's grammar in any order.

/// What a line is made of. Pieces that bash only knows together come together often enough
/// by themselves; the pairs are here so that many lines are valid.
const PIECES: &[&str] = &[
    "touch zz",
    "touch zz",
    "echo ",
    "echo ",
    "cat ",
    "a",
    "b",
    " ",
    " ",
    "\n",
    "\n",
    "\\\n",
    "\\",
    "\"",
    "\"",
    "'",
    "'",
    "`",
    "$(",
    ")",
    "$((",
    "))",
    "${x:-",
    "}",
    "$",
    "(",
    ")",
    "{ ",
    "; }",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "#",
    " #",
    "$'",
    "$\"",
    "\\'",
    "\\\"",
    "<<E\n",
    "<<'E'\n",
    "<<-E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "> ",
    ">/dev/null",
    "2>&1",
    "&>",
    "<",
    "x=",
    "x=a ",
    "$x",
    "\"$x\"",
    "${x}",
    "!",
    "! ",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    " = ",
    " -f ",
    "if true; then ",
    "; fi",
    "else ",
    "for x in a b; do ",
    "; done",
    "while false; do ",
    "case a in a) ",
    ";; esac",
    ";;",
    "(( ",
    " ))",
    "f() ",
    "time ",
    "{a,b}",
    "*",
    "~",
    "1",
    "\t",
    "\r",
    "${x#",
    "${x/",
    "${#x}",
    "x[",
    "]",
    "@",
    "in ",
    "do ",
    "then ",
    "$(echo a)",
    "\"$(echo a)\"",
    "'a b'",
    "bash -c ",
    "bash -c '",
    "xargs ",
    "cd src",
];

/// So many pieces are in the longest line.
const LONGEST: usize = 12;

/// Makes lines, the same ones each time, that name the command which must not run.
pub(crate) fn lines(count: usize) -> impl Iterator<Item = String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let made = (0..count).map(move |_| line(&mut random));
    made.filter(|line| line.contains("touch zz") || line.contains('>'))
}

fn line(random: &mut Random) -> String {
    let start = ["echo ", "cat ", "ls ", ""][random.below(4)];
    let pieces = 2 + random.below(LONGEST - 1);
    let rest = (0..pieces).map(|_| PIECES[random.below(PIECES.len())]);
    std::iter::once(start).chain(rest).collect()
}

/// Xorshift: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound
    }
}

# Makes the workspace that the everyday lines are about in the folder that it starts in: a small
# project in three languages, with data, logs, and a repository that has some history.
set -euo pipefail
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
export GIT_AUTHOR_DATE='2024-03-01T10:00:00Z' GIT_COMMITTER_DATE='2024-03-01T10:00:00Z'

commit() {
    git add -A
    git commit -qm "$1"
}

git init -q -b main
git remote add origin https://example.com/demo.git
mkdir -p src/util tests docs data logs scripts web .github/workflows

cat >Cargo.toml <<'EOF'
[package]
name = "demo"
version = "0.2.0"
edition = "2021"

[dependencies]
EOF
cat >Cargo.lock <<'EOF'
version = 3

[[package]]
name = "demo"
version = "0.2.0"
EOF
cat >src/main.rs <<'EOF'
mod parser;
mod util;

// TODO: read the name from the arguments
fn main() {
    let name = "world";
    println!("{}", util::text::greet(name));
    println!("{}", parser::parse("1 + 2").unwrap());
}
EOF
cat >src/lib.rs <<'EOF'
pub mod parser;
pub mod util;
EOF
cat >src/parser.rs <<'EOF'
/// Adds the numbers of a sum.
pub fn parse(text: &str) -> Option<i64> {
    // FIXME: only knows `+`
    text.split('+').map(|part| part.trim().parse::<i64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::parse("1 + 2"), Some(3));
    }
}
EOF
printf 'pub mod text;\n' >src/util/mod.rs
cat >src/util/text.rs <<'EOF'
pub fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}
EOF
cat >tests/basic.rs <<'EOF'
#[test]
fn greets() {
    assert_eq!(demo::util::text::greet("Ada"), "Hello, Ada!");
}
EOF
cat >README.md <<'EOF'
# demo

A small project.

## Usage

Run `demo` and read what it says.

## License

MIT
EOF
commit 'start of the project'

cat >package.json <<'EOF'
{
  "name": "demo-web",
  "version": "0.2.0",
  "scripts": { "build": "node web/build.js", "test": "node --test" },
  "dependencies": { "left-pad": "^1.3.0" },
  "devDependencies": { "typescript": "^5.0.0" }
}
EOF
cat >web/index.js <<'EOF'
import { format } from './format.js';

export function render(user) {
  // TODO: escape the name
  return format(user.name);
}
EOF
printf "export const format = (name) => \`<b>\${name}</b>\`;\n" >web/format.js
cat >web/style.css <<'EOF'
body { margin: 0; }
EOF
cat >scripts/report.py <<'EOF'
import csv


def total(path):
    with open(path) as file:
        return sum(int(row["amount"]) for row in csv.DictReader(file))


class Report:
    def __init__(self, path):
        self.path = path
EOF
printf 'requests==2.31.0\npytest==8.0.0\n' >requirements.txt
commit 'web: a page'
git tag v0.1.0

cat >docs/guide.md <<'EOF'
# Guide

See the [API](api.md). TODO: more.
EOF
cat >docs/api.md <<'EOF'
# API

- `greet`: says hello
- `parse`: adds numbers
EOF
cat >data/users.csv <<'EOF'
id,name,city
1,Ada,London
2,Grace,New York
3,Linus,Portland
4,Guido,London
EOF
cat >data/sales.csv <<'EOF'
id,user,amount
1,1,30
2,2,45
3,1,12
4,4,9
EOF
cat >data/config.json <<'EOF'
{"name": "demo", "debug": true, "ports": [80, 443], "database": {"host": "localhost", "pool": 5}}
EOF
cat >data/events.jsonl <<'EOF'
{"type":"login","user":1,"ms":12}
{"type":"click","user":2,"ms":3}
{"type":"login","user":4,"ms":25}
EOF
printf 'pear\napple\nfig\napple\nplum\n' >data/words.txt
cat >logs/app.log <<'EOF'
2024-03-01 10:00:00 INFO started
2024-03-01 10:00:01 WARN slow query 120ms
2024-03-01 10:00:02 ERROR connection refused
2024-03-01 10:00:03 INFO retry
2024-03-01 10:00:04 ERROR timeout after 30s
EOF
cat >logs/access.log <<'EOF'
10.0.0.1 - GET / 200 512
10.0.0.2 - GET /about 404 120
10.0.0.1 - POST /login 200 64
10.0.0.3 - GET / 500 0
EOF
cat >.gitignore <<'EOF'
/target
node_modules/
EOF
cat >.github/workflows/ci.yml <<'EOF'
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo test
EOF
cat >Makefile <<'EOF'
test:
	cargo test
EOF
printf 'FROM rust:1\nCOPY . /app\n' >Dockerfile
printf '# Changes\n\n## 0.2.0\n- a page\n\n## 0.1.0\n- first\n' >CHANGELOG.md
printf 'MIT License\n' >LICENSE
commit 'docs and data'

git switch -qc feature/login
printf 'pub fn login() {}\n' >src/login.rs
commit 'login: a start'
git switch -q main
git branch fix-typo
printf '\nMore to come.\n' >>docs/guide.md
commit 'docs: say more'
printf '\n// later\n' >>src/lib.rs
git stash -q
printf '\nTwo lines more.\n' >>README.md
printf 'remember the milk\n' >notes.txt
printf '.cache\n' >>.gitignore
git add .gitignore

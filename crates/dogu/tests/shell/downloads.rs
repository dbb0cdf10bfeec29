//! What cargo and go download goes into a layer of the workspace, over what their user has.
//!
//! The registry is a real one: an index and packages over HTTP, on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{World, until};

/// Makes a package and an index of it, and serves both. Says its port.
const REGISTRY: &str = r#"
import hashlib, http.server, io, json, os, sys, tarfile
os.chdir(sys.argv[1])
def package(name, text):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode='w:gz') as tar:
        manifest = f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\n'
        for path, content in (('Cargo.toml', manifest), ('src/lib.rs', text)):
            info = tarfile.TarInfo(f'{name}-1.0.0/{path}'); info.size = len(content)
            tar.addfile(info, io.BytesIO(content.encode()))
    return data.getvalue()
data = package('tinycrate', 'pub fn word() -> &\'static str { "downloaded" }')
os.makedirs('index/ti/ny'); os.makedirs('crates')
open('crates/tinycrate-1.0.0.crate', 'wb').write(data)
line = dict(name='tinycrate', vers='1.0.0', deps=[], cksum=hashlib.sha256(data).hexdigest(), features={}, yanked=False)
open('index/ti/ny/tinycrate', 'w').write(json.dumps(line) + '\n')
handler = http.server.SimpleHTTPRequestHandler
handler.log_message = lambda *a: None
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
port = server.server_address[1]
open('index/config.json', 'w').write(json.dumps(dict(dl=f'http://127.0.0.1:{port}/crates/{{crate}}-{{version}}.crate')))
open('port', 'w').write(str(port)); os.rename('port', 'ready')
server.serve_forever()
"#;

/// A workspace with a package that needs another one, a home of cargo, and a registry.
struct Cargo {
    world: World,
    folder: tempfile::TempDir,
    registry: Child,
}

impl Drop for Cargo {
    fn drop(&mut self) {
        let _ = self.registry.kill();
        let _ = self.registry.wait();
    }
}

/// A folder that commands see: what lies below `/tmp` is private to each of them.
fn seen_folder() -> tempfile::TempDir {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let base = if target.starts_with("/tmp") { std::env::home_dir().unwrap() } else { target };
    tempfile::Builder::new().prefix("dogu-downloads-").tempdir_in(base).unwrap()
}

impl Cargo {
    async fn new() -> Self {
        let folder = seen_folder();
        let home = folder.path().join("cargo");
        let served = folder.path().join("served");
        for path in [home.join("registry/cache"), served.clone()] {
            fs::create_dir_all(path).unwrap();
        }
        fs::write(home.join("registry/cache/of-the-user"), "theirs").unwrap();
        let registry = Command::new("python3")
            .args(["-c", REGISTRY, served.to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until(|| served.join("ready").exists()).await;
        let port = fs::read_to_string(served.join("ready")).unwrap();
        // As a user names a mirror of their own; commands cannot change it.
        let config = format!(
            "[source.crates-io]\nreplace-with = \"own\"\n[source.own]\nregistry = \"sparse+http://127.0.0.1:{port}/index/\"\n"
        );
        fs::write(home.join("config.toml"), config).unwrap();
        let world = Self::workspace(&home);
        Self { world, folder, registry }
    }

    fn workspace(home: &Path) -> World {
        let settings = format!("shell: {{ environment: {{ CARGO_HOME: {} }} }}", home.display());
        let world = World::with_settings(&settings);
        let manifest = "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ntinycrate = \"1\"\n[workspace]\n";
        fs::write(world.work("Cargo.toml"), manifest).unwrap();
        fs::create_dir(world.work("src")).unwrap();
        let main = "fn main() { println!(\"{}\", tinycrate::word()); }";
        fs::write(world.work("src/main.rs"), main).unwrap();
        world
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("cargo")
    }

    /// Every file below the user's own home of cargo, but for empty ones.
    fn of_the_user(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.home()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let facts = entry.metadata().unwrap();
                if facts.is_dir() {
                    folders.push(entry.path());
                } else if facts.len() > 0 {
                    found.push(
                        entry.path().strip_prefix(self.home()).unwrap().display().to_string(),
                    );
                }
            }
        }
        found.sort();
        found
    }
}

async fn run(world: &World, line: &str, network: bool) -> Value {
    let input = json!({"command": line, "network": network});
    let result = world.call("execute_command", input).await;
    let mut ran = result.structured.clone().unwrap_or_else(|| panic!("{}", result.to_text()));
    ran["text"] = json!(result.to_text());
    ran
}

#[tokio::test]
async fn cargo_downloads_into_a_layer_of_the_workspace() {
    let cargo = Cargo::new().await;
    let theirs = ["config.toml", "registry/cache/of-the-user"];
    // Without anything over it, the user's home is as it is.
    let ran = run(
        &cargo.world,
        "python3 -c 'import os; open(os.environ[\"CARGO_HOME\"] + \"/registry/x\", \"w\")'",
        false,
    )
    .await;
    assert!(ran["text"].as_str().unwrap().contains("Read-only file system"), "{ran}");
    let ran = run(&cargo.world, "cargo build -q", true).await;
    assert_eq!(ran["exit_code"], 0, "{}", ran["text"]);
    assert_eq!(cargo.of_the_user(), theirs);
    // What was downloaded is there for the next command, with the user's own, and offline.
    let ran = run(
        &cargo.world,
        "rm -rf target && cargo run -q --offline; cat $CARGO_HOME/registry/cache/of-the-user",
        false,
    )
    .await;
    assert_eq!(ran["stdout"], "downloaded\ntheirs", "{}", ran["text"]);
    // Settings and programs of cargo's home stay as they are, whatever is over its downloads.
    for name in ["config.toml", "bin/evil", "credentials.toml"] {
        let line = format!(
            "python3 -c 'import os; open(os.environ[\"CARGO_HOME\"] + \"/{name}\", \"a\")'"
        );
        assert_eq!(run(&cargo.world, &line, true).await["exit_code"], 1, "{name}");
    }
    assert_eq!(cargo.of_the_user(), theirs);
}

#[tokio::test]
async fn what_one_workspace_downloads_nobody_else_uses() {
    let cargo = Cargo::new().await;
    let ran = run(&cargo.world, "cargo fetch -q && echo evil >> $(ls -d $CARGO_HOME/registry/src/*/tinycrate-1.0.0)/src/lib.rs && echo changed", true).await;
    assert_eq!(ran["stdout"], "changed\n", "{}", ran["text"]);
    // The user's own cargo has nothing of it, and neither has another workspace.
    let own = Command::new("cargo")
        .args(["fetch", "-q", "--offline"])
        .current_dir(cargo.world.work(""))
        .env("CARGO_HOME", cargo.home())
        .output()
        .unwrap();
    assert!(!own.status.success(), "{own:?}");
    let other = Cargo::workspace(&cargo.home());
    let ran = run(&other, "cargo fetch -q --offline", false).await;
    assert_ne!(ran["exit_code"], 0, "{ran}");
    let ran = run(&other, "cargo run -q", true).await;
    assert_eq!(ran["stdout"], "downloaded\n", "{}", ran["text"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cargos_lock_holds_between_commands() {
    let cargo = Arc::new(Cargo::new().await);
    let holds = "python3 -c 'import fcntl, os, time\nf = open(os.environ[\"CARGO_HOME\"] + \"/.package-cache\", \"a\")\nfcntl.flock(f, fcntl.LOCK_EX); open(\"held\", \"w\").close()\nwhile not os.path.exists(\"go\"): time.sleep(0.02)'";
    let other = Arc::clone(&cargo);
    let running = tokio::spawn(async move { run(&other.world, holds, true).await });
    until(|| cargo.world.work("held").exists()).await;
    let tries = "python3 -c 'import fcntl, os\nf = open(os.environ[\"CARGO_HOME\"] + \"/.package-cache\", \"a\")\ntry: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB); print(\"got it\")\nexcept BlockingIOError: print(\"is held\")'";
    let ran = run(&cargo.world, tries, true).await;
    assert_eq!(ran["stdout"], "is held\n", "{}", ran["text"]);
    // cargo itself waits for it.
    let waits = json!({"command": "cargo fetch", "network": true, "timeout": 3});
    let result = cargo.world.call("execute_command", waits).await;
    assert_eq!(result.structured.clone().unwrap()["timed_out"], true, "{}", result.to_text());
    assert!(result.to_text().contains("waiting for file lock"), "{}", result.to_text());
    fs::write(cargo.world.work("go"), "").unwrap();
    assert_eq!(running.await.unwrap()["exit_code"], 0);
    // Two at once, into a layer that nobody has used yet: what the kernel works with is theirs.
    for number in 0..5 {
        let _ = fs::remove_file(cargo.world.work("Cargo.lock"));
        for own in fs::read_dir(cargo.world.path("home/.cache/dogu/caches")).unwrap().flatten() {
            fs::remove_dir_all(own.path().join("layers/cargo-registry/upper")).unwrap();
        }
        let [one, two] = ["one", "two"].map(|which| format!("cargo fetch # {which} {number}"));
        let (one, two) = tokio::join!(run(&cargo.world, &one, true), run(&cargo.world, &two, true));
        assert_eq!([&one["exit_code"], &two["exit_code"]], [0, 0], "{one} {two}");
    }
}

#[tokio::test]
async fn gos_downloads_have_a_layer_too() {
    let folder = seen_folder();
    let path = folder.path().join("go");
    fs::create_dir_all(path.join("pkg/mod/cache")).unwrap();
    fs::write(path.join("pkg/mod/cache/theirs"), "theirs").unwrap();
    let settings = format!("shell: {{ environment: {{ GOPATH: {} }} }}", path.display());
    let world = World::with_settings(&settings);
    let line = "cd $GOPATH/pkg/mod && cat cache/theirs && mkdir new && echo x > new/file && ls";
    let ran = run(&world, line, true).await;
    assert_eq!(ran["stdout"], "theirscache\nnew\n", "{}", ran["text"]);
    assert!(!path.join("pkg/mod/new").exists());
    let ran = run(&world, "python3 -c 1; cat $GOPATH/pkg/mod/new/file", false).await;
    assert_eq!(ran["stdout"], "x\n", "{}", ran["text"]);
}

//! How fast a tool is found among thousands: `cargo bench -p dogu-builtin --bench tools`.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]
#![expect(clippy::unwrap_used, reason = "what is missing ends it")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::time::{Duration, Instant};

use dogu_builtin::tools::Index;
use dogu_tool::ToolSpec;
use serde_json::json;

const TOOLS: usize = 5_000;
const ROUNDS: usize = 200;
const VERBS: [&str; 10] =
    ["create", "list", "get", "update", "delete", "search", "merge", "send", "export", "sync"];
const THINGS: [&str; 20] = [
    "issue",
    "pull_request",
    "message",
    "channel",
    "invoice",
    "customer",
    "file",
    "folder",
    "calendar_event",
    "ticket",
    "comment",
    "branch",
    "release",
    "deployment",
    "metric",
    "alert",
    "user",
    "team",
    "webhook",
    "report",
];

fn main() {
    let specs: Vec<ToolSpec> = (0..TOOLS).map(spec).collect();
    let bytes: usize = specs.iter().map(|spec| spec.to_schema().to_string().len()).sum();
    println!("{TOOLS} tools, {:.1} MB of definitions", bytes as f64 / 1e6);
    let began = Instant::now();
    let index = Index::of(specs.iter());
    println!("{:>28}: {:8.3} ms", "index, once for a registry", ms(began.elapsed()));
    for (name, query) in [
        ("exact name", "server7__merge_release_147"),
        ("two words", "merge release"),
        ("a sentence", "how do I send a message to the channel of my team"),
        ("misspelt", "updaet custmoer invocie"),
        ("nothing fits", "xylophone quartz"),
        (
            "all words of all names",
            "create list get update delete search merge send export sync issue message channel invoice customer file folder ticket",
        ),
    ] {
        println!("{name:>28}: {:8.3} ms", ms(median(|| index.search(query, 5).len())));
    }
}

fn spec(n: usize) -> ToolSpec {
    let (verb, thing) = (VERBS[n % VERBS.len()], THINGS[n / VERBS.len() % THINGS.len()]);
    let words = thing.replace('_', " ");
    let schema = json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "description": format!("Which {words}.")},
        "limit": {"type": "integer", "description": "How many at the most."},
        "filter": {"type": "string", "description": "Only those that match."},
    }});
    let about = format!(
        "Allows to {verb} a {words} of the workspace {n}, with paging where there are many of them."
    );
    ToolSpec::new(format!("server{}__{verb}_{thing}_{n}", n % 40), about, schema).unwrap()
}

fn median(mut run: impl FnMut() -> usize) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            std::hint::black_box(run());
            began.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

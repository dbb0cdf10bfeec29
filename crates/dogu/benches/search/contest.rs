//! One search by all who can do it.

use std::time::Duration;

use serde_json::Value;

use crate::peers::{Engine, Run};
use crate::{CALL_TARGET, IN_PROCESS_TARGET};

pub(crate) struct Contest<'a> {
    pub(crate) name: String,
    pub(crate) peer: &'a dyn Fn() -> Run,
    pub(crate) tool: &'static str,
    pub(crate) input: Value,
}

impl Contest<'_> {
    /// Prints who took how long; says whether the targets hold.
    pub(crate) fn run(&self, engine: &Engine, rounds: usize) -> bool {
        let runners: [&dyn Fn() -> Run; 3] =
            [self.peer, &|| engine.call(self.tool, &self.input), &|| {
                engine.inside(self.tool, &self.input)
            }];
        let found = runners.map(|run| run().found);
        assert!(found.iter().all(|all| *all == found[0]), "{}: {found:?}", self.name);
        let mut rows: Vec<[Run; 3]> = Vec::with_capacity(rounds);
        for round in 0..rounds {
            let mut row = [Run::default(); 3];
            // Whoever comes after a given one has its cache; so nobody always comes after it.
            for turn in 0..3 {
                let who = if round % 2 == 0 { (round + turn) % 3 } else { (round + 3 - turn) % 3 };
                row[who] = runners[who]();
            }
            rows.push(row);
        }
        self.print(&rows, found[0])
    }

    fn print(&self, rows: &[[Run; 3]], found: usize) -> bool {
        let wall = |who: usize| median(rows.iter().map(|row| millis(row[who].wall)));
        let cpu = |who: usize| median(rows.iter().map(|row| millis(row[who].cpu)));
        let ratio = |who: usize| {
            median(rows.iter().map(|row| row[who].wall.as_secs_f64() / row[0].wall.as_secs_f64()))
        };
        let name = format!("{} ({found})", self.name);
        let (call, inside) = (ratio(1), ratio(2));
        println!(
            "{name:50} {:6.1} ms {:6.1} ms {:6.1} ms {call:7.2} {inside:7.2}",
            wall(0),
            wall(1),
            wall(2),
        );
        println!("{:>50} {:6.1} ms {:6.1} ms {:6.1} ms", "CPU", cpu(0), cpu(1), cpu(2));
        call <= CALL_TARGET && (self.tool != "grep" || inside <= IN_PROCESS_TARGET)
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

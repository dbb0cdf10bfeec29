//! A bounded pool of threads for work that may block.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dogu_tool::{ErrorCode, ToolError};

/// How many threads work at the same time.
const MAX_THREADS: usize = 64;
/// How many threads may be written off before no more are started.
const MAX_LOST: usize = 256;
/// How long a thread waits for work before it ends.
const IDLE_LIMIT: Duration = Duration::from_secs(10);
/// How long a thread looks for work before it sleeps, giving way to others all the time. Calls
/// come in bursts, and waking a thread can cost more than the work that it is woken for.
const LOOK_AROUND: Duration = Duration::from_micros(50);

type Job = Box<dyn FnOnce() + Send>;

/// Threads for blocking work; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
    /// How many jobs wait, for threads that look without the lock.
    waiting: AtomicUsize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Arc<Phase>, Job)>,
    threads: usize,
    /// Threads that will look at the queue again, asleep or not.
    idle: usize,
    /// Those of them that need not be woken.
    looking: usize,
    lost: usize,
}

/// Where a job is, as seen by the one who waits for it and the thread that does it.
#[derive(Default)]
struct Phase(AtomicU8);

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const ENDED: u8 = 2;
const GIVEN_UP: u8 = 3;

/// Lets the one who waits give a job up.
pub(crate) struct Ticket {
    phase: Arc<Phase>,
    pool: Pool,
}

impl Ticket {
    /// Stops waiting. A queued job is not begun; a running one's thread is written off.
    pub(crate) fn give_up(self) {
        if self.phase.0.swap(GIVEN_UP, Ordering::AcqRel) == RUNNING {
            self.pool.write_off();
        }
    }
}

impl Pool {
    /// Queues a job.
    pub(crate) fn submit(&self, job: impl FnOnce() + Send + 'static) -> Result<Ticket, ToolError> {
        let phase = Arc::new(Phase::default());
        let mut state = self.0.lock();
        if state.lost >= MAX_LOST {
            return Err(too_many_lost());
        }
        state.queue.push_back((Arc::clone(&phase), Box::new(job)));
        self.0.waiting.store(state.queue.len(), Ordering::Release);
        self.staff(state);
        Ok(Ticket { phase, pool: self.clone() })
    }

    /// How many threads are working on calls that have already ended.
    #[cfg(test)]
    pub(crate) fn lost(&self) -> usize {
        self.0.lock().lost
    }

    fn write_off(&self) {
        let mut state = self.0.lock();
        state.lost += 1;
        self.staff(state);
    }

    /// Wakes or starts a thread where there is more work than threads wait for it.
    fn staff(&self, mut state: MutexGuard<'_, State>) {
        if state.queue.is_empty() {
            return;
        }
        let asleep = state.idle - state.looking;
        if asleep > 0 && state.looking < state.queue.len() {
            self.0.work.notify_one();
        }
        if state.idle >= state.queue.len() {
            return;
        }
        if state.threads - state.lost < MAX_THREADS && self.start_thread() {
            state.threads += 1;
        }
    }

    fn start_thread(&self) -> bool {
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("dogu-tool".into());
        thread.spawn(move || shared.work_until_idle()).is_ok()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_until_idle(&self) {
        while let Some((phase, job)) = self.next_job() {
            if phase
                .0
                .compare_exchange(QUEUED, RUNNING, Ordering::AcqRel, Ordering::Acquire)
                .is_err()
            {
                continue;
            }
            // The job catches its tool's panics; this one keeps the count of threads right.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(job));
            if phase.0.swap(ENDED, Ordering::AcqRel) == GIVEN_UP {
                self.found_again();
            }
        }
    }

    /// A thread that was written off came back.
    fn found_again(&self) {
        self.lock().lost -= 1;
    }

    fn next_job(&self) -> Option<(Arc<Phase>, Job)> {
        let mut state = self.lock();
        loop {
            // Threads that were written off and came back may be more than are needed.
            if state.threads - state.lost > MAX_THREADS {
                state.threads -= 1;
                return None;
            }
            if let Some(job) = state.queue.pop_front() {
                self.waiting.store(state.queue.len(), Ordering::Release);
                return Some(job);
            }
            state.idle += 1;
            state = self.look_around(state);
            if !state.queue.is_empty() {
                state.idle -= 1;
                continue;
            }
            let waited = self.work.wait_timeout(state, IDLE_LIMIT);
            let timed_out;
            (state, timed_out) = match waited {
                Ok((state, timeout)) => (state, timeout.timed_out()),
                Err(poisoned) => (poisoned.into_inner().0, true),
            };
            state.idle -= 1;
            if timed_out && state.queue.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }

    /// Looks for work for a moment, without the lock.
    fn look_around<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.looking += 1;
        drop(state);
        let until = Instant::now() + LOOK_AROUND;
        while self.waiting.load(Ordering::Acquire) == 0 && Instant::now() < until {
            std::thread::yield_now();
        }
        let mut state = self.lock();
        state.looking -= 1;
        state
    }
}

fn too_many_lost() -> ToolError {
    ToolError::new(
        ErrorCode::Limit,
        format!("{MAX_LOST} earlier calls are still blocking their threads; no more are started."),
    )
    .suggest("Restart dogu, and look in `dogu log` for the tool that timed out so often.")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_stuck_thread_is_written_off_and_found_again() {
        let pool = Pool::default();
        let (release, held) = mpsc::channel::<()>();
        let (started, running) = mpsc::channel();
        let ticket = pool
            .submit(move || {
                started.send(()).unwrap();
                let _ = held.recv();
            })
            .unwrap();
        running.recv().unwrap();
        ticket.give_up();
        assert_eq!(pool.lost(), 1);
        release.send(()).unwrap();
        while pool.lost() > 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn more_jobs_than_threads_all_run() {
        let pool = Pool::default();
        let (sender, receiver) = mpsc::channel();
        for number in 0..1_000 {
            let sender = sender.clone();
            pool.submit(move || sender.send(number).unwrap()).unwrap();
        }
        let mut seen: Vec<i32> = receiver.iter().take(1_000).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..1_000).collect::<Vec<_>>());
        assert!(pool.0.lock().threads <= MAX_THREADS);
    }

    #[test]
    fn a_job_that_was_given_up_in_the_queue_never_begins() {
        let pool = Pool::default();
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..MAX_THREADS {
            let held = Arc::clone(&held);
            pool.submit(move || held.lock().unwrap().recv().unwrap()).unwrap();
        }
        let (sender, begun) = mpsc::channel();
        pool.submit(move || sender.send(()).unwrap()).unwrap().give_up();
        for _ in 0..MAX_THREADS {
            release.send(()).unwrap();
        }
        assert!(begun.recv().is_err(), "the job was dropped, not run");
    }
}

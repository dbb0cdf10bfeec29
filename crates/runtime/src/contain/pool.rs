//! A bounded pool of threads for work that may block.
//!
//! As many threads work at once as the machine has cores: more would only get in each other's way.
//! A thread whose work waits for something does not count, and neither does one whose work takes
//! longer than a moment, as it may be blocked: who comes after it gets a thread more.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use dogu_tool::{ErrorCode, ToolError};

/// How many threads work at the same time.
const MAX_THREADS: usize = 64;
/// How many threads may be written off before no more are started.
const MAX_LOST: usize = 256;
/// How long a thread waits for work before it ends.
const IDLE_LIMIT: Duration = Duration::from_secs(10);
/// A job that takes longer may be blocked, and does not keep others from a thread.
const PATIENCE: Duration = Duration::from_millis(10);

type Job = Box<dyn FnOnce() + Send>;

/// Threads for blocking work; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    work: Condvar,
    /// How many threads are woken for work without further thought.
    cores: usize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Queued>,
    threads: usize,
    asleep: usize,
    /// Threads that were woken or started and have not looked at the queue yet.
    coming: usize,
    /// What threads work at, and do not wait in.
    running: Vec<Running>,
    lost: usize,
    /// A thread sees to it that no job waits for too long.
    steward: bool,
}

struct Queued {
    phase: Arc<Phase>,
    job: Job,
}

struct Running {
    since: Instant,
    phase: Arc<Phase>,
}

/// Where a job is. Changes only under the lock of the pool.
struct Phase(AtomicU8);

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
/// Its thread does, but it waits for something.
const WAITING: u8 = 2;
const ENDED: u8 = 3;
const GIVEN_UP: u8 = 4;

impl Phase {
    fn new() -> Self {
        Self(AtomicU8::new(QUEUED))
    }

    fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, to: u8) {
        self.0.store(to, Ordering::Relaxed);
    }
}

thread_local! {
    /// The job that this thread of a pool does.
    static CURRENT: RefCell<Option<Ticket>> = const { RefCell::new(None) };
    /// The job is the first stretch of something that may block right here.
    static FIRST_STRETCH: Cell<bool> = const { Cell::new(false) };
}

/// Lets the one who waits give a job up.
#[derive(Clone)]
pub(crate) struct Ticket {
    phase: Arc<Phase>,
    pool: Pool,
}

impl Ticket {
    /// Stops waiting. A queued job is not begun; a running one's thread is written off.
    pub(crate) fn give_up(self) {
        let mut state = self.pool.0.lock();
        let before = self.phase.get();
        if before != ENDED {
            self.phase.set(GIVEN_UP);
        }
        if matches!(before, RUNNING | WAITING) {
            state.leave(&self.phase);
            state.lost += 1;
            self.pool.0.staff(state);
        }
    }

    /// Waits in the middle of the job; meanwhile another thread may work.
    fn wait(&self, wait: impl FnOnce()) {
        let mut state = self.pool.0.lock();
        if self.phase.get() == RUNNING {
            self.phase.set(WAITING);
            state.leave(&self.phase);
            self.pool.0.staff(state);
        } else {
            drop(state);
        }
        wait();
        let mut state = self.pool.0.lock();
        if self.phase.get() == WAITING {
            state.run(&self.phase);
        }
    }
}

/// Says that the job is the first stretch of something that goes on elsewhere once it waits: what
/// would need a thread for itself may use this one.
pub(super) fn set_first_stretch(is_one: bool) {
    FIRST_STRETCH.set(is_one);
}

/// The thread of a first stretch, for the first who wants to block it.
pub(super) fn take_first_stretch() -> Option<Ticket> {
    if !FIRST_STRETCH.replace(false) {
        return None;
    }
    CURRENT.with_borrow(Clone::clone)
}

/// Runs a future to its end on a thread of a pool.
pub(super) fn drive<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        match CURRENT.with_borrow(Clone::clone) {
            Some(ticket) => ticket.wait(std::thread::park),
            None => std::thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Pool {
    /// Queues a job; gives it back where no more are taken.
    pub(crate) fn submit(
        &self,
        job: impl FnOnce() + Send + 'static,
    ) -> Result<Ticket, (ToolError, Job)> {
        let phase = Arc::new(Phase::new());
        let mut state = self.0.lock();
        if state.lost >= MAX_LOST {
            return Err((too_many_lost(), Box::new(job)));
        }
        state.queue.push_back(Queued { phase: Arc::clone(&phase), job: Box::new(job) });
        self.0.staff(state);
        Ok(Ticket { phase, pool: self.clone() })
    }

    /// How many threads are working on calls that have already ended.
    #[cfg(test)]
    pub(crate) fn lost(&self) -> usize {
        self.0.lock().lost
    }
}

impl Default for Shared {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        Self { state: Mutex::default(), work: Condvar::new(), cores }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes or starts a thread where there is work that none of the busy ones will come for soon.
    fn staff(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let is_watched = state.steward || state.coming > 0;
        if state.coming >= state.queue.len()
            || is_watched && state.keeps_busy(self.cores.saturating_sub(state.coming))
        {
            return;
        }
        if state.asleep > state.coming {
            state.coming += 1;
            drop(state);
            self.work.notify_one();
        } else if state.threads - state.lost < MAX_THREADS && self.start_thread() {
            state.threads += 1;
            state.coming += 1;
        }
    }

    fn start_thread(self: &Arc<Self>) -> bool {
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("dogu-tool".into());
        thread.spawn(move || shared.work_until_idle()).is_ok()
    }

    fn work_until_idle(self: Arc<Self>) {
        let mut state = self.lock();
        state.arrive();
        while let Some(Queued { phase, job, .. }) = self.next_job(state) {
            let ticket = Ticket { phase: Arc::clone(&phase), pool: Pool(Arc::clone(&self)) };
            CURRENT.set(Some(ticket));
            // The job catches its tool's panics; this one keeps the count of threads right.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(job));
            CURRENT.set(None);
            state = self.lock();
            state.end(&phase);
        }
    }

    /// Waits for the next job; none where this thread is not needed any more.
    fn next_job<'a>(self: &'a Arc<Self>, mut state: MutexGuard<'a, State>) -> Option<Queued> {
        loop {
            // Threads that were written off and came back may be more than are needed.
            if state.threads - state.lost > MAX_THREADS {
                state.threads -= 1;
                return None;
            }
            if let Some(next) = state.take(self.cores) {
                // Whoever sees to the rest of the queue may just have been this thread.
                self.staff(state);
                return Some(next);
            }
            let timed_out;
            (state, timed_out) = self.sleep(state);
            if timed_out && state.queue.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }

    /// Sleeps until there is work; one of those that find the others busy only for a moment.
    fn sleep<'a>(&'a self, mut state: MutexGuard<'a, State>) -> (MutexGuard<'a, State>, bool) {
        let is_steward = !state.queue.is_empty() && !state.steward;
        state.steward |= is_steward;
        state.asleep += 1;
        let limit = if is_steward { PATIENCE } else { IDLE_LIMIT };
        let waited = self.work.wait_timeout(state, limit);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        state.steward &= !is_steward;
        // Also where nobody woke it: to count one too few costs a wake-up, one too many a job.
        state.arrive();
        (state, timeout.timed_out() && !is_steward)
    }
}

impl State {
    /// The next job that may begin now.
    fn take(&mut self, cores: usize) -> Option<Queued> {
        while let Some(next) = self.queue.front() {
            let given_up = next.phase.get() == GIVEN_UP;
            if !given_up && self.keeps_busy(cores) {
                return None;
            }
            let next = self.queue.pop_front()?;
            if !given_up {
                self.run(&next.phase);
                return Some(next);
            }
        }
        None
    }

    /// Whether so many cores have their work, as far as can be told.
    fn keeps_busy(&self, cores: usize) -> bool {
        if self.running.len() < cores {
            return false;
        }
        let now = Instant::now();
        let is_short = |running: &&Running| now.duration_since(running.since) < PATIENCE;
        self.running.iter().filter(is_short).count() >= cores
    }

    fn run(&mut self, phase: &Arc<Phase>) {
        phase.set(RUNNING);
        self.running.push(Running { since: Instant::now(), phase: Arc::clone(phase) });
    }

    /// The job does not hold a core any more, if it did.
    fn leave(&mut self, phase: &Arc<Phase>) {
        let at = self.running.iter().position(|running| Arc::ptr_eq(&running.phase, phase));
        if let Some(at) = at {
            self.running.swap_remove(at);
        }
    }

    fn arrive(&mut self) {
        self.coming = self.coming.saturating_sub(1);
    }

    /// A job has ended; a thread that was written off has come back.
    fn end(&mut self, phase: &Arc<Phase>) {
        if phase.get() == GIVEN_UP {
            self.lost -= 1;
        }
        self.leave(phase);
        phase.set(ENDED);
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

    fn submit(pool: &Pool, job: impl FnOnce() + Send + 'static) -> Ticket {
        pool.submit(job).map_err(|(full, _)| full).unwrap()
    }

    #[test]
    fn a_stuck_thread_is_written_off_and_found_again() {
        let pool = Pool::default();
        let (release, held) = mpsc::channel::<()>();
        let (started, running) = mpsc::channel();
        let ticket = submit(&pool, move || {
            started.send(()).unwrap();
            let _ = held.recv();
        });
        running.recv().unwrap();
        ticket.give_up();
        assert_eq!(pool.lost(), 1);
        release.send(()).unwrap();
        while pool.lost() > 0 {
            std::thread::yield_now();
        }
        assert!(pool.0.lock().running.is_empty());
    }

    #[test]
    fn more_jobs_than_threads_all_run() {
        let pool = Pool::default();
        let (sender, receiver) = mpsc::channel();
        for number in 0..1_000 {
            let sender = sender.clone();
            submit(&pool, move || sender.send(number).unwrap());
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
            submit(&pool, move || held.lock().unwrap().recv().unwrap());
        }
        let (sender, begun) = mpsc::channel();
        submit(&pool, move || sender.send(()).unwrap()).give_up();
        for _ in 0..MAX_THREADS {
            release.send(()).unwrap();
        }
        assert!(begun.recv().is_err(), "the job was dropped, not run");
    }

    #[test]
    fn work_that_waits_leaves_its_core_to_others() {
        let pool = Pool::default();
        let (release, waited) = tokio::sync::watch::channel(false);
        for _ in 0..20 {
            let mut waited = waited.clone();
            submit(&pool, move || {
                let _ = drive(waited.wait_for(|over| *over));
            });
        }
        let (sender, receiver) = mpsc::channel();
        submit(&pool, move || sender.send(()).unwrap());
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        release.send(true).unwrap();
        while !pool.0.lock().running.is_empty() || !pool.0.lock().queue.is_empty() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn short_work_has_no_more_threads_than_cores_and_blocked_work_stops_nobody() {
        let pool = Pool::default();
        let cores = pool.0.cores;
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..cores * 2 {
            let held = Arc::clone(&held);
            submit(&pool, move || {
                let _ = held.lock().unwrap().recv();
            });
        }
        let (sender, receiver) = mpsc::channel();
        submit(&pool, move || sender.send(()).unwrap());
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        drop(release);
        while !pool.0.lock().running.is_empty() {
            std::thread::yield_now();
        }
        let mut state = State::default();
        for _ in 0..3 {
            let phase = Arc::new(Phase::new());
            state.queue.push_back(Queued { phase, job: Box::new(|| ()) });
        }
        assert!(state.take(2).is_some() && state.take(2).is_some());
        assert!(state.take(2).is_none(), "both cores have their work");
        std::thread::sleep(PATIENCE);
        assert!(state.take(2).is_some(), "it takes long, and may be blocked");
    }

    #[test]
    fn the_counts_are_right_after_every_kind_of_end() {
        let pool = Pool::default();
        for round in 0..200 {
            let ticket = submit(&pool, move || {
                if round % 7 == 0 {
                    std::thread::sleep(Duration::from_millis(3));
                }
                assert!(round % 5 > 0, "asked for");
            });
            if round % 3 == 0 {
                ticket.give_up();
            }
        }
        let is_quiet =
            |state: &State| (state.running.len(), state.lost, state.queue.len()) == (0, 0, 0);
        let until = Instant::now() + Duration::from_secs(20);
        while !is_quiet(&pool.0.lock()) {
            assert!(Instant::now() < until, "{}", pool.0.lock().running.len());
            std::thread::yield_now();
        }
    }
}

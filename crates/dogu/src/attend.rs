//! Waiting for calls while a person watches: how far they are is shown, and Ctrl-C ends them.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dogu_runtime::{EventKind, Heard, Listener};
use dogu_tool::CallStatus;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use crate::show::escaped;

/// How soon after its beginning a call is canceled once the user wants to stop.
const CANCEL_EVERY: Duration = Duration::from_millis(5);
/// What shells give a command that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// The bar has so many steps.
const WHOLE: u64 = 1_000;

/// Waits for the work, and gives what it led to with why it failed, where only people may know.
///
/// The first Ctrl-C cancels again and again, because calls that wait for their turn have not
/// begun yet. The second one does not wait for a tool that will not end.
pub(crate) async fn attend<T>(
    work: impl Future<Output = T>,
    mut listener: Listener,
    cancel: impl Fn(),
) -> std::io::Result<(T, Vec<String>)> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut work = std::pin::pin!(work);
    let (mut shown, mut causes, mut is_stopping) = (Shown::default(), Vec::new(), false);
    let done = loop {
        tokio::select! {
            biased;
            done = &mut work => break done,
            _ = interrupts.recv() => {
                if is_stopping {
                    std::process::exit(INTERRUPTED);
                }
                is_stopping = true;
                cancel();
            }
            () = tokio::time::sleep(CANCEL_EVERY), if is_stopping => cancel(),
            Some(heard) = listener.next() => hear(&heard, &mut shown, &mut causes),
        }
    };
    while let Some(heard) = listener.try_next() {
        hear(&heard, &mut Shown::default(), &mut causes);
    }
    Ok((done, causes))
}

fn hear(heard: &Heard, shown: &mut Shown, causes: &mut Vec<String>) {
    let Heard::Event(event) = heard else { return };
    match &event.kind {
        EventKind::Cause { text } => causes.push(text.clone()),
        EventKind::Progress { text, fraction } => shown.tell(text, *fraction),
        // The question is asked on the line of the bar.
        EventKind::Status { to: CallStatus::Waiting, .. } => *shown = Shown::default(),
        EventKind::Status { .. } | EventKind::Log { .. } => {}
    }
}

/// The bar that is on the screen, and how many questions are there now: a question has the screen
/// for itself.
static SCREEN: Mutex<Screen> = Mutex::new(Screen { bar: None, questions: 0 });

struct Screen {
    bar: Option<ProgressBar>,
    questions: usize,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the bar off the screen, and lets none come back before the end of this.
pub(crate) fn quiet() -> Quiet {
    let mut screen = screen();
    screen.questions += 1;
    if let Some(bar) = screen.bar.take() {
        bar.finish_and_clear();
    }
    Quiet(())
}

/// While this is there, no bar is shown.
pub(crate) struct Quiet(());

impl Drop for Quiet {
    fn drop(&mut self) {
        screen().questions -= 1;
    }
}

/// The bar at the terminal, from the first word that a tool says; gone when it is dropped.
#[derive(Default)]
struct Shown(());

impl Shown {
    #[expect(clippy::unused_self, reason = "its end is the end of the bar")]
    fn tell(&mut self, text: &str, fraction: Option<f32>) {
        let mut screen = screen();
        if screen.questions > 0 {
            return;
        }
        // indicatif draws nothing where stderr is no terminal.
        let bar = screen.bar.get_or_insert_with(|| {
            ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr())
        });
        bar.set_style(style(fraction.is_some()));
        if let Some(fraction) = fraction {
            bar.set_position(steps(fraction));
        }
        bar.set_message(escaped(text).replace(['\n', '\r', '\t'], " "));
        bar.tick();
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = screen().bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn style(has_bar: bool) -> ProgressStyle {
    let template =
        if has_bar { "{bar:24} {percent:>3} % {wide_msg}" } else { "{spinner} {wide_msg}" };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .progress_chars("━━╌")
        .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped to 0…1000"
)]
fn steps(fraction: f32) -> u64 {
    (fraction.clamp(0.0, 1.0) * WHOLE as f32) as u64
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn no_fraction_leaves_the_bar() {
        let fractions = [0.0, 0.5, 1.0, -3.0, 7.0, f32::NAN, f32::INFINITY];
        assert_eq!(fractions.map(steps), [0, 500, 1_000, 0, 1_000, 0, 1_000]);
    }
}

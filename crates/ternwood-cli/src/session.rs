//! The context of a run: threads, messages and progress bars.
//!
//! Results go to standard output or to files. Everything here goes to standard error.

use crate::cli::{self, CommonArgs};
use crate::next_step::{Given, NextStep};
use crate::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::convert::Infallible;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use ternwood::Exec;
use ternwood::fit::FitEvent;

/// Threads, verbosity, and the options that were given.
pub(crate) struct Session {
    quiet: bool,
    exec: Exec,
    given: Given,
    /// All warnings so far.
    warnings: Mutex<Vec<String>>,
}

impl Session {
    pub(crate) fn new(args: &CommonArgs, given: Given) -> anyhow::Result<Self> {
        let exec = Exec::with_threads(usize::from(args.threads))?;
        Ok(Self { quiet: args.quiet, exec, given, warnings: Mutex::default() })
    }

    /// The threads to use.
    pub(crate) fn exec(&self) -> &Exec {
        &self.exec
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints warnings about decisions made for the user.
    pub(crate) fn warn(&self, warnings: impl IntoIterator<Item = impl fmt::Display>) {
        for warning in warnings {
            let warning = style::one_line(&warning.to_string());
            say(format_args!("{}: {warning}", style::warning("warning")));
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
        }
    }

    /// All warnings so far.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Prints a message unless `--quiet` is set.
    pub(crate) fn note(&self, note: impl fmt::Display) {
        if !self.quiet {
            say(format_args!("{note}"));
        }
    }

    /// The command of another verb with the options of this one.
    pub(crate) fn next(&self, verb: &str) -> NextStep {
        self.given.next(&cli::verb(verb))
    }

    /// Prints the command that makes sense now, unless `--quiet` is set.
    pub(crate) fn suggest(&self, step: &NextStep) {
        self.note(format_args!("{} {step}", style::dim("next:")));
    }

    /// A progress bar for `total` steps, or a spinner if the total is unknown.
    pub(crate) fn progress(&self, what: impl AsRef<str>, total: Option<u64>) -> Progress {
        let wanted = !self.quiet && std::io::stderr().is_terminal();
        Progress(wanted.then(|| DelayedBar::new(what.as_ref(), total)))
    }
}

fn say(message: fmt::Arguments<'_>) {
    // Failing to write a message is not fatal.
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// A progress bar. Shown only on terminals, and only after a second. Disappears when dropped.
pub(crate) struct Progress(Option<DelayedBar>);

impl Progress {
    /// Nothing to show.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Advances by `steps`.
    pub(crate) fn advance(&self, steps: u64) {
        if let Some(shown) = &self.0 {
            shown.bar.inc(steps);
        }
    }

    /// Begins another part of the work, with a bar of its own.
    pub(crate) fn begin(&self, what: impl AsRef<str>, total: Option<u64>) {
        if let Some(shown) = &self.0 {
            dress(&shown.bar, style::one_line(what.as_ref()), total);
        }
    }

    /// Shows how far a fit is: a bar for each of its stages.
    pub(crate) fn of_fit(&self, event: FitEvent) {
        match event {
            FitEvent::Begin { stage, steps } => self.begin(stage.to_string(), Some(steps)),
            FitEvent::Advance(steps) => self.advance(steps),
        }
    }
}

const SHOW_AFTER: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A progress bar that is hidden for the first second.
struct DelayedBar {
    bar: ProgressBar,
    /// Dropped when the work is done. The timer waits for that, and shows the bar on timeout.
    done: Option<Sender<Infallible>>,
    timer: Option<JoinHandle<()>>,
}

impl DelayedBar {
    fn new(what: &str, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        dress(&bar, style::one_line(what), total);
        let (done, work) = channel::<Infallible>();
        let late = bar.clone();
        let timer = std::thread::spawn(move || {
            if work.recv_timeout(SHOW_AFTER) == Err(RecvTimeoutError::Timeout) {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(TICK);
            }
        });
        Self { bar, done: Some(done), timer: Some(timer) }
    }
}

impl Drop for DelayedBar {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(timer) = self.timer.take() {
            // If the timer thread panicked, there is nothing to clean up.
            let _ = timer.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Makes a bar an empty one for this work.
fn dress(bar: &ProgressBar, what: String, total: Option<u64>) {
    let template = match total {
        Some(_) => "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left",
        None => "{spinner} {msg} ({elapsed})",
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    match total {
        Some(total) => bar.set_length(total),
        None => bar.unset_length(),
    }
    bar.reset();
    bar.set_style(style.progress_chars("━━╌"));
    bar.set_message(what);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood::fit::FitStage;

    /// A full bar of one stage never stands for the next one.
    #[test]
    fn every_stage_of_a_fit_has_a_bar_of_its_own() {
        let progress = Progress(Some(DelayedBar::new("growing the tree", None)));
        let shown = || {
            let bar = &progress.0.as_ref().expect("it is shown").bar;
            (bar.message(), bar.position(), bar.length())
        };
        progress.of_fit(FitEvent::Begin { stage: FitStage::Trees, steps: 2 });
        progress.of_fit(FitEvent::Advance(2));
        assert_eq!(shown(), ("growing trees".to_owned(), 2, Some(2)));
        progress.of_fit(FitEvent::Begin { stage: FitStage::Choice, steps: 70 });
        let what = "choosing zone scale and exponent".to_owned();
        assert_eq!(shown(), (what.clone(), 0, Some(70)));
        progress.of_fit(FitEvent::Advance(1));
        assert_eq!(shown(), (what, 1, Some(70)));
        progress.begin("measuring the verdict", None);
        assert_eq!(shown(), ("measuring the verdict".to_owned(), 0, None));
    }
}

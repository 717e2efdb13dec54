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
            dress(&shown.bar, style::one_line(what.as_ref()), total, ALL);
        }
    }

    /// Shows how far a fit is: a bar for each of its stages.
    pub(crate) fn of_fit(&self, event: FitEvent) {
        match event {
            FitEvent::Begin { stage, steps } => {
                if let Some(shown) = &self.0 {
                    dress(&shown.bar, stage.to_string(), Some(steps), STAGE);
                }
            }
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
        dress(&bar, style::one_line(what), total, ALL);
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

/// The bar of all work.
const ALL: &str = "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left";

/// The bar of one of several stages.
const STAGE: &str = "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left in this stage";

/// Makes a bar an empty one for this work. Work without a total has a spinner instead.
fn dress(bar: &ProgressBar, what: String, total: Option<u64>, template: &str) {
    let style = |template| ProgressStyle::with_template(template).expect("the template is right");
    // Every change may be drawn at once, so the figures are hidden until all of them are right.
    bar.set_style(style("{msg}"));
    bar.set_message(what);
    match total {
        Some(total) => bar.set_length(total),
        None => bar.unset_length(),
    }
    bar.reset();
    let template = if total.is_some() { template } else { "{spinner} {msg} ({elapsed})" };
    bar.set_style(style(template).progress_chars("━━╌"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
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

    /// What a terminal would have shown.
    #[derive(Debug, Clone, Default)]
    struct Screen(std::sync::Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().expect("no other test has it").push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            self.write_str("\n")
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// However often it is drawn, a stage never has the figures of another one.
    #[test]
    fn no_frame_mixes_two_stages() {
        let (screen, bar) = (Screen::default(), ProgressBar::hidden());
        let often = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), u8::MAX);
        bar.set_draw_target(often);
        let shown = DelayedBar { bar, done: None, timer: None };
        let progress = Progress(Some(shown));
        for _ in 0..20 {
            for (stage, steps) in [(FitStage::Trees, 7), (FitStage::RowsWithin, 5)] {
                progress.of_fit(FitEvent::Begin { stage, steps });
                for _ in 0..steps {
                    std::thread::sleep(Duration::from_millis(5));
                    progress.of_fit(FitEvent::Advance(1));
                }
            }
            progress.begin("measuring the verdict", None);
        }
        let frames = screen.0.lock().expect("no other test has it").clone();
        let mut figures = std::collections::BTreeSet::new();
        for frame in frames.lines().filter(|line| line.contains('/')) {
            let right = match frame.split(" [").next() {
                Some("growing trees") => "/7, ",
                Some("counting rows within zones") => "/5, ",
                _ => panic!("{frame:?}"),
            };
            assert!(frame.contains(right), "{frame:?}");
            assert!(frame.trim_end().ends_with(" left in this stage"), "{frame:?}");
            figures.insert(right);
        }
        assert_eq!(figures.len(), 2, "both are shown: {frames}");
    }
}

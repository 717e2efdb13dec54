//! What a run has at hand: threads, a way to speak to the person, and to show progress.
//!
//! Results go to standard output or into files. Everything said here goes to standard error.

use crate::cli::CommonArgs;
use crate::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use ternwood::Workers;

/// Threads, and how talkative to be.
pub(crate) struct Session {
    quiet: bool,
    workers: Workers,
}

impl Session {
    pub(crate) fn new(args: &CommonArgs) -> anyhow::Result<Self> {
        Ok(Self { quiet: args.quiet, workers: Workers::new(args.threads)? })
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.workers
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Tells what was decided on the person's behalf.
    pub(crate) fn warn(&self, warnings: impl IntoIterator<Item = impl fmt::Display>) {
        for warning in warnings {
            say(format_args!("{}: {warning}", style::warning("warning")));
        }
    }

    /// Tells what was done, unless nobody wants to know.
    pub(crate) fn note(&self, note: impl fmt::Display) {
        if !self.quiet {
            say(format_args!("{note}"));
        }
    }

    /// A bar for `total` steps, or a counter where the total is not known.
    pub(crate) fn progress(&self, what: &'static str, total: Option<u64>) -> Progress {
        let wanted = !self.quiet && std::io::stderr().is_terminal();
        Progress { what, total, wanted, begun: Instant::now(), done: 0, bar: None }
    }
}

fn say(message: fmt::Arguments<'_>) {
    // A message that cannot be written is no reason to stop.
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// Shown on terminals only, and only if the work takes longer than a second.
pub(crate) struct Progress {
    what: &'static str,
    total: Option<u64>,
    wanted: bool,
    begun: Instant,
    done: u64,
    bar: Option<ProgressBar>,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Notes that `steps` more are done.
    pub(crate) fn advance(&mut self, steps: u64) {
        self.done += steps;
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(self.what, self.total));
        bar.set_position(self.done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(what: &'static str, total: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::with_draw_target(Some(total), target),
            "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left",
        ),
        None => (
            ProgressBar::with_draw_target(None, target),
            "{spinner} {msg}: {human_pos} in {elapsed}",
        ),
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    bar.set_style(style.progress_chars("━━╌"));
    bar.set_message(what);
    bar
}

//! What a run has at hand: threads, a way to speak to the person, and to show progress.
//!
//! Results go to standard output or into files. Everything said here goes to standard error.

use crate::cli::CommonArgs;
use crate::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::convert::Infallible;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use ternwood::Exec;

/// Threads, and how talkative to be.
pub(crate) struct Session {
    quiet: bool,
    exec: Exec,
}

impl Session {
    pub(crate) fn new(args: &CommonArgs) -> anyhow::Result<Self> {
        Ok(Self { quiet: args.quiet, exec: Exec::with_threads(usize::from(args.threads))? })
    }

    /// The threads to use.
    pub(crate) fn exec(&self) -> &Exec {
        &self.exec
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

    /// A bar for `total` steps, or a turning sign where nobody knows how long it takes.
    pub(crate) fn progress(&self, what: impl AsRef<str>, total: Option<u64>) -> Progress {
        let wanted = !self.quiet && std::io::stderr().is_terminal();
        Progress(wanted.then(|| Shown::new(what.as_ref(), total)))
    }
}

fn say(message: fmt::Arguments<'_>) {
    // A message that cannot be written is no reason to stop.
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// Work under way: shown on terminals only, and only if it takes longer than a second. It
/// disappears when it is dropped.
pub(crate) struct Progress(Option<Shown>);

impl Progress {
    /// Nothing to show.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Notes that `steps` more are done.
    pub(crate) fn advance(&self, steps: u64) {
        if let Some(shown) = &self.0 {
            shown.bar.inc(steps);
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A bar that stays hidden until patience runs out.
struct Shown {
    bar: ProgressBar,
    /// Dropped when the work is done; the timer waits for that, or shows the bar.
    done: Option<Sender<Infallible>>,
    timer: Option<JoinHandle<()>>,
}

impl Shown {
    fn new(what: &str, total: Option<u64>) -> Self {
        let bar = new_bar(style::one_line(what), total);
        let (done, work) = channel::<Infallible>();
        let late = bar.clone();
        let timer = std::thread::spawn(move || {
            if work.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(TICK);
            }
        });
        Self { bar, done: Some(done), timer: Some(timer) }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(timer) = self.timer.take() {
            // A timer that failed has shown nothing.
            let _ = timer.join();
        }
        self.bar.finish_and_clear();
    }
}

fn new_bar(what: String, total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left",
        None => "{spinner} {msg} ({elapsed})",
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    bar.set_style(style.progress_chars("━━╌"));
    bar.set_message(what);
    bar
}

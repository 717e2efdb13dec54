//! Work that Ctrl-C can stop.

use crate::errors::to_python;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use ternwood::{CancelToken, Exec};

/// The longest wait before a signal is handled.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on its own thread, outside the GIL, while this one watches for signals.
///
/// `work` gets `exec` with a token. A signal handler that raises (Ctrl-C does) cancels the token,
/// `work` is expected to notice soon, and the exception is raised when it has ended.
///
/// # Errors
/// Those of `work`, what the signal handler raised, or failure to start a thread.
pub(crate) fn interruptible<T, F>(py: Python<'_>, exec: Exec, work: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Exec) -> ternwood::Result<T> + Send,
{
    watched(py, exec, |_| Ok(()), work)
}

/// Like [`interruptible`], and calls `tick` now and then meanwhile, and once at the end. An error of it stops
/// the work, too.
///
/// # Errors
/// As [`interruptible`], and those of `tick`.
pub(crate) fn watched<T, F, G>(py: Python<'_>, exec: Exec, tick: G, work: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce(&Exec) -> ternwood::Result<T> + Send,
    G: Fn(Python<'_>) -> PyResult<()> + Send,
{
    let token = CancelToken::new();
    let exec = exec.cancelled_by(&token);
    py.detach(|| {
        thread::scope(|scope| {
            let (done, finished) = channel();
            let work = move || {
                let outcome = work(&exec);
                // The receiver is gone only if the watching thread is too.
                let _ = done.send(());
                outcome
            };
            let worker = thread::Builder::new().spawn_scoped(scope, work)?;
            let mut raised = None;
            while finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals().and_then(|()| tick(py)).err());
                }
                if raised.is_some() {
                    token.cancel();
                }
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            match raised {
                Some(exception) => Err(exception),
                None => {
                    let outcome = outcome.map_err(to_python)?;
                    Python::attach(tick).map(|()| outcome)
                }
            }
        })
    })
}

//! Work that Ctrl-C can stop.

use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use ternwood::CancelToken;

/// How long a signal may wait until somebody looks.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, outside the GIL, while this one watches for signals.
///
/// A signal handler that raises (Ctrl-C does) cancels the token; `work` is expected to notice
/// soon, and the exception is raised when it has ended.
///
/// # Errors
/// What the signal handler raised; or no thread can be started.
pub(crate) fn interruptible<T, F>(py: Python<'_>, cancel: &CancelToken, work: F) -> PyResult<T>
where
    T: Send,
    F: FnOnce() -> T + Send,
{
    py.detach(|| {
        thread::scope(|scope| {
            let (done, finished) = channel();
            let work = move || {
                let outcome = work();
                // Nobody listens any more only if the watching thread is gone with everything.
                let _ = done.send(());
                outcome
            };
            let worker = thread::Builder::new().spawn_scoped(scope, work)?;
            let mut raised = None;
            while finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals().err());
                }
                if raised.is_some() {
                    cancel.cancel();
                }
            }
            let outcome = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            raised.map_or(Ok(outcome), Err)
        })
    })
}

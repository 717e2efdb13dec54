//! Requests to end: Ctrl-C, `kill`, a closed terminal.

/// Calls `end` with the exit code that shells expect, once the process is asked to end. Must be called before there
/// are other threads. Without the thread that waits, the process still ends, but `end` is not called.
#[cfg(unix)]
pub(crate) fn on_end(end: impl Fn(i32) + Send + 'static) {
    use nix::sys::signal::{SigSet, Signal};

    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    // Threads to come block them too, so that this one receives them.
    if signals.thread_block().is_err() {
        return;
    }
    let waiting = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while let Ok(signal) = signals.wait() {
            end(128 + signal as i32);
        }
    });
    if waiting.is_err() {
        let _ = signals.thread_unblock();
    }
}

/// The same where there is nothing but Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn on_end(end: impl Fn(i32) + Send + 'static) {
    let _ = ctrlc::set_handler(move || end(130));
}

//! Stopping work from another thread.

use crate::error::{ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that one thread raises and a fit on another thread looks at, many times a second.
///
/// ```
/// use ternwood::CancelToken;
///
/// let token = CancelToken::new();
/// let for_the_other_thread = token.clone();
/// for_the_other_thread.cancel();
/// assert!(token.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that nobody has raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks whoever holds a clone of this token to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error if somebody asked to stop.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(ErrorKind::Cancelled.into()) } else { Ok(()) }
    }
}

//! How work runs: the number of threads, and cancellation.
//!
//! Long-running functions take an [`Exec`]. Parallel steps return their results in the order of
//! their inputs, so no output depends on the number of threads.
//!
//! Rayon's global thread pool is never touched: it would not survive a `fork`, and a library has
//! no business configuring it. The calling thread does its share of the work.

#[cfg(feature = "threads")]
use crate::error::parameter;
use crate::error::{ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "threads")]
use std::sync::{Mutex, PoisonError};

/// The threads that a fit or a prediction may use, and the token that cancels it.
///
/// [`Exec::default`] uses the calling thread only. [`Exec::with_threads`] is for more; without the
/// feature `threads` it does not exist, and there is always one thread.
///
/// ```
/// use ternwood::{CancelToken, Exec};
///
/// let token = CancelToken::new();
/// let exec = Exec::with_threads(2)?.cancelled_by(&token);
/// assert_eq!(exec.threads(), 2);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Exec {
    /// The threads that help the calling one.
    #[cfg(feature = "threads")]
    helpers: Option<Arc<rayon::ThreadPool>>,
    cancel: CancelToken,
}

/// A flag that cancels work running on another thread.
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
pub struct CancelToken {
    is_cancelled: Arc<AtomicBool>,
    /// Cancels itself when it has been asked this often.
    #[cfg(test)]
    patience: Option<Arc<Patience>>,
}

#[cfg(test)]
#[derive(Debug)]
struct Patience {
    asked: std::sync::atomic::AtomicUsize,
    most: usize,
}

impl CancelToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all work that holds a clone of this token to stop.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// True once cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        #[cfg(test)]
        if let Some(patience) = &self.patience
            && patience.asked.fetch_add(1, Ordering::Relaxed) + 1 >= patience.most
        {
            self.cancel();
        }
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// A token that is cancelled when it is asked for the time `most`.
    #[cfg(test)]
    pub(crate) fn when_asked(most: usize) -> Self {
        let patience = Patience { asked: 0.into(), most };
        Self { patience: Some(Arc::new(patience)), ..Self::default() }
    }

    /// How often it was asked.
    #[cfg(test)]
    pub(crate) fn times_asked(&self) -> usize {
        self.patience.as_ref().map_or(0, |patience| patience.asked.load(Ordering::Relaxed))
    }
}

impl Exec {
    /// `threads` threads, the calling one included; 0 means one per available core. Needs the
    /// feature `threads`.
    ///
    /// # Errors
    /// More than 4096 threads, or the operating system refuses them.
    #[cfg(feature = "threads")]
    pub fn with_threads(threads: usize) -> Result<Self> {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if threads == 0 { cores() } else { threads };
        if threads > MAX_THREADS {
            return Err(parameter("the number of threads", threads, format!("0 to {MAX_THREADS}")));
        }
        let pool = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .thread_name(|index| format!("ternwood-{index}"))
                .build()
                .map_err(|error| ErrorKind::Threads { threads, problem: error.to_string() })
        };
        let helpers = (threads > 1).then(pool).transpose()?.map(Arc::new);
        Ok(Self { helpers, cancel: CancelToken::new() })
    }

    /// The same, but stops soon after `token` is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// The calling thread only, with the same cancel token.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self::default().cancelled_by(&self.cancel)
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        #[cfg(feature = "threads")]
        let helpers = self.helpers.as_ref().map_or(0, |pool| pool.current_num_threads());
        #[cfg(not(feature = "threads"))]
        let helpers = 0;
        1 + helpers
    }

    /// True once cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns an error once cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(ErrorKind::Cancelled.into()) } else { Ok(()) }
    }

    /// Applies `f` to every item; results come in the order of the items.
    pub(crate) fn map<T, R, F>(&self, items: Vec<T>, f: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(T) -> R + Send + Sync,
    {
        self.map_with(items, || (), |(), item| f(item))
    }

    /// Like [`map`](Self::map), with memory that each thread makes once and uses for all of its items.
    pub(crate) fn map_with<T, M, R, F>(
        &self,
        items: Vec<T>,
        memory: impl Fn() -> M + Sync,
        f: F,
    ) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(&mut M, T) -> R + Send + Sync,
    {
        #[cfg(feature = "threads")]
        if let Some(pool) = self.helpers.as_ref().filter(|_| items.len() > 1) {
            return map_on(pool, items, memory, f);
        }
        let mut memory = memory();
        items.into_iter().map(|item| f(&mut memory, item)).collect()
    }
}

/// The most threads allowed: more than any machine has, so a larger number is a mistake.
#[cfg(feature = "threads")]
const MAX_THREADS: usize = 4096;

/// `map_with` on the threads of a pool and the calling one.
#[cfg(feature = "threads")]
fn map_on<T: Send, M, R: Send>(
    pool: &rayon::ThreadPool,
    items: Vec<T>,
    memory: impl Fn() -> M + Sync,
    f: impl Fn(&mut M, T) -> R + Send + Sync,
) -> Vec<R> {
    let n = items.len();
    let waiting = Mutex::new(items.into_iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(n));
    let work = || {
        let (mut own, mut memory) = (Vec::new(), memory());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((index, item)) = next() {
            own.push((index, f(&mut memory, item)));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    pool.in_place_scope(|scope| {
        (1..n.min(pool.current_num_threads() + 1)).for_each(|_| scope.spawn(|_| work()));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::*;

    #[test]
    fn absurd_numbers_of_threads_are_refused() {
        let error = Exec::with_threads(1_000_000).unwrap_err().to_string();
        assert_eq!(error, "the number of threads is 1000000; allowed: 0 to 4096");
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 7] {
            let exec = Exec::with_threads(threads).unwrap();
            assert_eq!(exec.threads(), threads);
            let squares = exec.map((0..1000).collect(), |i: u64| i * i);
            assert_eq!(squares, (0..1000).map(|i| i * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn working_alone_keeps_the_token() {
        let token = CancelToken::new();
        let alone = Exec::with_threads(3).unwrap().cancelled_by(&token).alone();
        assert_eq!(alone.threads(), 1);
        assert!(alone.check().is_ok());
        token.cancel();
        assert!(alone.check().is_err());
    }
}

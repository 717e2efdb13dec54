//! Where work runs: on the calling thread, or on a pool of its own.
//!
//! The global thread pool of rayon is never touched: it would not survive a `fork`, and a
//! library has no business configuring it. Every parallel step goes through [`Workers`],
//! and gives its results in the order of its inputs, so that no output depends on how many
//! threads there were.

use crate::error::{ErrorKind, Result, parameter};
use rayon::prelude::*;
use std::sync::Arc;

/// More threads than any machine has; a larger number is a mistake.
const MAX_THREADS: usize = 4096;

/// The threads a fit or a prediction may use.
#[derive(Debug, Clone)]
pub struct Workers {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Workers {
    /// The calling thread alone.
    #[must_use]
    pub fn single() -> Self {
        Self { pool: None }
    }

    /// A new pool of `threads` threads; 0 asks for one per available core.
    ///
    /// # Errors
    /// More than 4096 threads, or the operating system refuses them.
    pub fn new(threads: usize) -> Result<Self> {
        let threads = if threads == 0 { available_cores() } else { threads };
        if threads == 1 {
            return Ok(Self::single());
        }
        if threads > MAX_THREADS {
            return Err(parameter("the number of threads", threads, format!("0 to {MAX_THREADS}")));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("ternwood-{index}"))
            .build()
            .map_err(|error| ErrorKind::Threads { threads, problem: error.to_string() })?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }

    /// A pool that the caller made and keeps.
    #[must_use]
    pub fn from_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool) }
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// `f` of every item, in the order of the items.
    pub(crate) fn map<T, R, F>(&self, items: Vec<T>, f: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(T) -> R + Send + Sync,
    {
        match &self.pool {
            Some(pool) if items.len() > 1 => {
                pool.install(|| items.into_par_iter().with_max_len(1).map(f).collect())
            }
            _ => items.into_iter().map(f).collect(),
        }
    }

    /// Calls `f` with every item.
    pub(crate) fn for_each<T, F>(&self, items: Vec<T>, f: F)
    where
        T: Send,
        F: Fn(T) + Send + Sync,
    {
        match &self.pool {
            Some(pool) if items.len() > 1 => {
                pool.install(|| items.into_par_iter().with_max_len(1).for_each(f));
            }
            _ => items.into_iter().for_each(f),
        }
    }
}

impl Default for Workers {
    fn default() -> Self {
        Self::single()
    }
}

fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_numbers_of_threads_are_refused() {
        let error = Workers::new(1_000_000).unwrap_err().to_string();
        assert_eq!(error, "the number of threads is 1000000; allowed: 0 to 4096");
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 7] {
            let workers = Workers::new(threads).unwrap();
            assert_eq!(workers.threads(), threads);
            let squares = workers.map((0..1000).collect(), |i: u64| i * i);
            assert_eq!(squares, (0..1000).map(|i| i * i).collect::<Vec<_>>());
        }
    }
}

//! Where work runs: on the calling thread, with or without helpers.
//!
//! The global thread pool of rayon is never touched: it would not survive a `fork`, and a
//! library has no business configuring it. Every parallel step goes through [`Workers`],
//! and gives its results in the order of its inputs, so that no output depends on how many
//! threads there were.
//!
//! The calling thread takes part: it is awake already, and work can begin before others are.

use crate::error::{ErrorKind, Result, parameter};
use std::sync::{Arc, Mutex, PoisonError};

/// More threads than any machine has; a larger number is a mistake.
const MAX_THREADS: usize = 4096;

/// The threads a fit or a prediction may use.
#[derive(Debug, Clone)]
pub struct Workers {
    /// Those beside the calling thread.
    helpers: Option<Helpers>,
}

#[derive(Debug, Clone)]
struct Helpers {
    pool: Arc<rayon::ThreadPool>,
    /// So many of the pool's threads.
    count: usize,
}

impl Workers {
    /// The calling thread alone.
    #[must_use]
    pub fn single() -> Self {
        Self { helpers: None }
    }

    /// The calling thread, and new ones so that there are `threads`; 0 asks for one per
    /// available core.
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
            .num_threads(threads - 1)
            .thread_name(|index| format!("ternwood-{index}"))
            .build()
            .map_err(|error| ErrorKind::Threads { threads, problem: error.to_string() })?;
        Ok(Self { helpers: Some(Helpers { pool: Arc::new(pool), count: threads - 1 }) })
    }

    /// As many threads as a pool has that the caller made and keeps: the calling thread, and all
    /// but one of the pool's.
    #[must_use]
    pub fn from_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        let count = pool.current_num_threads().saturating_sub(1);
        Self { helpers: (count > 0).then_some(Helpers { pool, count }) }
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, |helpers| helpers.count)
    }

    /// `f` of every item, in the order of the items.
    pub(crate) fn map<T, R, F>(&self, items: Vec<T>, f: F) -> Vec<R>
    where
        T: Send,
        R: Send,
        F: Fn(T) -> R + Send + Sync,
    {
        let Some(Helpers { pool, count }) = self.helpers.as_ref().filter(|_| items.len() > 1)
        else {
            return items.into_iter().map(f).collect();
        };
        let (n, count) = (items.len(), (*count).min(items.len() - 1));
        let waiting = Mutex::new(items.into_iter().enumerate());
        let done = Mutex::new(Vec::with_capacity(n));
        let work = || {
            let mut own = Vec::new();
            let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((index, item)) = next() {
                own.push((index, f(item)));
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
        };
        pool.in_place_scope(|scope| {
            (0..count).for_each(|_| scope.spawn(|_| work()));
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Calls `f` with every item.
    pub(crate) fn for_each<T, F>(&self, items: Vec<T>, f: F)
    where
        T: Send,
        F: Fn(T) + Send + Sync,
    {
        self.map(items, f);
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

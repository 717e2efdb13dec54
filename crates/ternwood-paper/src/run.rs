//! Runs all missing units, on several threads and in bounded memory.
//!
//! The unit of work is one fold of one data set. A thread takes a fold of a loaded data set; only
//! if there is none does it load the next one, largest first. So there are never more data sets in
//! memory than threads, and small ones finish last. The results do not depend on the order in which
//! units finish.

use crate::error::{Error, Result};
use crate::method::measure;
use crate::preprocess::PaperData;
use crate::results::{RawRow, ResultsFile, Unit};
use crate::subject::Subject;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A data set that could not be used.
#[derive(Debug)]
pub struct Failure {
    /// Its name.
    pub dataset: String,
    /// The reason.
    pub error: Error,
}

/// What to run, and the number of threads.
#[derive(Debug)]
pub struct Run<'a> {
    /// The data sets.
    pub subjects: Vec<Subject<'a>>,
    /// The number of threads, at least 1.
    pub threads: usize,
}

impl Run<'_> {
    /// The number of units still to be computed.
    #[must_use]
    pub fn units_left(&self, file: &ResultsFile) -> usize {
        let units = self.subjects.iter().flat_map(Subject::units);
        units.filter(|unit| !file.results().has(unit)).count()
    }

    /// Computes every unit missing from `file` and saves each as soon as it is done; `done` is
    /// called with the number of units settled. Returns the data sets that could not be used,
    /// sorted by name; all others are run.
    ///
    /// # Errors
    /// The results cannot be saved.
    pub fn run(&self, file: &mut ResultsFile, mut done: impl FnMut(u64)) -> Result<Vec<Failure>> {
        let work = Work::new(&self.subjects, file);
        let (sender, outcomes) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                let (work, sender) = (&work, sender.clone());
                scope.spawn(move || work.help(&sender));
            }
            drop(sender);
            let mut failures = Vec::new();
            for outcome in outcomes {
                match outcome {
                    Outcome::Finished(rows) => {
                        file.add(rows).inspect_err(|_| work.stop())?;
                        done(1);
                    }
                    Outcome::Failed(failure, units) => {
                        failures.push(failure);
                        done(units);
                    }
                }
            }
            failures.sort_by(|a: &Failure, b| a.dataset.cmp(&b.dataset));
            Ok(failures)
        })
    }
}

enum Outcome {
    Finished(Vec<RawRow>),
    /// An unusable data set, and the number of its units, which count as settled.
    Failed(Failure, u64),
}

/// A data set to load, and the units wanted from it.
struct Waiting<'a> {
    subject: Subject<'a>,
    units: Vec<Unit>,
}

/// A unit whose data set is in memory.
struct Ready {
    data: Arc<PaperData>,
    unit: Unit,
}

struct Queue<'a> {
    /// Ordered by size, the largest last.
    waiting: Vec<Waiting<'a>>,
    ready: Vec<Ready>,
    /// The number of threads that are loading a data set.
    loading: usize,
}

struct Work<'a> {
    queue: Mutex<Queue<'a>>,
    changed: Condvar,
    stopped: AtomicBool,
}

enum Job<'a> {
    Load(Waiting<'a>),
    Measure(Ready),
}

impl<'a> Work<'a> {
    fn new(subjects: &[Subject<'a>], file: &ResultsFile) -> Self {
        let mut waiting: Vec<Waiting<'a>> = Vec::new();
        for &subject in subjects {
            let mut units = subject.units();
            units.retain(|unit| !file.results().has(unit));
            if !units.is_empty() {
                waiting.push(Waiting { subject, units });
            }
        }
        waiting.sort_by_cached_key(|waiting| waiting.subject.weight());
        Self {
            queue: Mutex::new(Queue { waiting, ready: Vec::new(), loading: 0 }),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Processes jobs until there are none.
    fn help(&self, outcomes: &Sender<Outcome>) {
        while let Some(job) = self.next() {
            let outcome = match job {
                Job::Load(waiting) => self.load(waiting),
                Job::Measure(ready) => Some(measured(&ready)),
            };
            // The receiver is gone only if the results cannot be saved.
            if outcome.is_some_and(|outcome| outcomes.send(outcome).is_err()) {
                return;
            }
        }
    }

    fn next(&self) -> Option<Job<'a>> {
        let mut queue = self.lock();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(ready) = queue.ready.pop() {
                return Some(Job::Measure(ready));
            }
            if let Some(waiting) = queue.waiting.pop() {
                queue.loading += 1;
                return Some(Job::Load(waiting));
            }
            if queue.loading == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn load(&self, Waiting { subject, units }: Waiting<'a>) -> Option<Outcome> {
        let loaded = subject.load();
        let mut queue = self.lock();
        queue.loading -= 1;
        let failed = match loaded {
            Ok(data) => {
                let data = Arc::new(data);
                let ready = |unit| Ready { data: Arc::clone(&data), unit };
                queue.ready.extend(units.into_iter().rev().map(ready));
                None
            }
            Err(error) => {
                let failure = Failure { dataset: subject.name().to_owned(), error };
                Some(Outcome::Failed(failure, units.len() as u64))
            }
        };
        self.changed.notify_all();
        failed
    }

    fn stop(&self) {
        let _queue = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<'a>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn measured(ready: &Ready) -> Outcome {
    let rows = ready.data.fold(ready.unit.fold).and_then(|fold| measure(&ready.unit, &fold));
    match rows {
        Ok(rows) => Outcome::Finished(rows),
        Err(error) => {
            let dataset = format!("{}, fold {}", ready.unit.dataset, ready.unit.fold);
            Outcome::Failed(Failure { dataset, error }, 1)
        }
    }
}

//! Parses blocks on several threads and appends their rows in the order of the file.

use super::blocks::Blocks;
use super::parse::Parser;
use crate::error::{Error, Result};
use crate::table::builder::TableBuilder;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Parses all blocks into a table. Neither the table nor an error depends on the number of
/// threads.
pub(super) fn parse_all(
    blocks: Blocks,
    parser: &Parser,
    table: TableBuilder,
    threads: usize,
) -> Result<TableBuilder> {
    let work = Work {
        parser,
        blocks: Mutex::new((blocks, 0)),
        collected: Mutex::new(Collected { table, lines: 0, next: 0, error: None }),
        turn: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work.run());
        }
        work.run();
    });
    let Collected { table, error, .. } =
        work.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(table), Err)
}

/// What the threads share.
struct Work<'a> {
    parser: &'a Parser,
    /// The blocks, and the number of the next one.
    blocks: Mutex<(Blocks, usize)>,
    collected: Mutex<Collected>,
    /// Signalled when the next block may be appended.
    turn: Condvar,
}

struct Collected {
    table: TableBuilder,
    /// Lines before the next block.
    lines: u64,
    next: usize,
    /// The first error of the file.
    error: Option<Error>,
}

impl Work<'_> {
    /// Parses blocks until there are none.
    fn run(&self) {
        // Both keep their memory from block to block.
        let (mut block, mut part) = (Vec::new(), self.parser.builder());
        loop {
            let (number, read) = {
                let (blocks, next) = &mut *locked(&self.blocks);
                *next += 1;
                (*next - 1, blocks.next(&mut block))
            };
            let parsed = match read {
                Ok(false) => return,
                Ok(true) => Ok(self.parser.parse(&block, number == 0, usize::MAX, &mut part)),
                Err(error) => Err(error),
            };
            let mut collected = locked(&self.collected);
            while collected.next != number && collected.error.is_none() {
                collected = self.turn.wait(collected).unwrap_or_else(PoisonError::into_inner);
            }
            if collected.error.is_some() {
                return;
            }
            let lines = collected.lines;
            match parsed {
                Ok(Ok(parsed)) => {
                    collected.table.append(&mut part, lines + 1);
                    collected.lines += parsed.lines;
                    collected.next += 1;
                }
                Ok(Err(error)) => collected.error = Some(self.parser.error(error, lines)),
                Err(error) => collected.error = Some(error),
            }
            drop(collected);
            self.turn.notify_all();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

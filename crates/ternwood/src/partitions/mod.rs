//! Fitting a tree to rows in partitions, none of which need be in the same memory.
//!
//! A [`Coordinator`] asks, [`Partition`]s answer, and answers [merge](Answer::merged) in any order and
//! grouping. The model is the same to the byte as that of the [`Learner`](crate::Learner) from all rows
//! at once, however they are divided:
//!
//! ```
//! use ternwood::partitions::{Answer, Coordinator, Limits, Partition, Question};
//! use ternwood::{Columns, Dataset, Exec, Labels, Learner, Recipe, Schema};
//!
//! let (values, labels) = (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![0, 0, 1, 0, 1, 1]);
//! let schema = Schema::unnamed(1, vec!["no".into(), "yes".into()])?;
//! let exec = Exec::default();
//!
//! let part = |rows: std::ops::Range<usize>| {
//!     let columns = Columns::from_columns(values[rows.clone()].to_vec(), 1)?;
//!     Partition::new(columns, labels[rows].to_vec(), None, schema.clone(), &exec)
//! };
//! let mut partitions = [part(0..2)?, part(2..2)?, part(2..6)?];
//! let mut coordinator = Coordinator::new(Recipe::default(), schema.clone(), Limits::default())?;
//! while let Some(question) = coordinator.next_question() {
//!     // Questions and answers are bytes wherever they travel.
//!     let question = Question::from_bytes(&question.to_bytes())?;
//!     let answers = partitions.iter_mut().map(|partition| partition.answer(&question, &exec));
//!     let answers = answers.collect::<ternwood::Result<Vec<Answer>>>()?;
//!     coordinator.take(Answer::merge_all(answers)?, &exec)?;
//! }
//! let model = coordinator.into_model()?;
//!
//! let data = Dataset::with_schema(Columns::from_columns(values.clone(), 1)?, labels.clone(), schema)?;
//! let at_once = Learner::from_recipe(Recipe::default())?.fit(&data, &exec)?;
//! assert_eq!(model.to_json(), at_once.to_json());
//! # Ok::<(), ternwood::Error>(())
//! ```
//!
//! A question holds all there is to know, the tree so far included. So a partition can be lost and made
//! again from its rows at any time, by anyone; that it remembers codes and the nodes of its rows saves
//! work, and changes nothing. The coordinator sees class counts, the values inside a few bins, and the
//! rows of nodes that have become small, which it finishes alone. It can be [saved](Coordinator::save)
//! between any two questions.

mod coordinator;
mod messages;
mod partition;

pub use coordinator::{Coordinator, Limits, Progress};
pub use messages::{Answer, Question};
pub use partition::Partition;

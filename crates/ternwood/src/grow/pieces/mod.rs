//! Growing from rows that lie in pieces, each held elsewhere.
//!
//! A [`Growth`] grows the tree and never sees the rows; a [`Holder`] has some of them and answers.
//!
//! - An [`Ask`] is one thing to know about one node of the tree so far: class counts per bin, the
//!   values inside a few bins, the number of rows within a zone. A holder routes its rows through the
//!   tree that is sent along ([`Route`]), so that an answer depends on nothing but rows and question.
//! - A [`Reply`] is what one piece knows. Replies merge in any order and grouping to what the whole
//!   knows, exactly: counts add, sorted values join, extremes widen.
//! - A [`Task`](tasks::Task) is a node on its way: counted, searched, fetched, or given its zone. All
//!   tasks ask at once, so that a level of the tree takes a few rounds, whatever its width.
//!
//! The search is the one of [`search::binned`](super::search::binned), zones are those of
//! [`zones`](super::zones), and nodes of few rows are fetched and grown like any small data set.

mod growth;
mod holder;
mod messages;
mod remote_search;
mod tasks;
mod zone_task;

pub(crate) use growth::SavedGrowth;
pub(crate) use growth::{Growth, Limits};
pub(crate) use holder::{Holder, PieceRows, Setup};
pub(crate) use messages::Ask;
pub(crate) use messages::Route;
pub(crate) use messages::{Blob, Reply, mismatch};

pub(crate) use super::search::binned::BinKind;

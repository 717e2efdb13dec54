//! The growing loop: take a node, find its best split, partition its rows, queue the children.
//!
//! Large nodes are grown on bins ([`branch`]), small ones on sorted columns ([`block`]); both
//! follow the same [`rules`].

pub(super) mod block;
pub(super) mod branch;
mod frontier;
pub(super) mod node_rows;
pub(super) mod on_ranks;
mod rank_sides;
pub(super) mod rules;

//! The growing loop ([`growth`]) and the forms of rows that it works on: large nodes on bins
//! ([`binned_growth`]), small ones on sorted columns ([`sorted_growth`]), nodes that draw their features on
//! ranks ([`ranked_growth`]). All follow the same [`rules`].

pub(super) mod binned_growth;
mod growth;
pub(super) mod ranked_growth;
pub(super) mod rules;
pub(super) mod sorted_growth;

//! Shared by several test files: samples to grow trees from, and a tree too simple to be wrong.
#![allow(dead_code, reason = "every test file uses its own part of this module")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod as_read;
pub mod naive;
pub mod numbers;
pub mod pieces;
pub mod policies;
pub mod random_tests;
pub mod sample;
pub mod searches;
pub mod soak;
pub mod strategies;
pub mod tables;
pub mod trees;

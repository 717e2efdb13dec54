//! A text is a number in a notation or it is not, and what is written is read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ternwood_fuzz::notations::check;

fuzz_target!(|data: &[u8]| check(data));

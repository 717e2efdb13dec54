//! The laws of the method, on small data with any parameters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ternwood_fuzz::learning::{Case, check};

fuzz_target!(|case: Case| check(&case));

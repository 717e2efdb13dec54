//! Can a fit be stopped from another thread, and is rayon's global pool left alone?
//!
//! One test in a process of its own: the global pool belongs to the whole process.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::sync::Barrier;
use std::time::Duration;
use support::sample::Sample;
use ternwood::grow::Grower;
use ternwood::recipe::Resamples;
use ternwood::{CancelToken, ErrorKind, Exec, Learner, Matrix, Routing, TreeParams, ZoneKind};

/// Cancels a fit that would take minutes. Without checks of the token, this would
/// not return in reasonable time.
fn fit_and_cancel(exec: &Exec, routing: Routing) {
    let data = Sample::generated(1, 40_000, 3).dataset();
    let kind = ZoneKind::NodeBootstrap { resamples: Resamples::Count(500) };
    let token = CancelToken::new();
    let learner = Learner::new(TreeParams::default().with_zone(kind), routing).unwrap();
    let exec = exec.clone().cancelled_by(&token);
    let both_ready = Barrier::new(2);
    let outcome = std::thread::scope(|scope| {
        let fit = scope.spawn(|| {
            both_ready.wait();
            learner.fit(&data, &exec)
        });
        both_ready.wait();
        // Cancel during the work rather than at its start; nothing is asserted about time.
        std::thread::sleep(Duration::from_millis(150));
        token.cancel();
        fit.join().unwrap()
    });
    assert_eq!(outcome.unwrap_err().kind(), &ErrorKind::Cancelled);
}

#[test]
fn a_fit_stops_and_the_global_pool_is_never_touched() {
    for threads in [1, 3] {
        let exec = Exec::with_threads(threads).unwrap();
        fit_and_cancel(&exec, Routing::Probabilistic);
        fit_and_cancel(&exec, Routing::HardMiddle);
    }

    // A single node whose zone takes minutes.
    let data = Sample::generated(1, 40_000, 3).dataset();
    let kind = ZoneKind::NodeBootstrap { resamples: Resamples::Count(10_000) };
    let stump = TreeParams { max_depth: Some(1), ..TreeParams::default() };
    let stump = stump.with_zone(kind.clone()).check().unwrap();
    let token = CancelToken::new();
    let exec = Exec::default().cancelled_by(&token);
    let grown = Grower::new(&data, &stump).unwrap().grow_two_child(&exec).unwrap();
    let zones = std::thread::scope(|scope| {
        let zones = scope.spawn(|| grown.with_zones(&kind.into()));
        std::thread::sleep(Duration::from_millis(100));
        token.cancel();
        zones.join().unwrap()
    });
    assert_eq!(zones.unwrap_err().kind(), &ErrorKind::Cancelled);

    // A token cancelled beforehand stops both steps, growing and estimating zones.
    let sample = Sample::generated(2, 200, 2);
    let (data, params) = (sample.dataset(), TreeParams::default().check().unwrap());
    let token = CancelToken::new();
    let exec = Exec::default().cancelled_by(&token);
    let grown = Grower::new(&data, &params).unwrap().grow_two_child(&exec).unwrap();
    assert!(grown.with_zones(&ZoneKind::Margin.into()).is_ok());
    token.cancel();
    let zones = grown.with_zones(&ZoneKind::Margin.into());
    assert_eq!(zones.unwrap_err().kind(), &ErrorKind::Cancelled);
    let again = Grower::new(&data, &params).unwrap().grow_two_child(&exec);
    assert_eq!(again.unwrap_err().kind(), &ErrorKind::Cancelled);

    // Everything that can run in parallel, once without and once with a pool.
    let sample = Sample::generated(3, 9_000, 2);
    let flat = sample.rows.concat();
    for threads in [1, 3] {
        let exec = Exec::with_threads(threads).unwrap();
        let params = TreeParams { max_depth: Some(3), ..TreeParams::default() };
        for routing in Routing::ALL {
            let learner = Learner::new(params.clone(), routing).unwrap();
            let model = learner.fit(&sample.dataset(), &exec).unwrap();
            model.predict(Matrix::row_major(&flat, 6).unwrap(), &exec).unwrap();
        }
    }

    // The global pool can be built only once: success means that nothing had built it.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let again = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    assert!(again.is_err(), "a second pool would make this test meaningless");
}

//! How long one row takes at depth 4: prints nanoseconds. For `make bench`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../benches/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::Instant;
use support::two_normals;
use ternwood::grow::Grower;
use ternwood::predict::{Scratch, Walker};
use ternwood::{Exec, Routing, TreeParams, Verdict, ZoneKind};

fn main() {
    let data = two_normals(20_000, 20, None);
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let params = params.check().expect("the parameters are fine");
    let grown = Grower::new(&data, &params)
        .and_then(|grower| grower.grow_two_child(&Exec::default()))
        .expect("it grows");
    let tree = grown.with_zones(&ZoneKind::class_overlap().into()).expect("it has zones");
    let walker = Walker::new(&tree, Routing::Probabilistic).expect("the shape is right");
    let rows: Vec<Vec<f64>> = (0..2000).map(|row| data.columns().row(row)).collect();
    let (mut scratch, mut out) = (Scratch::default(), [0.0; 2]);
    let mut verdict = |row: &Vec<f64>| walker.distribution(row, &mut scratch, &mut out);
    for wanted in [Verdict::Decided, Verdict::Undecided] {
        let rows: Vec<&Vec<f64>> = rows.iter().filter(|row| verdict(row) == wanted).collect();
        let best = (0..50).map(|_| {
            let start = Instant::now();
            rows.iter().for_each(|row| {
                black_box(verdict(black_box(row)));
            });
            start.elapsed().as_nanos() as f64 / rows.len() as f64
        });
        println!("{wanted:?} {:.0}", best.fold(f64::INFINITY, f64::min));
    }
}

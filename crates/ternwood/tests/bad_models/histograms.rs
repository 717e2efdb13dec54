//! Files that say something impossible of how training rows lie along a test.

use super::{changed, check, rewritten};

fn with(histograms: &str) -> String {
    changed("\"tree\"", &format!("\"histograms\": {histograms},\n  \"tree\""))
}

#[test]
fn a_good_one_is_written_as_it_was_read() {
    let text = with(r#"[{"node":0,"values":[[1.0,0,2],[1.0,1,1],[3.5,1,1]],"missing":1}]"#);
    assert_eq!(rewritten(&text), text);
}

#[test]
fn histograms() {
    let of = |node: u32, values: &str| {
        with(&format!("[{{\"node\":{node},\"values\":[{values}],\"missing\":0}}]"))
    };
    let twice = r#"[{"node":0,"values":[],"missing":0},{"node":0,"values":[],"missing":0}]"#;
    check(&[
        (of(3, ""), "node 3: its histogram is out of order"),
        (with(twice), "node 0: its histogram is out of order"),
        (of(1, ""), "node 1: it has a histogram, but no threshold"),
        (of(0, "[1,2,1]"), "node 0: its histogram has impossible values"),
        (of(0, "[1,0,0]"), "node 0: its histogram has impossible values"),
        (of(0, "[2,0,1],[1,0,1]"), "node 0: its histogram has impossible values"),
        (of(0, "[1,0,6]"), "node 0: its histogram has more rows than the node"),
    ]);
}

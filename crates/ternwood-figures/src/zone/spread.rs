//! The class densities along the feature, and their overlap.

use super::{DrawnPanel, Scene};
use crate::density::{POINTS, densities};
use crate::geometry::{Rect, at};
use crate::histogram::Counted;
use crate::palette::{self, INK};
use crate::plot::Frame;
use crate::svg::{Drawing, Shape, path_through};

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let frame = Frame::new(area, scene.range, (0.0, 1.0));
    let n_slots = scene.classes.n_slots();
    let inside = |value: &&Counted| scene.shown.contains(value.0);
    let values: Vec<Counted> = scene.values.iter().filter(inside).copied().collect();
    let curves = densities(&values, n_slots, frame.x);
    let tallest = curves.iter().flatten().copied().fold(0.0, f64::max).max(1e-9);
    let frame = Frame::new(area, scene.range, (0.0, 1.06 * tallest));
    frame.vertical_grid(drawing);
    let x = |point: usize| area.x + area.w * point as f64 / (POINTS - 1) as f64;
    let outline = |curve: &[f64]| -> String {
        path_through(curve.iter().enumerate().map(|(i, &y)| at(x(i), frame.y.at(y))))
    };
    let closed = |curve: &[f64]| {
        format!(
            "{}L{} {bottom}L{} {bottom}Z",
            outline(curve),
            crate::svg::short(area.right()),
            crate::svg::short(area.x),
            bottom = crate::svg::short(area.bottom())
        )
    };
    let present = |curve: &&(usize, &Vec<f64>)| curve.1.iter().any(|&y| y > 0.0);
    let curves: Vec<(usize, &Vec<f64>)> = curves.iter().enumerate().collect();
    for &(slot, curve) in curves.iter().filter(present) {
        drawing.add(&Shape::path(&closed(curve)).fill(palette::class(slot)).opacity(0.22));
    }
    let overlap = overlap(&curves);
    if overlap.iter().any(|&y| y > 0.0) {
        drawing.add(&Shape::path(&closed(&overlap)).fill(INK).opacity(0.16));
    }
    for &(slot, curve) in curves.iter().filter(present) {
        let line = Shape::path(&outline(curve)).fill("none").stroke(palette::class(slot), 1.8);
        drawing.add(&line.set("stroke-linejoin", "round"));
    }
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    let notes = vec!["density × class share".to_owned(), "overlap in grey".to_owned()];
    DrawnPanel { frame, heading: "Classes", notes }
}

/// The second largest density at every point: the density shared by two classes.
fn overlap(curves: &[(usize, &Vec<f64>)]) -> Vec<f64> {
    (0..POINTS)
        .map(|point| {
            let mut top = [0.0f64; 2];
            for (_, curve) in curves {
                let y = curve[point];
                top = [top[0].max(y), top[1].max(y.min(top[0]))];
            }
            top[1]
        })
        .collect()
}

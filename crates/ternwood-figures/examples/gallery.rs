//! Draws figures of many kinds and sizes into a folder, to look at.
//!
//! `cargo run -p ternwood-figures --example gallery -- target/gallery`

#[path = "../tests/generators.rs"]
mod generators;

use generators::{blobs, fit, moons, normals};
use std::path::Path;
use ternwood::{NodeId, Resamples, Routing, ZoneKind};
use ternwood_figures::{TreeFigure, ZoneFigure, tree_svg, zone_svg};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned());
    std::fs::create_dir_all(&folder)?;
    let save = |name: &str, svg: &str| std::fs::write(Path::new(&folder).join(name), svg);

    for depth in [1, 2, 3, 4, 6] {
        for (routing, word) in [(Routing::Probabilistic, "two"), (Routing::HardMiddle, "three")] {
            let data = blobs(3, 600, 7);
            let model = fit(&data, depth, ZoneKind::quality_plateau(), routing);
            let title = Some(format!("Three classes, depth {depth}"));
            let options = TreeFigure { title, ..TreeFigure::default() };
            save(&format!("tree-{word}-{depth}.svg"), &tree_svg(&model, Some(&data), &options)?)?;
        }
    }
    let data = blobs(10, 2000, 3);
    let model = fit(&data, 4, ZoneKind::Margin, Routing::Probabilistic);
    save("tree-ten-classes.svg", &tree_svg(&model, Some(&data), &TreeFigure::default())?)?;
    let model = fit(&data, 8, ZoneKind::Margin, Routing::Probabilistic);
    let options = TreeFigure { max_depth: Some(3), ..TreeFigure::default() };
    save("tree-stubs.svg", &tree_svg(&model, Some(&data), &options)?)?;
    let data = moons(500, 0.25, 1);
    let model = fit(&data, 3, ZoneKind::class_overlap(), Routing::Probabilistic);
    save("tree-moons.svg", &tree_svg(&model, Some(&data), &TreeFigure::default())?)?;
    save("tree-moons-plain.svg", &tree_svg(&model, None, &TreeFigure::default())?)?;
    save("zone-moons.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    let data = blobs(3, 600, 7);
    let model = fit(&data, 3, ZoneKind::Margin, Routing::HardMiddle);
    save("zone-blobs.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    let data = normals(300, 4);
    let kind = ZoneKind::NodeBootstrap { resamples: Resamples::Count(300) };
    let model = fit(&data, 1, kind, Routing::Probabilistic);
    save("zone-four.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::four_views())?)?;
    save("zone-normals.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    Ok(())
}

//! The picture of a forest's undecided trees says what the explanation says, legibly.

use super::overlap::check_labels;
use super::xml::problem;
use crate::generators::{Table, blobs};
use crate::unsure_trees::draw;
use crate::{UnsureTreesFigure, unsure_trees_svg};
use ternwood::recipe::ForestParams;
use ternwood::{Dataset, Exec, Learner, Model, Recipe, Routing};

fn forest(data: &Dataset, n_trees: u32, routing: Routing) -> Model {
    let forest = ForestParams { n_trees, ..ForestParams::default() };
    let recipe = Recipe { ensemble: forest.into(), routing, ..Recipe::forest() };
    Learner::from_recipe(recipe).unwrap().fit(data, &Exec::default()).unwrap()
}

#[test]
fn every_reason_has_a_bar_its_number_and_its_words() {
    let tables = [
        Table::default(),
        Table { long_names: true, seed: 4, ..Table::default() },
        Table { classes: 12, categories: 30, rows: 1500, long_names: true, ..Table::default() },
    ];
    let mut data: Vec<Dataset> = tables.iter().map(Table::dataset).collect();
    data.extend([2, 12].map(|n_classes| blobs(n_classes, 300, 5)));
    let (mut bars, mut sure) = (0, 0);
    for (data, routing) in data.iter().zip([Routing::Probabilistic, Routing::Crisp].iter().cycle())
    {
        for n_trees in [1, 30] {
            let model = forest(data, n_trees, *routing);
            for row in 0..20 {
                let row = model.explain_forest(&data.columns().row(row)).unwrap();
                let title = Some("A row with a title that is rather long".to_owned());
                let options = UnsureTreesFigure { title };
                let (drawing, size) = draw(&row, &options);
                check_labels("a forest", &drawing, size);
                let svg = unsure_trees_svg(&row, &options);
                assert_eq!(problem(&svg), None);
                let has = |text: &str| drawing.labels.iter().any(|label| label.text == text);
                assert!(has(&row.answer()));
                let hatched = svg.matches("class=\"hatch\"").count();
                assert_eq!(
                    hatched,
                    row.reasons().len().min(15) + usize::from(row.undecided_trees() > 0)
                );
                for reason in row.reasons().iter().take(15) {
                    assert!(has(&reason.trees.to_string()));
                }
                bars += row.reasons().len();
                sure += usize::from(row.reasons().is_empty());
            }
        }
    }
    assert!(bars > 100 && sure > 10, "{bars} bars, {sure} rows without");
}

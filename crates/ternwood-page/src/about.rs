//! The model card: what the model was made from and how, without any of its rows.

use crate::Page;
use ternwood::dataset::one_line;
use ternwood::tree::NodeId;

/// Names and values, from what matters most to what tells models apart.
pub(crate) fn facts(page: &Page<'_>) -> Vec<(String, String)> {
    let model = page.model;
    let (schema, tree, recipe) = (model.schema(), model.tree(), model.recipe());
    let counts = schema.classes().iter().zip(tree.class_rows(NodeId::ROOT));
    let classes = counts.map(|(name, rows)| format!("{} {rows}", one_line(&name.to_string())));
    let tested = model.tested_features();
    let names = tested.iter().map(|&index| one_line(&schema.features()[index].name).into_owned());
    let zone = &recipe.params.zone;
    let mut facts: Vec<_> = model.metadata().in_words().collect();
    facts.extend([
        fact("training rows", &tree.rows(NodeId::ROOT).to_string()),
        fact("classes", &classes.collect::<Vec<_>>().join(", ")),
        fact(
            "features",
            &format!(
                "{} of {} are tested: {}",
                tested.len(),
                schema.n_features(),
                names.collect::<Vec<_>>().join(", ")
            ),
        ),
        fact(
            "tree",
            &format!(
                "{} tests, {} leaves, depth {}",
                tree.n_nodes() - tree.n_leaves(),
                tree.n_leaves(),
                tree.depth()
            ),
        ),
        fact("zones", &format!("{}, times {}", zone.kind.as_str(), zone.scale)),
        fact("routing", model.routing().as_str()),
        fact("verdict", &model.verdict().described(schema.classes())),
    ]);
    if let Some(achieved) = model.verdict().achieved() {
        let total = achieved.total();
        let source = achieved.source();
        let text = format!(
            "of {} rows ({source}), {} are decided, {} of those right",
            total.rows, total.decided, total.decided_right
        );
        facts.push(fact("measured when it was set", &text));
    }
    facts.push(fact("seed", &recipe.params.seed.to_string()));
    facts.extend(page.facts.iter().cloned());
    // With spaces, so that its lines can be broken between parameters.
    let recipe = serde_json::to_string(recipe).expect("plain data is always JSON");
    facts.push(fact("recipe", &recipe.replace(",\"", ", \"")));
    facts.extend(model.ternwood_version().map(|it| fact("fitted by", &format!("ternwood {it}"))));
    facts.push(fact("page written by", concat!("ternwood ", env!("CARGO_PKG_VERSION"))));
    facts
}

fn fact(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

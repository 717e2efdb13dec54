//! The experiments give the published figures, fold by fold, including node bootstrap.
//!
//! The experiments draw the published random numbers of the bootstrap, so its figures must agree
//! like the others.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

mod published;

use published::{PublishedResult, data_sets};
use ternwood_paper::{Method, Unit, measure};

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn every_published_figure_of_every_fold_is_reproduced() {
    let (mut compared, mut different) = (0, Vec::new());
    for (published, data) in data_sets() {
        let (openml_id, name) = (published.openml_id, published.name);
        for fold in 0..data.n_folds() {
            let unit = Unit { openml_id, dataset: name.clone(), fold };
            let rows = measure(&unit, &data.fold(fold).unwrap()).unwrap();
            for result in published.results.iter().filter(|result| result.fold == fold) {
                // scikit-learn's CART is a different program that breaks ties differently.
                let Some(method) = Method::named(&result.zone, &result.routing) else {
                    continue;
                };
                let row = rows.iter().find(|row| row.method == method).unwrap();
                compared += PublishedResult::RATES;
                for difference in result.differences(&row.figures.rates) {
                    different.push(format!("{name} fold {fold} {method}: {difference}"));
                }
            }
        }
    }
    println!("{compared} figures compared");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    // 18 data sets, 5 folds, 5 estimators, 3 routings, 4 figures.
    assert_eq!(compared, 18 * 5 * 5 * 3 * 4);
}

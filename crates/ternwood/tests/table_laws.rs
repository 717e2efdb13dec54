//! Do the laws of missing values and categories hold? Each is a property over random tables.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::naive::Naive;
use support::numbers::Numbers;
use support::sample::Sample;
use support::tables::{renumbered, with_other_ids};
use support::trees::{SHAPES, weighed, weighed_with_tests};
use support::{soak, strategies, tables};
use ternwood::dataset::FeatureKind;
use ternwood::recipe::{CategoryGain, ClassWeight, MissingValues, ZoneParams};
use ternwood::tree::NodeId;
use ternwood::{Routing, TreeParams, ZoneKind};

/// A table, parameters without rules that count rows, and any kind of zone.
fn tables_with_params(most: usize) -> impl Strategy<Value = (Sample, TreeParams)> {
    tables::tables(most, 8).prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::kinds(sample.n_features()));
        (Just(sample.clone()), tables::plain_table_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

/// Missing, a category of most features, and three of none.
fn odd_values() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![f64::NAN, 99.0, -0.5, 0.0, 4_294_967_296.0])
}

/// The gain of the root's split; 0 if it has none.
fn gain_of_root(naive: &Naive<'_>, sample: &Sample) -> f64 {
    let model = sample.fit(naive.params, Routing::Crisp);
    let Some(split) = model.trees()[0].node(NodeId::ROOT).as_split() else { return 0.0 };
    let rows = naive.root().rows;
    let left = |row: &usize| split.test.goes_left(sample.rows[*row][split.test.feature().index()]);
    let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| left(row));
    naive.gain_at(&rows, &left, &right)
}

/// One column of a table.
fn one_column(sample: &Sample, feature: usize) -> Sample {
    Sample {
        rows: sample.rows.iter().map(|row| vec![row[feature]]).collect(),
        kinds: vec![sample.kinds[feature].clone()],
        ..sample.clone()
    }
}

proptest! {
    #![proptest_config(soak::cases(400))]

    /// Two classes, categories and perhaps missing values: no subset of them beats the split found.
    #[test]
    fn no_subset_of_categories_is_better(
        sample in tables::weighted_tables(60, 8),
        params in tables::plain_table_params(2),
    ) {
        let sample = Sample { n_classes: 2, ..sample };
        let classes: Vec<u32> = sample.classes.iter().map(|class| class % 2).collect();
        let category_gain = CategoryGain::Measured;
        let params = TreeParams { missing: MissingValues::Learn, category_gain, ..params };
        for feature in 0..sample.n_features() {
            let Some(n) = sample.n_categories(feature) else { continue };
            let column = Sample { classes: classes.clone(), ..one_column(&sample, feature) };
            let naive = Naive::new(&column, &params, false);
            let found = gain_of_root(&naive, &column);
            let rows = naive.root().rows;
            // Every category, and missing values, on either side.
            for subset in 0..1u32 << (n + 1) {
                let left = |row: &usize| {
                    let x = column.rows[*row][0];
                    subset >> (if x.is_nan() { n as u32 } else { x as u32 }) & 1 == 1
                };
                let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| left(row));
                if !left.is_empty() && !right.is_empty() {
                    let gain = naive.gain_at(&rows, &left, &right);
                    prop_assert!(gain <= found + 1e-12, "{subset:b} gains {gain}, not {found}");
                }
            }
        }
    }

    /// Numbers: no threshold with the missing values on either side, nor "present | missing", beats
    /// the split found.
    #[test]
    fn no_side_of_missing_values_is_better(
        sample in tables::weighted_tables(60, 8),
        params in tables::plain_table_params(12),
    ) {
        let class_weight = ClassWeight::Balanced;
        let params = TreeParams { missing: MissingValues::Learn, class_weight, ..params };
        for feature in (0..sample.n_features()).filter(|&f| sample.n_categories(f).is_none()) {
            let column = one_column(&sample, feature);
            let naive = Naive::new(&column, &params, false);
            let found = gain_of_root(&naive, &column);
            let rows = naive.root().rows;
            for threshold in column.rows.iter().map(|row| row[0]).filter(|x| !x.is_nan()) {
                for missing_left in [false, true] {
                    let left = |row: &usize| {
                        let x = column.rows[*row][0];
                        if x.is_nan() { missing_left } else { x <= threshold }
                    };
                    let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| left(row));
                    if !left.is_empty() && !right.is_empty() {
                        let gain = naive.gain_at(&rows, &left, &right);
                        prop_assert!(gain <= found + 1e-12, "{threshold} gains {gain}, not {found}");
                    }
                }
            }
        }
    }

    /// A row of weight k acts like k rows: the trees differ only in their row counts.
    #[test]
    fn weight_k_is_k_copies(
        (sample, params) in tables_with_params(40),
        copies in prop::collection::vec(0..5usize, 40),
    ) {
        prop_assume!(copies[..sample.rows.len()].iter().any(|&copies| copies > 0));
        let mut params = params;
        if matches!(params.zone.kind, ZoneKind::ClassOverlap { .. }) {
            params.zone.kind = ZoneKind::Margin; // Its quantiles count rows, as published.
        }
        let [weighted, copied] = sample.weighted_and_copied(&copies[..sample.rows.len()]);
        for routing in SHAPES {
            let [one, other] = [&weighted, &copied].map(|sample| sample.fit(&params, routing));
            prop_assert_eq!(weighed(&one.trees()[0]), weighed(&other.trees()[0]));
        }
    }

    /// Categories with other ids are the same categories.
    #[test]
    fn the_order_of_categories_changes_nothing(
        (sample, params) in tables_with_params(50), seed: u64,
    ) {
        let (reordered, new_ids) = with_other_ids(&sample, seed);
        for routing in SHAPES {
            let [model, other] = [&sample, &reordered].map(|sample| sample.fit(&params, routing));
            let expected = weighed_with_tests(&model.trees()[0], |test| renumbered(test, &new_ids));
            prop_assert_eq!(weighed(&other.trees()[0]), expected);
            prop_assert_eq!(reordered.predictions(&other), sample.predictions(&model));
        }
    }

    /// Names are only names.
    #[test]
    fn the_names_of_categories_change_nothing((sample, params) in tables_with_params(50)) {
        let mut renamed = sample.clone();
        for kind in &mut renamed.kinds {
            if let FeatureKind::Categories(names) = kind {
                names.iter_mut().enumerate().for_each(|(id, name)| *name = format!("{}", 99 - id));
            }
        }
        for routing in SHAPES {
            let [one, other] = [&sample, &renamed].map(|sample| sample.fit(&params, routing));
            prop_assert_eq!(&one.trees()[0], &other.trees()[0]);
        }
    }

    /// Nothing is missing: then it does not matter what missing values would mean.
    #[test]
    fn what_missing_values_mean_is_nothing_to_complete_tables(
        (sample, params) in tables_with_params(50),
    ) {
        let mut complete = sample;
        for values in &mut complete.rows {
            values.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = 0.0);
        }
        for routing in SHAPES {
            let [learn, unknown, error] = MissingValues::ALL.map(|missing| {
                let params = TreeParams { missing, ..params.clone() };
                complete.fit(&params, routing).trees()[0].clone()
            });
            prop_assert_eq!(&learn, &unknown);
            prop_assert_eq!(&learn, &error);
        }
    }

    /// A feature that is never missing is searched as if missing values did not exist: features
    /// without a single value, beside it, change nothing.
    #[test]
    fn columns_without_information_change_nothing(
        sample in strategies::weighted_samples(50), params in tables::plain_table_params(12),
        kind in strategies::deterministic_kinds(6),
    ) {
        let mut zone = ZoneParams::from(kind);
        if let ZoneKind::Specified { half_widths } = &mut zone.kind {
            half_widths.resize(sample.n_features() + 3, 1.0);
        }
        let class_weight = ClassWeight::Balanced;
        let params = TreeParams { zone, class_weight, ..params };
        let mut alone = params.clone();
        if let ZoneKind::Specified { half_widths } = &mut alone.zone.kind {
            half_widths.truncate(sample.n_features());
        }
        let mut wider = sample.clone();
        wider.rows.iter_mut().for_each(|row| row.extend([f64::NAN, f64::NAN, 1.0]));
        let two = || FeatureKind::Categories(vec!["a".to_owned(), "b".to_owned()]);
        wider.kinds = vec![FeatureKind::Number; sample.n_features()];
        wider.kinds.extend([FeatureKind::Number, two(), two()]);
        for routing in SHAPES {
            let [one, other] = [(&sample, &alone), (&wider, &params)]
                .map(|(sample, params)| weighed(&sample.fit(params, routing).trees()[0]));
            prop_assert_eq!(one, other);
        }
    }

    /// Rows of weight 0 change nothing, whatever their values: also if these are missing, or
    /// categories that nobody knows.
    #[test]
    fn rows_without_weight_change_nothing(
        (sample, params) in tables_with_params(30),
        extra in prop::collection::vec((any::<prop::sample::Index>(), odd_values()), 1..10),
    ) {
        let with = sample.with_weightless_rows(&extra);
        for routing in SHAPES {
            prop_assert_eq!(with.fit(&params, routing).to_json(), sample.fit(&params, routing).to_json());
        }
    }

    /// The order of rows in the file does not matter, whatever their weights.
    #[test]
    fn the_order_of_rows_changes_nothing(
        (sample, params) in tables_with_params(40),
        weights in prop_oneof![
            Just(None),
            prop::collection::vec(prop::sample::select(vec![0.1, 0.2, 0.3, 0.4, 0.7]), 40).prop_map(Some),
            prop::collection::vec(1e-3..1e3f64, 40).prop_map(Some),
        ],
        fewest in 1..4u32,
        seed: u64,
    ) {
        let n = sample.rows.len();
        let params = TreeParams { min_samples_category: fewest, ..params };
        let sample = Sample { weights: weights.map(|w| w[..n].to_vec()), ..sample };
        let other = sample.rearranged(&Numbers::new(seed).order(n));
        for routing in SHAPES {
            prop_assert_eq!(sample.fit(&params, routing).to_json(), other.fit(&params, routing).to_json());
        }
    }
}

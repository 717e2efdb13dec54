//! With missing values and categories, is every tree the brute-force tree, however it is searched?
//!
//! The brute-force tree is written from the definition, not from the engine: every candidate is
//! scored from scratch.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::naive::Naive;
use support::numbers::Numbers;
use support::sample::Sample;
use support::searches::{EXECS, every_kind};
use support::{soak, strategies, tables};
use ternwood::dataset::FeatureKind;
use ternwood::grow::{Grower, Search};
use ternwood::recipe::{CategoryGain, ClassWeight, Criterion, MissingValues, RowCount, ZoneParams};
use ternwood::tree::{Missing, NodeId, Zone};
use ternwood::{Tree, TreeParams, ZoneKind};

/// A table with parameters and a zone that needs no random numbers. Tables of few rows have many
/// ties between splits.
fn cases() -> impl Strategy<Value = (Sample, TreeParams)> {
    let few = tables::tables(8, 4).prop_map(|mut sample| {
        sample.n_classes = 2;
        sample.classes.iter_mut().for_each(|class| *class %= 2);
        sample
    });
    prop_oneof![tables::weighted_tables(50, 14), few].prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        (Just(sample.clone()), tables::table_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

fn grow_two(sample: &Sample, params: &TreeParams, search: Search, kinds: &[ZoneKind]) -> Vec<Tree> {
    let (data, checked) = (sample.dataset(), params.clone().check().unwrap());
    let grower = Grower::new(&data, &checked).unwrap().search(search);
    let threads = usize::from(search == Search::Fast);
    let grown = grower.grow_two_child(&EXECS[threads]).unwrap();
    let zones = kinds.iter().map(|kind| ZoneParams { kind: kind.clone(), ..params.zone.clone() });
    zones.map(|zone| grown.with_zones(&zone).unwrap()).collect()
}

fn grow_three(sample: &Sample, params: &TreeParams, search: Search) -> Tree {
    let (data, checked) = (sample.dataset(), params.clone().check().unwrap());
    let grower = Grower::new(&data, &checked).unwrap().search(search);
    grower.grow_three_child(&EXECS[usize::from(search == Search::Fast)]).unwrap()
}

proptest! {
    #![proptest_config(soak::cases(1200))]

    #[test]
    fn a_two_child_tree_is_the_brute_force_tree(
        (sample, params) in cases(), bins in 2..=16usize,
    ) {
        let naive = Naive::new(&sample, &params, false);
        let mut kinds = every_kind(sample.n_features());
        kinds.insert(0, params.zone.kind.clone());
        let sorted = grow_two(&sample, &params, Search::Sorted, &kinds);
        let outcome = naive.grow().compare_where_determined(&naive, &sorted[0]);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        for search in [Search::Fast, Search::BinsOnly(bins)] {
            let others = grow_two(&sample, &params, search, &kinds);
            for ((one, other), kind) in sorted.iter().zip(&others).zip(&kinds) {
                prop_assert_eq!(other, one, "{:?}, {:?}", search, kind);
            }
        }
    }

    #[test]
    fn a_three_child_tree_is_the_brute_force_tree(
        (sample, params) in cases(), bins in 2..=16usize,
    ) {
        let naive = Naive::new(&sample, &params, true);
        let sorted = grow_three(&sample, &params, Search::Sorted);
        let outcome = naive.grow().compare_where_determined(&naive, &sorted);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        for search in [Search::Fast, Search::BinsOnly(bins)] {
            prop_assert_eq!(&grow_three(&sample, &params, search), &sorted, "{:?}", search);
        }
        for kind in [ZoneKind::Spread, ZoneKind::node_bootstrap()] {
            let params = params.clone().with_zone(kind);
            let [one, other] = [Search::BinsOnly(bins), Search::Sorted]
                .map(|search| grow_three(&sample, &params, search));
            prop_assert_eq!(one, other, "{:?}", params.zone);
        }
    }
}

/// With one missing value of each class, both sides gain the same: left comes first. A threshold
/// comes before "present | missing", a lower one before a higher one.
#[test]
fn ties_fall_in_the_order_of_the_definition() {
    let nan = f64::NAN;
    let both_sides = [(1.0, 0), (1.0, 0), (2.0, 1), (2.0, 1), (nan, 0), (nan, 1)];
    // 1 | 2, missing and 1, 2 | missing each set two rows of one class apart.
    let present_too = [(1.0, 0), (1.0, 0), (2.0, 0), (2.0, 1), (nan, 1), (nan, 1)];
    // 1 | 2, 3 and 1, 2 | 3.
    let two_thresholds = [(1.0, 1), (2.0, 0), (2.0, 0), (3.0, 1)];
    let cases = [
        (&both_sides[..], Missing::Left, 1.5),
        (&present_too[..], Missing::Right, 1.5),
        (&two_thresholds[..], Missing::Unknown, 1.5),
    ];
    for (rows, missing, threshold) in cases {
        for as_categories in [false, true] {
            let mut sample = Sample {
                rows: rows.iter().map(|row| vec![row.0]).collect(),
                classes: rows.iter().map(|row| row.1).collect(),
                n_classes: 2,
                ..Sample::default()
            };
            if as_categories {
                let names = (0..4).map(|id| id.to_string()).collect();
                sample.kinds = vec![FeatureKind::Categories(names)];
            }
            let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
            let params = params.with_zone(ZoneKind::None);
            for search in [Search::Sorted, Search::BinsOnly(4)] {
                let tree = grow_two(&sample, &params, search, &[ZoneKind::None]).remove(0);
                let test = &tree.node(NodeId::ROOT).as_split().unwrap().test;
                if as_categories {
                    let naive = Naive::new(&sample, &params, false);
                    assert_eq!(naive.grow().compare(&naive, &tree), Ok(()), "{rows:?}");
                } else {
                    assert_eq!(test.missing(), missing, "{rows:?}");
                    assert_eq!(test.zone().map(Zone::threshold), Some(threshold));
                }
            }
        }
    }
}

/// Larger nodes. Rounding hardly ever decides about a direction, so that most are compared to the
/// end.
#[test]
fn larger_trees_are_the_brute_force_trees() {
    let (mut splits, mut arbitrary) = (0, 0);
    for (seed, n_classes) in [(1, 2), (2, 3), (3, 5)] {
        let mut sample = tables::generated(seed, 300, n_classes);
        for missing in [MissingValues::Learn, MissingValues::Unknown] {
            for (class_weight, min_samples_category) in
                [(ClassWeight::Uniform, 1), (ClassWeight::Balanced, 3)]
            {
                let zone = ZoneParams { category_error: 1.97, ..ZoneParams::default() };
                let params = TreeParams {
                    max_depth: Some(3),
                    class_weight,
                    missing,
                    min_samples_category,
                    zone,
                    ..TreeParams::default()
                };
                for three in [false, true] {
                    let naive = Naive::new(&sample, &params, three);
                    let tree = if three {
                        grow_three(&sample, &params, Search::Sorted)
                    } else {
                        grow_two(&sample, &params, Search::Sorted, &[ZoneKind::Margin]).remove(0)
                    };
                    splits += tree.n_nodes() - tree.n_leaves();
                    arbitrary += naive.grow().compare_where_determined(&naive, &tree).unwrap();
                }
                sample.weights = Some((0..300).map(|row| f64::from(row % 5) / 2.0).collect());
            }
            sample.weights = None;
        }
    }
    assert!(splits > 100 && arbitrary < splits / 20, "{arbitrary} of {splits}");
}

/// With some thousand rows the first levels are searched on bins, and branches have bins of their
/// own.
fn compare_searches(
    sample: &Sample,
    params: &TreeParams,
    fast: Search,
) -> Result<(), TestCaseError> {
    let kinds = [ZoneKind::Margin, ZoneKind::quality_plateau(), ZoneKind::class_overlap()];
    let [one, other] =
        [fast, Search::Sorted].map(|search| grow_two(sample, params, search, &kinds));
    prop_assert!(one[0].n_nodes() > 3);
    prop_assert!(one == other, "{:?}", params);
    let [one, other] = [fast, Search::Sorted].map(|search| grow_three(sample, params, search));
    prop_assert!(one == other, "three children, {:?}", params);
    Ok(())
}

fn large_params() -> impl Strategy<Value = TreeParams> {
    let missing = prop::sample::select(vec![
        MissingValues::Learn,
        MissingValues::Learn,
        MissingValues::Unknown,
    ]);
    let fewest = prop::sample::select(vec![1, 1, 40]);
    let leaf = prop::sample::select(vec![1, 1, 30]);
    let depth = prop::sample::select(vec![Some(3), Some(6), None]);
    (missing, fewest, leaf, depth, any::<bool>(), any::<bool>()).prop_map(
        |(missing, min_samples_category, leaf, max_depth, entropy, balanced)| TreeParams {
            criterion: if entropy { Criterion::Entropy } else { Criterion::Gini },
            class_weight: if balanced { ClassWeight::Balanced } else { ClassWeight::Uniform },
            min_samples_leaf: RowCount::Count(leaf),
            missing,
            min_samples_category,
            max_depth,
            ..TreeParams::default()
        },
    )
}

proptest! {
    #![proptest_config(soak::cases(16))]

    #[test]
    fn fast_and_sorted_search_grow_the_same_tree(
        n_rows in 4_097..9_000usize, n_classes in 2..7u32, seed: u64, params in large_params(),
    ) {
        let sample = tables::generated(seed, n_rows, n_classes);
        compare_searches(&sample, &params, Search::Fast)?;
    }

    #[test]
    fn bins_of_branches_grow_the_tree_of_sorted_columns(
        n_rows in 1_100..3_000usize,
        n_classes in 2..7u32,
        seed: u64,
        bins in 2..=200usize,
        params in large_params(),
    ) {
        let sample = tables::generated(seed, n_rows, n_classes);
        compare_searches(&sample, &params, Search::BinsOnly(bins))?;
    }
}

/// A number that tells a little, and a column of as many categories as `n_categories` that tells nothing.
fn number_and_noise(n_categories: usize) -> Sample {
    let mut numbers = Numbers::new(7);
    let names = (0..n_categories).map(|id| format!("c{id}")).collect();
    let mut sample = Sample {
        n_classes: 2,
        kinds: vec![FeatureKind::Number, FeatureKind::Categories(names)],
        ..Sample::default()
    };
    for _ in 0..2_000 {
        let x = numbers.unit();
        sample.rows.push(vec![x, (numbers.unit() * n_categories as f64).floor()]);
        sample.classes.push(u32::from(numbers.unit() < if x < 0.5 { 0.4 } else { 0.6 }));
    }
    sample
}

#[test]
fn many_categories_that_tell_nothing_are_not_split() {
    let sample = number_and_noise(700);
    for criterion in [Criterion::Gini, Criterion::Entropy] {
        for search in [Search::Sorted, Search::Fast, Search::BinsOnly(16)] {
            let root_feature = |category_gain| {
                let params = TreeParams {
                    criterion,
                    category_gain,
                    max_depth: Some(1),
                    ..Default::default()
                };
                let tree = grow_two(&sample, &params, search, &[ZoneKind::None]).remove(0);
                tree.node(NodeId::ROOT).as_split().unwrap().test.feature().index()
            };
            assert_eq!(root_feature(CategoryGain::Measured), 1, "chance has the larger gain");
            assert_eq!(root_feature(CategoryGain::AboveChance), 0, "{criterion:?}, {search:?}");
        }
    }
}

/// Up to seven groups, missing values included, gain by chance no more than a number.
#[test]
fn few_categories_compete_with_their_measured_gain() {
    let measured = TreeParams { category_gain: CategoryGain::Measured, ..TreeParams::default() };
    let above_chance = TreeParams::default();
    for (n_categories, same) in [(7, true), (40, false)] {
        let sample = number_and_noise(n_categories);
        let grow = |params| grow_two(&sample, params, Search::Fast, &[ZoneKind::None]).remove(0);
        assert_eq!(grow(&measured) == grow(&above_chance), same, "{n_categories} categories");
    }
}

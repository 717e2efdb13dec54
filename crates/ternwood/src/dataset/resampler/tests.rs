use super::*;
use crate::dataset::{Columns, Dataset, Labels};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SHUFFLE: Shuffle = Shuffle { seed: 7, number: 0 };

/// Rows of one feature.
#[derive(Debug, Clone)]
struct Rows {
    values: Vec<f64>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    /// A real target, in place of the classes.
    targets: Option<Vec<f64>>,
    groups: Option<Vec<u32>>,
}

impl Rows {
    /// Rows of one class and one weight.
    fn alike(values: impl IntoIterator<Item = f64>, weight: f64) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len();
        let (classes, weights) = (vec![0; n], vec![weight; n]);
        Self { values, classes, weights, targets: None, groups: None }
    }

    fn n(&self) -> usize {
        self.values.len()
    }

    fn look<T>(&self, look: impl FnOnce(&Resampler<'_>, &RowSubset) -> T) -> T {
        let columns = Columns::from_columns(self.values.clone(), 1).unwrap();
        let names = (0..4u32).map(Into::into).collect();
        let labels = Labels::from_ids(self.classes.clone(), names).unwrap();
        let data = Dataset::new(columns, labels).unwrap();
        let data = data.with_weights(self.weights.clone()).unwrap();
        let mut resampler = Resampler::new(&data);
        if let Some(targets) = &self.targets {
            resampler = resampler.with_target_values(targets).unwrap();
        }
        if let Some(groups) = &self.groups {
            resampler = resampler.with_groups(groups).unwrap();
        }
        let all = resampler.all_rows();
        look(&resampler, &all.only(|row| all.weight(row) > 0.0))
    }

    /// Some rows, also several times.
    fn select(&self, rows: &[usize]) -> Self {
        fn of<T: Copy>(rows: &[usize], from: &[T]) -> Vec<T> {
            rows.iter().map(|&row| from[row]).collect()
        }
        Self {
            values: of(rows, &self.values),
            classes: of(rows, &self.classes),
            weights: of(rows, &self.weights),
            targets: self.targets.as_ref().map(|targets| of(rows, targets)),
            groups: self.groups.as_ref().map(|groups| of(rows, groups)),
        }
    }

    /// The same in another order, with other numbers for the groups.
    fn rearranged(&self, turn: usize) -> Self {
        let mut order: Vec<usize> = (0..self.n()).rev().collect();
        order.rotate_left(turn % self.n());
        let mut other = self.select(&order);
        other.groups.iter_mut().flatten().for_each(|group| *group = 1000 - *group);
        other
    }

    /// Rows of weight k as k rows.
    fn copied(&self) -> Self {
        let copies = |row: usize| std::iter::repeat_n(row, self.weights[row] as usize);
        let mut copied = self.select(&(0..self.n()).flat_map(copies).collect::<Vec<_>>());
        copied.weights.fill(1.0);
        copied
    }

    fn without_groups(&self) -> Self {
        Self { groups: None, ..self.clone() }
    }

    /// What a row holds, without its weight.
    fn held(&self, row: usize) -> (u64, u64) {
        let target = self.targets.as_ref().map_or(self.classes[row].into(), |it| it[row].to_bits());
        (self.values[row].to_bits(), target)
    }

    /// The total weight of equal rows, given what every row weighs.
    fn content(&self, rows: impl IntoIterator<Item = (usize, f64)>) -> BTreeMap<(u64, u64), f64> {
        let mut content = BTreeMap::new();
        for (row, weight) in rows.into_iter().filter(|&(_, weight)| weight > 0.0) {
            *content.entry(self.held(row)).or_default() += weight;
        }
        content
    }

    /// What is held out in every fold of units.
    fn unit_folds(&self, folds: u32) -> Vec<BTreeMap<(u64, u64), f64>> {
        self.look(|resampler, all| {
            let Ok(folds) = resampler.unit_folds(all, folds, SHUFFLE) else { return Vec::new() };
            let test = |fold| folds.rows_of(fold).test;
            let weights = |test: RowSubset| {
                self.content(test.rows.iter().map(|&row| (row as usize, test.weight(row))))
            };
            (0..folds.count()).map(|fold| weights(test(fold))).collect()
        })
    }

    /// What is in folds, hold-out sets, bags and a sample.
    fn parts(&self, folds: u32, share: f64) -> Vec<Vec<BTreeMap<(u64, u64), f64>>> {
        let parts = self.look(|resampler, all| {
            let content =
                |rows: &[usize]| self.content(rows.iter().map(|&row| (row, self.weights[row])));
            let folds = resampler.folds(folds, 7).into_iter();
            let folds =
                folds.flat_map(|it| it.iter().map(|(_, test)| content(&test)).collect::<Vec<_>>());
            let aside = [resampler.hold_out(share, 7), resampler.hold_out_at_random(share, 7)];
            let aside = aside
                .into_iter()
                .map(|aside| aside.map_or_else(|_| BTreeMap::new(), |it| content(&it.held_out)));
            let bags = resampler.bags(&all.rows, |n| n, 3);
            let bag = |tree| {
                let bag = bags.draw(tree);
                let weight = |row: usize| f64::from(bag.times()[row]) * self.weights[row];
                self.content((0..self.n()).map(|row| (row, weight(row))))
            };
            let sample = resampler.sample(all, 5, SHUFFLE);
            let sample =
                self.content(sample.rows.iter().map(|&row| (row as usize, sample.weight(row))));
            vec![folds.collect(), aside.collect(), (0..3).map(bag).collect(), vec![sample]]
        });
        [parts, vec![self.unit_folds(folds)]].concat()
    }

    /// The units of every fold that `counts` tells of, by row.
    fn units_by_fold(&self, folds: u32, counts: impl Fn(usize) -> bool) -> Vec<u64> {
        self.look(|resampler, all| {
            let folds = resampler.unit_folds(all, folds, SHUFFLE).unwrap();
            let units = |test: RowSubset| {
                let rows = test.rows.iter().filter(|&&row| counts(row as usize));
                rows.map(|&row| test.units(row)).sum()
            };
            (0..folds.count()).map(|fold| units(folds.rows_of(fold).test)).collect()
        })
    }

    /// The rows of every fold that `counts` tells of.
    fn rows_by_fold(&self, folds: u32, counts: impl Fn(usize) -> bool) -> Vec<u64> {
        let folds = self.look(|resampler, _| resampler.folds(folds, 1)).unwrap();
        let rows = |test: Vec<usize>| test.into_iter().filter(|&row| counts(row)).count() as u64;
        folds.iter().map(|(_, test)| rows(test)).collect()
    }

    fn n_groups(&self) -> usize {
        self.groups.iter().flatten().collect::<BTreeSet<_>>().len()
    }

    /// True if `part` is the same for all of these rows that are of a group.
    fn keeps_groups(&self, rows: &[u32], part: impl Fn(usize) -> u32) -> bool {
        let groups = self.groups.as_ref().unwrap();
        let mut parts = BTreeMap::new();
        let mut rows = rows.iter().map(|&row| row as usize);
        rows.all(|row| *parts.entry(groups[row]).or_insert(part(row)) == part(row))
    }
}

/// Weights that are 1, whole, or broken.
fn weights(n: usize) -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![
        Just(0.0),
        Just(1.0),
        (1..12u32).prop_map(f64::from),
        prop::sample::select(vec![0.25, 0.5, 2.75, 2147483648.0]),
    ];
    prop_oneof![Just(vec![1.0; n]), prop::collection::vec(weight, n)].prop_map(|mut weights| {
        weights[0] = 2.0; // Something must count.
        weights
    })
}

/// Few distinct values, some classes, sometimes a real target.
fn rows() -> impl Strategy<Value = Rows> {
    (3..60usize).prop_flat_map(|n| {
        let values = prop::collection::vec((0..9i32).prop_map(f64::from), n);
        let targets = prop_oneof![
            prop::collection::vec((0..6i32).prop_map(f64::from), n),
            prop::collection::vec(-1e3..1e3f64, n),
        ];
        let classes = prop::collection::vec(0..4u32, n);
        (values, classes, weights(n), prop::option::of(targets)).prop_map(
            |(values, classes, weights, targets)| Rows {
                values,
                classes,
                weights,
                targets,
                groups: None,
            },
        )
    })
}

/// The same in groups of different sizes.
fn grouped_rows() -> impl Strategy<Value = Rows> {
    rows().prop_flat_map(|rows| {
        let groups = (2..20u32).prop_flat_map({
            let n = rows.n();
            move |n_groups| prop::collection::vec((0..n_groups).prop_map(|it| it * it / 3), n)
        });
        groups.prop_map(move |groups| Rows { groups: Some(groups), ..rows.clone() })
    })
}

fn any_rows() -> impl Strategy<Value = Rows> {
    prop_oneof![rows(), grouped_rows()]
}

fn are_even(counts: &[u64]) -> bool {
    counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_unit_is_held_out_once(rows in any_rows(), folds in 2..8u32) {
        rows.look(|resampler, all| {
            let most = match rows.groups {
                Some(_) => resampler.groups_of(rows.groups.as_ref().unwrap(), &all.rows).len() as u64,
                None => all.n_units(),
            };
            let Ok(deal) = resampler.unit_folds(all, folds, SHUFFLE) else {
                prop_assert!(most < 2);
                return Ok(());
            };
            prop_assert_eq!(u64::from(deal.count()), most.min(folds.into()));
            let mut held_out = vec![0.0; rows.n()];
            for part in (0..deal.count()).map(|fold| deal.rows_of(fold)) {
                let mut here = vec![0.0; rows.n()];
                for subset in [&part.training, &part.test] {
                    prop_assert!(!subset.rows.is_empty() && subset.rows.is_sorted());
                    for &row in &subset.rows {
                        prop_assert!(subset.weight(row) > 0.0);
                        here[row as usize] += subset.weight(row);
                    }
                }
                prop_assert_eq!(&here, &rows.weights);
                part.test.rows.iter().for_each(|&row| held_out[row as usize] += part.test.weight(row));
            }
            prop_assert_eq!(&held_out, &rows.weights);
            Ok(())
        })?;
    }

    #[test]
    fn every_row_is_tested_once(rows in any_rows(), folds in 2..8u32) {
        rows.look(|resampler, _| {
            let Ok(folds) = resampler.folds(folds, 3) else { return Ok(()) };
            let mut tested = Vec::new();
            for (training, test) in folds.iter() {
                prop_assert!(!test.is_empty() && !training.is_empty());
                let mut all = [training, test.clone()].concat();
                all.sort_unstable();
                prop_assert_eq!(all, (0..rows.n()).collect::<Vec<_>>());
                tested.extend(test);
            }
            tested.sort_unstable();
            prop_assert_eq!(tested, (0..rows.n()).collect::<Vec<_>>());
            Ok(())
        })?;
    }

    /// In size, in every class, and among the rows of every class that are identical.
    #[test]
    fn folds_differ_by_at_most_one_unit(rows in rows(), folds in 2..8u32) {
        let rows = Rows { targets: None, ..rows };
        for by_units in [true, false] {
            let deal = |counts: &dyn Fn(usize) -> bool| match by_units {
                true => rows.units_by_fold(folds, counts),
                false => rows.rows_by_fold(folds.min(rows.n() as u32), counts),
            };
            prop_assert!(are_even(&deal(&|_| true)));
            for class in 0..4 {
                let of_class = |row: usize| rows.classes[row] == class;
                prop_assert!(are_even(&deal(&of_class)), "class {class}");
                for value in 0..9 {
                    let alike = |row| of_class(row) && rows.values[row] == f64::from(value);
                    prop_assert!(are_even(&deal(&alike)), "{value} in {class}");
                }
            }
        }
    }

    /// Of rows sorted by a real target, one of every block is in every fold.
    #[test]
    fn a_real_target_is_dealt_by_rank(
        targets in prop::collection::btree_set(-1_000_000..1_000_000i32, 8..60), folds in 2..6u32,
    ) {
        let n = targets.len() / folds as usize * folds as usize;
        let mut rows = Rows::alike((0..n).map(|row| (row * row % 17) as f64), 1.0);
        rows.targets = Some(targets.into_iter().take(n).map(f64::from).collect());
        let dealt = rows.look(|resampler, _| resampler.folds(folds, 5)).unwrap();
        for block in dealt.of_rows().chunks(folds as usize) {
            prop_assert_eq!(block.iter().collect::<BTreeSet<_>>().len(), block.len());
        }
    }

    /// A target of few values is dealt like classes.
    #[test]
    fn folds_are_even_in_every_value_of_a_real_target(rows in rows(), folds in 2..6u32) {
        let targets: Vec<f64> = rows.classes.iter().map(|&class| f64::from(class) - 1.5).collect();
        let counts = |class| rows.classes.iter().filter(|&&other| other == class).count();
        let is_large = (0..4).all(|class| counts(class) == 0 || counts(class) >= 2 * folds as usize);
        prop_assume!(is_large);
        let rows = Rows { targets: Some(targets), weights: vec![1.0; rows.n()], ..rows };
        for class in 0..4 {
            prop_assert!(are_even(&rows.units_by_fold(folds, |row| rows.classes[row] == class)));
        }
        prop_assert!(are_even(&rows.units_by_fold(folds, |_| true)));
    }

    #[test]
    fn the_order_of_rows_and_the_numbers_of_groups_do_not_matter(
        rows in any_rows(), folds in 2..8u32, turn in 0..60usize, share in 0.05..0.95f64,
    ) {
        prop_assert_eq!(rows.parts(folds, share), rows.rearranged(turn).parts(folds, share));
    }

    #[test]
    fn a_row_of_weight_k_is_k_rows(rows in any_rows(), folds in 2..8u32) {
        let whole = |weight: f64| if weight < 100.0 { weight.floor() } else { 3.0 };
        let rows = Rows { weights: rows.weights.iter().map(|&w| whole(w)).collect(), ..rows };
        prop_assert_eq!(rows.unit_folds(folds), rows.copied().unit_folds(folds));
        let sample = |rows: &Rows| rows.look(|resampler, all| {
            let sample = resampler.sample(all, 9, SHUFFLE);
            rows.content(sample.rows.iter().map(|&row| (row as usize, sample.weight(row))))
        });
        prop_assert_eq!(sample(&rows.without_groups()), sample(&rows.copied().without_groups()));
    }

    #[test]
    fn groups_stay_together(rows in grouped_rows(), folds in 2..8u32, share in 0.05..0.95f64) {
        rows.look(|resampler, all| {
            let every_row = resampler.all_rows().rows;
            if let Ok(folds) = resampler.folds(folds, 7) {
                prop_assert!(rows.keeps_groups(&every_row, |row| folds.of_rows()[row]));
            }
            if let Ok(folds) = resampler.unit_folds(all, folds, SHUFFLE) {
                for test in (0..folds.count()).map(|fold| folds.rows_of(fold).test) {
                    prop_assert!(rows.keeps_groups(&all.rows, |row| u32::from(test.rows.contains(&(row as u32)))));
                }
            }
            for aside in [resampler.hold_out(share, 7), resampler.hold_out_at_random(share, 7)] {
                let Ok(aside) = aside else { continue };
                prop_assert!(rows.keeps_groups(&every_row, |row| u32::from(aside.held_out.contains(&row))));
                let n_groups = rows.select(&aside.held_out).n_groups();
                prop_assert_eq!(n_groups, (share * rows.n_groups() as f64).round() as usize);
            }
            let bags = resampler.bags(&every_row, |n_groups| 2 * n_groups, 3);
            for tree in 0..3 {
                let bag = bags.draw(tree);
                let (times, unseen) = (bag.times(), bags.out_of_bag(tree));
                prop_assert!(rows.keeps_groups(&every_row, |row| times[row]));
                prop_assert!((0..rows.n()).all(|row| unseen.contain(row) == (times[row] == 0)));
                let of_groups: BTreeMap<u32, u32> =
                    rows.groups.iter().flatten().copied().zip(times.iter().copied()).collect();
                prop_assert_eq!(of_groups.values().sum::<u32>() as usize, 2 * rows.n_groups());
            }
            Ok(())
        })?;
    }

    /// Groups of one row are dealt, set aside and drawn as rows are.
    #[test]
    fn groups_of_one_row_are_rows(rows in rows(), folds in 2..8u32, share in 0.05..0.95f64) {
        // Their strata are coarser.
        let rows = Rows { targets: None, weights: vec![1.0; rows.n()], ..rows };
        let alone = Rows { groups: Some((0..rows.n() as u32).rev().collect()), ..rows.clone() };
        prop_assert_eq!(rows.parts(folds, share), alone.parts(folds, share));
    }

    /// Not above what dealing at random gives on average.
    #[test]
    fn folds_of_groups_are_alike(rows in grouped_rows(), folds in 2..8u32) {
        let rows = Rows { targets: None, weights: vec![1.0; rows.n()], ..rows };
        prop_assume!(rows.n_groups() >= folds as usize);
        let sizes = |of: &dyn Fn(usize) -> u32, class: u32| {
            let mut sizes = BTreeMap::new();
            (0..rows.n()).filter(|&row| class == 4 || rows.classes[row] == class)
                .for_each(|row| *sizes.entry(of(row)).or_insert(0.0) += 1.0);
            sizes.into_values().collect::<Vec<f64>>()
        };
        let dealt = rows.look(|resampler, _| resampler.folds(folds, 7)).unwrap();
        let groups = rows.groups.as_ref().unwrap();
        let squares = |sizes: Vec<f64>| sizes.into_iter().map(|size| size * size).sum::<f64>();
        let (mut found, mut expected) = (0.0, 0.0);
        for class in 0..=4 {
            let of_folds = sizes(&|row| dealt.of_rows()[row], class);
            let total: f64 = of_folds.iter().sum();
            if total > 0.0 {
                found += squares(of_folds) / total;
                let of_groups = squares(sizes(&|row| groups[row], class)) / total;
                expected += of_groups + (total - of_groups) / f64::from(folds);
            }
        }
        prop_assert!(found <= expected + 1e-9, "{found} {expected}");
    }

    /// In one stratum the largest fold had been the smallest before it got its last group.
    #[test]
    fn folds_of_groups_differ_by_at_most_a_group(rows in grouped_rows(), folds in 2..8u32) {
        let rows = Rows { targets: None, classes: vec![0; rows.n()], ..rows };
        prop_assume!(rows.n_groups() >= folds as usize);
        let sizes = rows.rows_by_fold(folds, |_| true);
        let groups = rows.groups.as_ref().unwrap();
        let size = |group| groups.iter().filter(|&&other| other == group).count() as u64;
        let largest = groups.iter().map(|&group| size(group)).max().unwrap();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= largest);
    }

    /// The wanted number of units, but for rounding up in every stratum.
    #[test]
    fn a_sample_has_its_share_of_every_class(rows in rows(), wanted in 1..40u64) {
        let rows = Rows { targets: None, ..rows };
        rows.look(|resampler, all| {
            let wanted = wanted.min(all.n_units());
            let taken = resampler.sample(all, wanted, SHUFFLE);
            prop_assert!((wanted..wanted + 4).contains(&taken.n_units()));
            for class in 0..4 {
                let of_class = |subset: &RowSubset| {
                    let rows = subset.rows.iter().filter(|&&row| rows.classes[row as usize] == class);
                    rows.map(|&row| subset.units(row)).sum::<u64>() as f64
                };
                let expected = of_class(all) / all.n_units() as f64 * wanted as f64;
                let found = of_class(&taken);
                // Dividing and multiplying again may round up where it should not.
                prop_assert!(expected <= found + 1e-9 && found < expected + 1.0 + 1e-9);
            }
            let enough = |&row: &u32| taken.weight(row) > 0.0 && taken.weight(row) <= all.weight(row);
            prop_assert!(taken.rows.is_sorted() && taken.rows.iter().all(enough));
            Ok(())
        })?;
    }

    #[test]
    fn every_class_gives_its_share_to_a_hold_out_set(rows in rows(), share in 0.02..0.98f64) {
        let rows = Rows { targets: None, ..rows };
        let Ok(HoldOut { training, held_out }) = rows.look(|resampler, _| resampler.hold_out(share, 1)) else {
            return Ok(());
        };
        let mut all = [training, held_out.clone()].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..rows.n()).collect::<Vec<_>>());
        prop_assert_eq!(held_out.len(), (share * rows.n() as f64).round() as usize);
        for class in 0..4 {
            let aside = held_out.iter().filter(|&&row| rows.classes[row] == class).count() as f64;
            let of_class = rows.classes.iter().filter(|&&other| other == class).count() as f64;
            let exact = of_class * held_out.len() as f64 / rows.n() as f64;
            prop_assert!((aside - exact).abs() <= 1.0, "class {class}: {aside} of {of_class}");
        }
    }

    /// Rows of which only the class is known.
    #[test]
    fn shuffled_rows_are_dealt_evenly(classes in prop::collection::vec(0..3u32, 8..200), count in 2..8u32) {
        let folds = |seed| Resampler::of_classes(&classes).folds(count, seed).unwrap();
        let sizes = |class: Option<u32>| {
            let mut sizes = vec![0; count as usize];
            let rows = folds(1).of_rows().to_vec().into_iter().zip(&classes);
            rows.filter(|(_, of_row)| class.is_none_or(|class| class == **of_row))
                .for_each(|(fold, _)| sizes[fold as usize] += 1);
            sizes
        };
        prop_assert!([None, Some(0), Some(1), Some(2)].into_iter().all(|class| are_even(&sizes(class))));
        prop_assert_eq!(folds(1), folds(1));
    }
}

#[test]
fn rows_stand_by_values_then_by_class_then_by_weight() {
    let mut rows = Rows::alike([7.0, 3.0, 7.0, 7.0, 3.0], 1.0);
    rows.classes = vec![1, 0, 0, 1, 0];
    rows.weights = vec![2.0, 1.0, 1.0, 0.5, 1.0];
    rows.look(|resampler, _| {
        let hashes = resampler.hashes().unwrap();
        let first = if hashes[1] < hashes[0] { [1, 4, 2, 3, 0] } else { [2, 3, 0, 1, 4] };
        assert_eq!(resampler.in_order(&[0, 1, 2, 3, 4]), first);
        let places = first.map(|row| resampler.numbers()[row as usize]);
        assert_eq!(places, [0, 1, 2, 3, 4]);
    });
}

#[test]
fn shuffles_of_other_seeds_and_numbers_are_others() {
    let rows = Rows::alike((0..60).map(f64::from), 1.0);
    let folds = |seed, number| {
        rows.look(|resampler, all| {
            resampler.unit_folds(all, 5, Shuffle { seed, number }).unwrap().first_folds
        })
    };
    assert_eq!(folds(1, 0), folds(1, 0));
    assert_ne!(folds(1, 0), folds(1, 1));
    assert_ne!(folds(1, 0), folds(2, 0));
    rows.look(|resampler, all| {
        assert_ne!(resampler.folds(5, 1).unwrap(), resampler.folds(5, 2).unwrap());
        let aside = |seed| resampler.hold_out_at_random(0.25, seed).unwrap();
        assert_eq!(aside(1), aside(1));
        assert_ne!(aside(1), aside(2));
        assert_eq!(aside(3).held_out.len(), 15);
        let bag = |seed, tree| resampler.bags(&all.rows, |n| n, seed).draw(tree);
        assert_eq!(bag(1, 0), bag(1, 0));
        assert_ne!(bag(1, 0), bag(2, 0));
        assert_ne!(bag(1, 0), bag(1, 1));
    });
    let classes = Resampler::of_classes(&rows.classes);
    assert_ne!(classes.folds(5, 1).unwrap(), classes.folds(5, 2).unwrap());
}

#[test]
fn a_fractional_weight_is_one_unit() {
    let rows = Rows::alike((0..4).map(f64::from), 2.5);
    assert_eq!(rows.look(|_, all| all.n_units()), 4);
    assert_eq!(rows.units_by_fold(5, |_| true), [1, 1, 1, 1]);
}

#[test]
fn a_row_of_large_weight_lies_in_every_fold() {
    let weight = f64::from(1u32 << 31);
    Rows::alike([0.0, 1.0, 2.0], weight).look(|resampler, all| {
        let folds = resampler.unit_folds(all, 5, SHUFFLE).unwrap();
        for fold in 0..5 {
            let FoldRows { training, test } = folds.rows_of(fold);
            assert_eq!((&test.rows, &training.rows), (&vec![0, 1, 2], &vec![0, 1, 2]));
            for row in 0..3 {
                assert!((test.weight(row) - weight / 5.0).abs() < 1.0);
                assert_eq!(training.weight(row), weight - test.weight(row));
            }
        }
    });
}

/// Weights whose sum no integer can hold.
#[test]
fn absurd_weights_are_dealt_too() {
    for weight in [1e19, 1e300, f64::MAX, 4e9] {
        let classes = Rows::alike((0..20).map(f64::from), weight);
        let targets = Rows { targets: Some(classes.values.clone()), ..classes.clone() };
        let groups = Rows { groups: Some((0..20).map(|row| row / 2).collect()), ..targets.clone() };
        assert!(are_even(&classes.units_by_fold(5, |_| true)), "{weight}");
        assert!(are_even(&targets.units_by_fold(5, |_| true)), "{weight}");
        assert_eq!(groups.rows_by_fold(5, |_| true), [4; 5], "{weight}");
    }
}

#[test]
fn what_cannot_be_dealt_is_refused() {
    let three = Rows::alike([1.0, 2.0, 3.0], 1.0);
    let two_groups = Rows { groups: Some(vec![8, 8, 3]), ..three.clone() };
    for (rows, count, most) in [
        (&three, 0, "rows, 3"),
        (&three, 1, "rows, 3"),
        (&three, 4, "rows, 3"),
        (&two_groups, 3, "groups, 2"),
    ] {
        let error = rows.look(|resampler, _| resampler.folds(count, 0)).unwrap_err().to_string();
        assert_eq!(error, format!("folds is {count}; allowed: from 2 to the number of {most}"));
    }
    let error = Resampler::of_classes(&[0, 1]).folds(3, 0).unwrap_err().to_string();
    assert_eq!(error, "folds is 3; allowed: from 2 to the number of rows, 2");
    let refused = |rows: &Rows| {
        let folds = |resampler: &Resampler<'_>, all: &RowSubset| {
            resampler.unit_folds(all, 5, SHUFFLE).map(|folds| folds.count())
        };
        rows.look(folds).unwrap_err().to_string()
    };
    let allowed = "folds is 5; allowed: at least 2, of at least 2";
    assert_eq!(refused(&Rows::alike([1.0], 0.5)), format!("{allowed} rows; there are 1"));
    let one_group = Rows { groups: Some(vec![4, 4, 4]), ..three.clone() };
    assert_eq!(refused(&one_group), format!("{allowed} groups; there are 1"));
    // A row of weight 2 can be held out once and learnt from once.
    assert_eq!(Rows::alike([1.0], 2.0).units_by_fold(5, |_| true), [1, 1]);
    let four = Rows::alike([1.0, 2.0, 3.0, 4.0], 1.0);
    for share in [0.0, 1.0, -0.5, 20.0, f64::NAN, 0.1, 0.9] {
        let error = four.look(|resampler, _| resampler.hold_out(share, 0)).unwrap_err().to_string();
        let start =
            format!("share of rows to hold out is {share}; allowed: a number between 0 and 1");
        assert!(error.starts_with(&start), "{error}");
    }
    assert!(four.look(|resampler, _| resampler.hold_out(0.2, 0)).is_ok(), "one of four");
    three.look(|resampler, _| {
        let error = resampler.clone().with_groups(&[1, 2]).unwrap_err().to_string();
        assert!(error.starts_with("the list of groups has length 2"), "{error}");
        let error = resampler.clone().with_target_values(&[1.0]).unwrap_err().to_string();
        assert!(error.starts_with("the list of targets has length 1"), "{error}");
    });
}

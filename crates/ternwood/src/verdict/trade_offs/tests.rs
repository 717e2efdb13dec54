use super::*;
use crate::stats::exact_interval;

/// 360 rows in three groups of equal probability of "ill": how many, and how many of them are ill.
fn rows() -> CalibrationRows {
    let groups = [(0.0625, 200, 2), (0.25, 100, 20), (0.875, 60, 54)];
    let mut distributions = Vec::new();
    let mut truth = Vec::new();
    for (p, n, ill) in groups {
        distributions.extend(std::iter::repeat_n([1.0 - p, p], n).flatten());
        truth.extend((0..n).map(|row| u32::from(row < ill)));
    }
    let names = ["healthy", "ill"].map(ClassName::from);
    CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut).unwrap()
}

fn at_work(table: &TradeOffs, aim: Aim) -> &AtWork {
    let line = table.lines.iter().find(|line| line.aim == aim).unwrap();
    line.outcome.as_ref().unwrap()
}

#[test]
fn a_line_counts_what_its_verdict_does() {
    let table = rows().trade_offs(0.9, None).unwrap();
    // From 0.8 on: the 200 and the 60 are decided, 2 of them ill but called healthy, 6 the opposite.
    let AtWork { flagged, wrong, missed, precise, cost, cost_interval, .. } =
        at_work(&table, Aim::CostRatio(0.2));
    let parts = |share: &Share| (share.part, share.whole);
    assert_eq!((parts(flagged), parts(wrong)), ((100, 360), (8, 260)));
    assert_eq!(missed.iter().map(parts).collect::<Vec<_>>(), [(6, 284), (2, 76)]);
    assert_eq!(precise.iter().map(parts).collect::<Vec<_>>(), [(198, 200), (54, 60)]);
    assert_eq!(missed[1].interval, exact_interval(2, 76, 0.9));
    assert!((cost - (100.0 * 0.2 + 8.0) / 360.0).abs() < 1e-12, "{cost}");
    // Flags and wrong answers each at 95 %: both hold with 90 %.
    let [flags, errors] = [100, 8].map(|part| exact_interval(part, 360, 0.95).unwrap());
    for end in [0, 1] {
        assert!((cost_interval[end] - (0.2 * flags[end] + errors[end])).abs() < 1e-12);
    }
}

#[test]
fn every_promise_has_the_policy_it_would_get_alone() {
    let (rows, confidence) = (rows(), 0.9);
    let table = rows.trade_offs(confidence, None).unwrap();
    let found = &at_work(&table, Aim::Accuracy(0.85)).policy;
    let rule = VerdictRule::Guarantee { accuracy: 0.85, confidence };
    assert_eq!(*found, rows.policy(rule).unwrap().into());
    let found = &at_work(&table, Aim::MissRate { class: 1, share: 0.1 }).policy;
    let miss_rate = vec![None, Some(0.1)];
    let rule = VerdictRule::Promises(Promises { precision: vec![], miss_rate, confidence });
    assert_eq!(*found, rows.policy(rule).unwrap().into());
}

#[test]
fn the_best_that_rows_carry_is_a_line_before_the_first_they_do_not() {
    let (rows, confidence) = (rows(), 0.9);
    let table = rows.trade_offs(confidence, None).unwrap();
    for section in
        table.lines.chunk_by(|a, b| a.aim.name() == b.aim.name() && a.aim.class() == b.aim.class())
    {
        let carried = section.iter().take_while(|line| line.outcome.is_ok()).count();
        let (easy, hard) = section.split_at(carried);
        assert!(hard.iter().all(|line| line.outcome.is_err()), "{section:?}");
        let best: Vec<&TradeOff> = section.iter().filter(|line| line.is_best).collect();
        assert_eq!(best.len(), usize::from(!hard.is_empty()), "{section:?}");
        let Some(best) = best.first() else { continue };
        assert_eq!(Some(*best), easy.last());
        // A thousandth more is refused.
        let share = best.aim.share().unwrap();
        let harder = if best.aim.name() == "miss_rate" { share - 0.001 } else { share + 0.001 };
        let costs = CostMatrix::of_ratio(2, 0.2).unwrap();
        assert!(best.aim.with_share(harder).policy(&rows, confidence, &costs).is_err());
    }
    assert!(table.lines.iter().any(|line| line.is_best));
}

#[test]
fn budgets_are_aimed_at_every_class() {
    let table = rows().trade_offs(0.9, None).unwrap();
    let counts = |aim: Aim| {
        let found = at_work(&table, aim);
        (found.flagged.part, found.missed[0].part, found.missed[1].part)
    };
    let catch = |class, flag_rate| counts(Aim::Catch { class, flag_rate });
    // 108 rows may be flagged: the 100 at 0.25, of which 20 are ill.
    assert_eq!(catch(1, 0.3), (100, 6, 2));
    assert_eq!(counts(Aim::FlagRate(0.3)), (100, 6, 2));
    // 72 rows: too few for those 100, but enough for the 60 that are called ill, 6 wrongly.
    assert_eq!(catch(0, 0.2), (60, 0, 22));
    assert_eq!(catch(1, 0.2), (0, 6, 22));
    let text = table.to_string();
    assert!(text.contains("\nshare of rows flagged to catch ill, at most\n"), "{text}");
    assert!(text.contains("  ill up to 0.1563  "), "{text}");
    let covered = (0..360).map(|row| row >= 20).collect();
    let table = rows().covering(covered).unwrap().trade_offs(0.9, None).unwrap();
    let refusal = table.lines.iter().find(|line| line.aim == Aim::FlagRate(0.05)).unwrap();
    assert!(refusal.outcome.is_err() && !refusal.is_best);
    let text = table.to_string();
    assert!(text.contains("refused: 20 of 360 rows are uncovered, and flagged whatever"), "{text}");
}

#[test]
fn given_costs_price_all_lines_and_add_their_own() {
    // Calling an ill one healthy costs 10, a flag 1.
    let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![10.0, 0.0]], vec![1.0; 2]).unwrap();
    let table = rows().trade_offs(0.9, Some(&costs)).unwrap();
    // At 0.0625 "healthy" costs 0.625; at 0.25 it costs 2.5 and "ill" 0.75; at 0.875 "ill" 0.125.
    let least = at_work(&table, Aim::GivenCosts);
    assert_eq!((least.flagged.part, least.wrong.part), (0, 2 + 80 + 6));
    assert!((least.cost - (20.0 + 80.0 + 6.0) / 360.0).abs() < 1e-12);
    assert_eq!(least.cost_of_flags, 1.0);
    assert_eq!(rows().at_work(least.policy.clone(), &costs, 0.9).unwrap(), *least);
    // The most that accuracy can do: the 200 and the 60.
    let strict = at_work(&table, Aim::Accuracy(0.9));
    assert!((strict.cost - (20.0 + 6.0 + 100.0) / 360.0).abs() < 1e-12);
    // As it is where a cost ratio flags: all lines can be compared.
    let ratio = at_work(&table, Aim::CostRatio(0.2));
    assert!((ratio.cost - (20.0 + 6.0 + 100.0) / 360.0).abs() < 1e-12);
    let other = CostMatrix::of_ratio(3, 0.2).unwrap();
    assert!(rows().trade_offs(0.9, Some(&other)).is_err());
    assert!(rows().trade_offs(1.0, None).is_err());
}

#[test]
fn it_prints_as_a_table() {
    let text = rows().trade_offs(0.9, None).unwrap().to_string();
    let first = "360 rows (held-out); each promise by itself, with 90 % confidence; in brackets \
                 intervals of 90 %; a flag costs 0.2 of a wrong answer; missed: of all rows of a \
                 class, those decided as another";
    assert_eq!(text.lines().next(), Some(first));
    let line = |start: &str| {
        let found = text.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line '{start}' in\n{text}")).to_owned()
    };
    // The first line that starts so: of accuracies, of precisions, of miss rates.
    let shares = "44.4 % (40.0 to 48.9)    1.0 % (0.2 to 3.1)";
    assert!(line("  0.968, the best").contains(shares), "{text}");
    assert!(line("  0.5  ").contains("healthy 0.625: 278 of 300 right"), "{text}");
    assert!(line("  0.2  ").contains("always "), "{text}");
    let refused = "refused: 360 calibration rows, at least 598 are needed";
    assert!(line("  0.995  ").ends_with(refused), "{text}");
}

//! A report on verdicts as HTML.

use crate::palette;
use crate::report::{INTERVAL_CONFIDENCE, Kept, Share, Shares, VerdictReport};
use crate::svg::escaped;
use ternwood::VerdictPolicy;
use ternwood::dataset::one_line;
use ternwood::metrics::ClassTally;
use ternwood::model::UncoveredValues;
use ternwood::verdict::{CalibrationSource, Uncovered, VerdictRule};
use ternwood::words::percent_or_dash as percent;

pub(super) fn document(report: &VerdictReport<'_>) -> String {
    let title = escaped(report.title);
    let parts = [
        lead(report),
        promise(report),
        by_class(report),
        uncovered(report),
        costs(report),
        notes(report),
        facts("The data", &report.data),
        facts("The model", &report.model),
        signature(&title),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><p class=\"kind\">Report on verdicts</p>\n<h1>{title}</h1></header>\n\
         {}</body>\n</html>\n",
        parts.concat()
    )
}

/// It may stand on a page of its own, so it says what is signed.
fn signature(title: &str) -> String {
    format!(
        "<section class=\"keep\">\n<h2>Read and approved</h2>\n\
         <p class=\"note\">Report on verdicts: {title}</p>\n\
         <div class=\"sign\"><div>Name</div><div>Date</div><div>Signature</div></div>\n</section>\n"
    )
}

/// How many rows get a second look, and how many of the others are right.
fn lead(report: &VerdictReport<'_>) -> String {
    let all = Shares::from(&report.total());
    let item = |share: Share, what: &str| {
        let counted = format!("{} of {} {what}", share.part, share.whole);
        format!(
            "<li><b>{}</b>{}<span>{}</span></li>\n",
            percent(share.value()),
            escaped(&counted),
            interval_in_words(share)
        )
    };
    let wrong = Share { part: all.missed.part, whole: all.missed.whole };
    format!(
        "<ul class=\"lead\">\n{}{}{}</ul>\n",
        item(all.flagged, "rows get a second look"),
        item(all.recall, "decided rows are right"),
        item(wrong, "rows are decided wrongly"),
    )
}

/// The rule of the verdict, what it promises, and on which rows that rests.
fn promise(report: &VerdictReport<'_>) -> String {
    let words = report.policy.described(report.classes);
    let mut lines = words.lines().map(str::trim);
    let first = escaped(&as_sentence(lines.next().unwrap_or_default()));
    let items: String = lines.map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
    let items = match items.is_empty() {
        true => String::new(),
        false => format!("<ul class=\"promise\">\n{items}</ul>\n"),
    };
    let kept = report.promises();
    let table = if kept.is_empty() { String::new() } else { promised_table(report, &kept) };
    let heading = if report.confidence().is_some() { "The promise" } else { "The verdict" };
    format!(
        "<section>\n<h2>{heading}</h2>\n<p>{first}</p>\n{items}{table}<p class=\"note\">{}</p>\n</section>\n",
        escaped(&basis(report))
    )
}

/// On which rows the verdict rests.
fn basis(report: &VerdictReport<'_>) -> String {
    let by_cost = match report.policy {
        VerdictPolicy::Zones { .. } | VerdictPolicy::Catch(_) => false,
        VerdictPolicy::Costs(_) => true,
        VerdictPolicy::Confidence(policy) => matches!(policy.rule(), VerdictRule::Cost { .. }),
    };
    let achieved = match report.policy.achieved() {
        Some(achieved) if !by_cost => achieved,
        _ => {
            let from = match report.policy {
                VerdictPolicy::Zones { .. } => "the zones of the tree",
                _ => "the probabilities and the costs",
            };
            return format!("It follows from {from} alone; nothing is promised.");
        }
    };
    let rows = achieved.total().rows;
    let source = match achieved.source() {
        CalibrationSource::HeldOut => format!("{rows} rows given as held out from training"),
        CalibrationSource::HeldOutUntested => format!(
            "{rows} rows given as held out from training, not compared with the training rows"
        ),
        CalibrationSource::CrossFitted => format!(
            "{rows} rows of training, each answered by a model fitted without it, which makes it \
             approximate"
        ),
        CalibrationSource::OutOfBag => format!(
            "{rows} rows of training, out of bag: each answered by the trees that have not seen \
             it, which makes it approximate"
        ),
    };
    let rests = match report.confidence() {
        Some(confidence) => format!(
            "The promise rests on {source}. With {} confidence: if that were repeated with new rows, at \
             most {} of all repetitions would promise something untrue. Assumed: the rows are \
             independent, one for each case, and like those to come; the model and the promise were \
             chosen before these rows were looked at.",
            share_in_words(confidence),
            share_in_words(1.0 - confidence)
        ),
        None => format!("It was set on {source}; nothing is promised beyond them."),
    };
    let figures = match report.set_on_these_rows {
        true => "The figures of this report are of these same rows.",
        false => "The figures of this report are of the rows under \u{201c}The data\u{201d}.",
    };
    format!("{rests} {figures}")
}

fn promised_table(report: &VerdictReport<'_>, kept: &[Kept]) -> String {
    let here = !report.set_on_these_rows;
    let header = if here { "<th>on these rows</th><th class=\"word\"></th>" } else { "" };
    let asked = if report.confidence().is_some() { "promised" } else { "asked for" };
    let row = |kept: &Kept| {
        let bound = if kept.at_least { "at least" } else { "at most" };
        let promised = format!("{bound} {}", share_in_words(kept.promised));
        let set = kept.calibration.map_or_else(String::new, cell_text);
        let found = match (here, kept.standing()) {
            (false, _) => String::new(),
            (true, standing) => {
                let class = if standing == "broken" { "word broken" } else { "word" };
                format!("<td>{}</td><td class=\"{class}\">{standing}</td>", cell_text(kept.here))
            }
        };
        format!(
            "<tr><td>{}</td><td>{promised}</td><td>{set}</td>{found}</tr>\n",
            escaped(&kept.what)
        )
    };
    let rows: String = kept.iter().map(row).collect();
    format!(
        "<table>\n<thead><tr><th></th><th>{asked}</th><th>where it was set</th>{header}</tr></thead>\n{rows}</table>\n"
    )
}

/// The verdicts class by class.
fn by_class(report: &VerdictReport<'_>) -> String {
    let names = report.names();
    let row = |class: &str, name: &str, tally: &ClassTally| {
        let shares = Shares::from(tally);
        let cells = [shares.flagged, shares.recall, shares.precision, shares.missed].map(cell);
        let name = escaped(name);
        format!("<tr{class}><td>{name}</td><td>{}</td>{}</tr>\n", tally.rows, cells.concat())
    };
    let classes = names.iter().zip(&report.tallies).map(|(name, tally)| row("", name, tally));
    let all = row(" class=\"all\"", "all rows", &report.total());
    let confidence = share_in_words(INTERVAL_CONFIDENCE);
    format!(
        "<section>\n<h2>Class by class</h2>\n{}<table>\n<thead><tr><th>class</th><th>rows</th>\
         <th>second look</th><th>decided recall</th><th>decided precision</th><th>misses</th></tr></thead>\n\
         {}{all}</table>\n\
         <p class=\"legend\">Decided recall: of the decided rows of a class, those decided rightly. Decided \
         precision: of the rows decided as a class, those that are of it. Misses: of all rows of a class, those \
         decided as another. Below each share is its exact (Clopper-Pearson) interval with {confidence} \
         confidence.</p>\n</section>\n",
        bars(&names, &report.tallies),
        classes.collect::<String>(),
    )
}

/// One bar per class: decided rightly, decided as another, flagged.
fn bars(names: &[String], tallies: &[ClassTally]) -> String {
    let [wide, indent, line] = [760.0, 150.0, 22.0];
    let colours = [palette::series(0), palette::series(6), palette::FLOW];
    let words = ["decided rightly", "decided as another class", "second look"];
    let mut body = String::new();
    let mut x = indent;
    for (colour, word) in colours.iter().zip(words) {
        body += &format!(
            "<rect x=\"{x}\" y=\"4\" width=\"11\" height=\"11\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"14\" font-size=\"12\" fill=\"{}\">{word}</text>\n",
            x + 16.0,
            palette::GREY
        );
        x += 190.0;
    }
    for (at, (name, tally)) in names.iter().zip(tallies).enumerate() {
        let top = 26.0 + line * at as f64;
        body += &format!(
            "<text x=\"0\" y=\"{}\" font-size=\"12\" fill=\"{}\">{}</text>\n",
            top + 12.0,
            palette::INK,
            escaped(&shortened(name))
        );
        let counts =
            [tally.decided_right, tally.missed(), tally.rows.saturating_sub(tally.decided)];
        let mut left = indent;
        for ((count, colour), word) in counts.into_iter().zip(colours).zip(words) {
            let width = (wide - indent) * count as f64 / tally.rows.max(1) as f64;
            body += &format!(
                "<rect x=\"{left:.2}\" y=\"{top}\" width=\"{width:.2}\" height=\"15\" fill=\"{colour}\">\
                 <title>{}: {count} of {} {word}</title></rect>\n",
                escaped(name),
                tally.rows
            );
            left += width;
        }
    }
    let height = 30.0 + line * names.len() as f64;
    format!(
        "<svg class=\"bars\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {height}\" role=\"img\" \
         aria-label=\"Verdicts by class\" font-family=\"Helvetica Neue, Helvetica, Arial, Liberation Sans, \
         sans-serif\">\n{body}</svg>\n"
    )
}

/// How many rows the policy does not cover, and why.
fn uncovered(report: &VerdictReport<'_>) -> String {
    let Some(found) = &report.uncovered else {
        return section_of_uncovered(
            "Not known: the classifier does not know its training table.",
            "",
        );
    };
    let share = Share { part: found.part as u64, whole: found.whole as u64 };
    let counted = format!("{} of {} rows", share.part, share.whole);
    let mut words = match report.policy.uncovered() {
        Uncovered::Undecided => format!("{counted} are undecided because they are uncovered"),
        Uncovered::Judge => {
            format!("{counted} are uncovered; the verdict judges them like all other rows")
        }
    };
    words += &match interval_in_words(share) {
        interval if interval.is_empty() => ".".to_owned(),
        interval => format!(" ({interval})."),
    };
    let held_out = report.policy.achieved().filter(|it| !it.source().is_approximate());
    if let (Some(achieved), false) = (held_out, report.set_on_these_rows) {
        let of = if achieved.uncovered() == 1 { "was" } else { "were" };
        words += &format!(
            " Of the {} rows that set the verdict, {} {of} uncovered.",
            achieved.total().rows,
            achieved.uncovered()
        );
    }
    let row = |values: &UncoveredValues| {
        let (feature, reason) = (one_line(&values.feature), values.reason.in_words());
        format!(
            "<tr><td>{}</td><td>{reason}</td><td>{}</td></tr>\n",
            escaped(&feature),
            values.rows
        )
    };
    let rows: String = found.values.iter().map(row).collect();
    let table = match rows.is_empty() {
        true => String::new(),
        false => format!(
            "<table>\n<thead><tr><th>feature</th><th>reason</th><th>rows</th></tr></thead>\n{rows}</table>\n"
        ),
    };
    section_of_uncovered(&words, &table)
}

fn section_of_uncovered(words: &str, table: &str) -> String {
    format!(
        "<section>\n<h2>Uncovered rows</h2>\n<p>{}</p>\n{table}<p class=\"legend\">A row is uncovered if the \
         training table says nothing about one of its values: there is no value, and the training table had \
         no gaps in that feature; the category is new; or the value cannot be read.</p>\n</section>\n",
        escaped(words)
    )
}

/// With a capital letter at its start, and a full stop unless a list follows.
fn as_sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let end = if words.ends_with(':') { "" } else { "." };
    first.chain(letters).chain(end.chars()).collect()
}

/// At most as long as fits before a bar.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 22;
    match name.chars().count() > LONGEST {
        true => format!("{}…", name.chars().take(LONGEST - 1).collect::<String>().trim_end()),
        false => name.to_owned(),
    }
}

/// What flags and answers cost.
fn costs(report: &VerdictReport<'_>) -> String {
    let Some((sums, unit)) = report.cost_sums() else { return String::new() };
    let rows = report.rows.len();
    let line = |what: &str, cost: f64| {
        let per_row = cost / rows.max(1) as f64;
        let per_row = match per_row.abs() < 10.0 {
            true => format!("{per_row:.4}"),
            false => number(per_row),
        };
        format!("<tr><td>{what}</td><td>{}</td><td>{per_row}</td></tr>\n", number(cost))
    };
    format!(
        "<section class=\"keep\">\n<h2>What it costs</h2>\n<table>\n<thead><tr><th></th><th>all rows</th><th>per row</th></tr></thead>\n\
         {}{}{}{}{}</table>\n<p class=\"legend\">{}</p>\n</section>\n",
        line("second looks", sums.flags),
        line("decided answers", sums.answers),
        line("<b>together</b>", sums.flags + sums.answers),
        line("if every row were answered without a second look", sums.all_answered),
        line("if every row got a second look", sums.all_flagged),
        escaped(&unit),
    )
}

fn notes(report: &VerdictReport<'_>) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let items: String =
        report.notes.iter().map(|note| format!("<li>{}</li>\n", escaped(note))).collect();
    format!(
        "<section>\n<h2>What speaks against it</h2>\n<ul class=\"promise\">\n{items}</ul>\n</section>\n"
    )
}

fn facts(heading: &str, facts: &[(String, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let fact = |(name, text): &(String, String)| {
        format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(text))
    };
    let facts: String = facts.iter().map(fact).collect();
    format!("<section>\n<h2>{heading}</h2>\n<dl>\n{facts}</dl>\n</section>\n")
}

fn cell(share: Share) -> String {
    format!("<td>{}</td>", cell_text(share))
}

/// "93.2 %", its interval, and the counts.
fn cell_text(share: Share) -> String {
    let counts = format!("{} of {}", share.part, share.whole);
    match share.interval() {
        None => format!("-<small>{counts}</small>"),
        Some([low, high]) => {
            let [low, high] = [low, high].map(|end| format!("{:.1}", 100.0 * end));
            let value = percent(share.value());
            format!("{value}<small>{low} to {high}</small><small>{counts}</small>")
        }
    }
}

fn interval_in_words(share: Share) -> String {
    share.interval().map_or_else(String::new, |[low, high]| {
        let confidence = share_in_words(INTERVAL_CONFIDENCE);
        let [low, high] = [low, high].map(|end| format!("{:.1}", 100.0 * end));
        format!("{low} to {high} % with {confidence} confidence")
    })
}

/// 0.95 as "95 %", with the decimals it needs.
fn share_in_words(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A cost, with two decimals unless it is large.
fn number(cost: f64) -> String {
    match cost.abs() {
        size if size >= 1e9 => format!("{cost:.3e}"),
        size if size >= 1e4 => format!("{cost:.0}"),
        _ => format!("{cost:.2}"),
    }
}

// The style sheet of a report, for the screen and for A4.

const STYLE: &str = "\
:root { --ink: #1d2733; --grey: #667080; --rule: #c3cad4; --grid: #e8ebf0; --right: #2f6fb0;
  --wrong: #c4462f; --flagged: #cfd7e2; }
* { box-sizing: border-box; }
body { max-width: 52rem; margin: 2.5rem auto; padding: 0 1.2rem; color: var(--ink);
  background: #fff; font: 15px/1.5 Helvetica Neue, Helvetica, Arial, 'Liberation Sans', sans-serif; }
header { border-bottom: 2px solid var(--ink); padding-bottom: .8rem; }
.kind { color: var(--grey); font-size: .85rem; letter-spacing: .06em; text-transform: uppercase;
  margin: 0; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .2rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.9rem 0 .5rem; break-after: avoid; }
p { margin: .4rem 0; }
.note, .legend { color: var(--grey); font-size: .85rem; }
.lead { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0 0; padding: 0; list-style: none; }
.lead li { flex: 1 1 13rem; border: 1px solid var(--rule); border-radius: 4px; padding: .7rem .9rem; }
.lead b { display: block; font-size: 1.6rem; line-height: 1.2; }
.lead span { display: block; color: var(--grey); font-size: .85rem; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
th, td { padding: .32rem .55rem; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
th { color: var(--grey); font-weight: 600; border-bottom-color: var(--rule); vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere;
  min-width: 6rem; }
td { white-space: nowrap; }
td:first-child, td.word { white-space: normal; }
td small { display: block; color: var(--grey); }
tr { break-inside: avoid; }
tr.all td { border-top: 1px solid var(--ink); font-weight: 600; }
tr.all small { font-weight: 400; }
.word { text-align: left; }
.broken { color: var(--wrong); font-weight: 600; }
ul.promise { margin: .4rem 0; padding-left: 1.2rem; }
.bars { width: 100%; height: auto; margin: .6rem 0 .2rem; }
dl { display: grid; grid-template-columns: fit-content(14rem) 1fr; gap: .15rem 1.2rem;
  margin: .3rem 0; font-size: .87rem; }
dt { color: var(--grey); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
.sign { display: grid; grid-template-columns: 2fr 1fr 2fr; gap: 1.5rem; margin-top: 3.2rem;
  break-inside: avoid; }
.sign div { border-top: 1px solid var(--ink); padding-top: .25rem; color: var(--grey);
  font-size: .85rem; }
@page { size: A4; margin: 16mm 15mm; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  h2 { margin-top: 1.3rem; }
  .keep { break-inside: avoid; }
}
";

//! The style sheet of a report, for the screen and for A4.

pub(super) const STYLE: &str = "\
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

// Which rows the verdict covers, and why it does not cover the others: as in model/coverage.rs.

/** Why a value is not covered: "gap", "category" or "unread"; null if it is. */
function uncoveredBecause({ kind, names, gaps, absent, open }, x) {
  if (Number.isNaN(x)) return gaps ? null : "gap";
  if (kind === "number") return x === UNREAD ? "unread" : null;
  return !open && (names[x] === undefined || absent.includes(x)) ? "category" : null;
}

/** The features in which the row is not covered, and why; none if the policy judges such rows too. */
function uncoveredIn(model, row) {
  if (model.uncovered === "judge") return [];
  const all = model.features.map((feature, index) => ({ feature, index, why: feature.tested ? uncoveredBecause(feature, row[index]) : null }));
  return all.filter(({ why }) => why !== null);
}

/** "the training table had no gaps in income or age"; null if the row is covered. */
function notCovered(model, row, unseen) {
  const uncovered = uncoveredIn(model, row);
  if (uncovered.length === 0) return null;
  const of = (why) => uncovered.filter((it) => it.why === why);
  const value = ({ feature, index }) => {
    const text = unseen.get(index) ?? (feature.kind === "number" ? undefined : feature.names[row[index]]);
    return text === undefined ? "" : ` '${clipped(oneLine(text))}'`;
  };
  const gaps = of("gap").map(({ feature }) => feature.words);
  const categories = of("category").map((it) => (value(it) === "" ? `such value of ${it.feature.words}` : it.feature.words + value(it)));
  const unread = of("unread").map((it) => it.feature.words + value(it));
  const lacked = [];
  if (gaps.length > 0) lacked.push(`no gaps in ${shortened(gaps, "or")}`);
  if (categories.length > 0) lacked.push(`no ${shortened(categories, "or")}`);
  const parts = [];
  if (lacked.length > 0) parts.push(`the training table had ${lacked.join(" and ")}`);
  if (unread.length > 0) parts.push(`${shortened(unread, "and")} cannot be read`);
  return parts.join("; ");
}

const NAMED_UNCOVERED = 3;

/** "income, age or 4 more features". */
function shortened(names, and) {
  if (names.length === 1) return names[0];
  if (names.length <= NAMED_UNCOVERED) return `${names.slice(0, -1).join(", ")} ${and} ${names.at(-1)}`;
  const more = names.length - NAMED_UNCOVERED;
  return `${names.slice(0, NAMED_UNCOVERED).join(", ")} ${and} ${more} more ${more === 1 ? "feature" : "features"}`;
}

// What would make a row decided: the nearest other value of one feature.

/** The places where a test of a feature changes its mind. */
function breakpoints(model, feature) {
  const cuts = new Set();
  for (const { test } of model.nodes) {
    if (test?.feature !== feature || test.cut !== "threshold") continue;
    cuts.add(test.threshold - test.halfWidth).add(test.threshold).add(test.threshold + test.halfWidth);
  }
  return [...cuts].filter(Number.isFinite).sort((a, b) => a - b);
}

/** The answer with another value of one feature. */
function answerWith({ model, policy, row }, feature, value) {
  return answerOf(model, row.with(feature, value), policy);
}

const BETWEEN = 6;

/** Values to try in one direction: beyond every breakpoint, and some between two of them. */
function trials(cuts, from, up) {
  const further = cuts.filter((cut) => (up ? cut > from : cut < from));
  if (!up) further.reverse();
  const values = [];
  let last = from;
  for (const cut of further) {
    for (let i = 1; i < BETWEEN; i++) values.push(last + ((cut - last) * i) / BETWEEN);
    // The upper edge is within the zone.
    values.push(up ? cut + Math.max(Math.abs(cut), 1) * 1e-9 : cut);
    last = cut;
  }
  return values;
}

/** The value nearest to the row's from which on it is decided, in one direction. */
function nearestDecided(context, feature, up) {
  const x = context.row[feature];
  let undecided = x;
  for (const value of trials(breakpoints(context.model, feature), x, up)) {
    if (!answerWith(context, feature, value).decided) {
      undecided = value;
      continue;
    }
    let [near, far] = [undecided, value];
    for (let i = 0; i < 40; i++) {
      const middle = near + (far - near) / 2;
      if (answerWith(context, feature, middle).decided) far = middle;
      else near = middle;
    }
    return readable(context, feature, far, up);
  }
  return null;
}

/** The shortest number at least as far out that is decided as well. */
function readable(context, feature, value, up) {
  for (let decimals = 0; decimals < 12; decimals++) {
    const power = 10 ** decimals;
    const rounded = Number(((up ? Math.ceil(value * power) : Math.floor(value * power)) / power).toFixed(decimals));
    const isNear = Math.abs(rounded - value) <= 0.02 * Math.abs(value - context.row[feature]) || decimals > 2;
    const answer = answerWith(context, feature, rounded);
    if (isNear && answer.decided) return { feature, value: rounded, up, answer };
  }
  return { feature, value, up, answer: answerWith(context, feature, value) };
}

/** Everything that would decide an undecided row by a change of one feature, in words. */
function whatWouldDecide(context) {
  const { model, row } = context;
  const ways = [];
  for (const [feature, { kind, words, names, tested }] of model.features.entries()) {
    if (!tested) continue;
    if (kind !== "number") {
      const deciding = names.map((_, id) => id).filter((id) => id !== row[feature] && answerWith(context, feature, id).decided);
      if (deciding.length > 0) {
        ways.push({ text: `${words} ${listedCategories(model.features[feature], deciding)}`, feature, value: deciding[0] });
      }
      continue;
    }
    if (typeof row[feature] !== "number" || Number.isNaN(row[feature])) continue;
    for (const up of [false, true]) {
      const found = nearestDecided(context, feature, up);
      if (found === null) continue;
      const number = inNotation(model.features[feature], String(found.value));
      const name = model.classes[found.answer.class].words;
      ways.push({ text: `${words} ${up ? "from" : "up to"} ${number}`, then: name, feature, value: found.value });
    }
  }
  return ways;
}

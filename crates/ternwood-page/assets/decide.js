// Other values of one feature that would decide an undecided row: as in predict/response_curve.rs,
// verdict/policy.rs and model/deciding. The same arithmetic in the same order, so that the same values are found.

/** Margins smaller than this are a matter of rounding. */
const SLACK = 1e-12;
const MOST_INTERVALS = 20_000;

/** Follows a row as long as the feature does not matter and nothing divides it. */
function settled(model, row, feature, { node, crisp, unsure, part }) {
  for (;;) {
    const { test, children } = model.nodes[node];
    const at = (child, more) => ({ node: child, crisp, unsure, part, ...more });
    if (test === undefined) return { at: at(node), kind: "leaf", children: [] };
    if (test.feature === feature) {
      if (test.cut !== "threshold") {
        node = children[0];
        continue;
      }
      const { threshold, halfWidth } = test;
      const [left, right] = [at(children[0]), at(children.at(-1))];
      if (crisp) return { at: at(node), kind: "steps", edges: [threshold, threshold], children: [left, left, right] };
      if (children.length === 3) {
        const middle = at(children[1], { unsure: true });
        return { at: at(node), kind: "steps", edges: [threshold - halfWidth, threshold + halfWidth], children: [left, middle, right] };
      }
      const inner = model.routing === "deferred" ? [left, right].map((stop) => ({ ...stop, crisp: true })) : [left, right];
      const continuous = model.routing !== "deferred" && model.leastShare === 0;
      return { at: at(node), kind: "blend", test, continuous, children: [left, right, ...inner] };
    }
    const x = row[test.feature];
    if (crisp) {
      unsure ||= placeAt(test, x) === "unknown";
      node = goesLeft(test, x) ? children[0] : children.at(-1);
      continue;
    }
    const side = sideOf(test, x);
    unsure ||= side === "within";
    if (side !== "within" || children.length === 3) {
      node = side === "below" ? children[0] : side === "above" ? children.at(-1) : children[1];
      continue;
    }
    const [share, isLeft] = [leftShare(test, x), goesLeft(test, x)];
    const parts = divided(model, part, share);
    if (parts === null) {
      node = isLeft ? children[0] : children[1];
      continue;
    }
    // A smaller part may be too small to be divided, and all of it goes there.
    parts[isLeft ? 0 : 1] = part;
    const inner = { crisp: model.routing === "deferred", unsure: true };
    const below = children.map((child, i) => at(child, { ...inner, part: parts[i] }));
    return { at: at(node), kind: "divide", leftShare: share, isLeft, children: below };
  }
}

/** The tests of a feature that a row can reach by changing that feature, parents before children. */
function curveOf(model, row, feature) {
  const key = ({ node, crisp }) => 2 * node + Number(crisp);
  const found = new Map();
  const waiting = [settled(model, row, feature, { node: 0, crisp: model.routing === "crisp", unsure: false, part: 1 })];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (found.has(key(node.at))) continue;
    found.set(key(node.at), node);
    node.below = node.children.map((child) => settled(model, row, feature, child));
    waiting.push(...node.below);
  }
  const keys = [...found.keys()].sort((a, b) => a - b);
  const index = new Map(keys.map((it, at) => [it, at]));
  return keys.map((it) => {
    const node = found.get(it);
    return { ...node, unsure: node.at.unsure, leaf: node.at.node, children: node.below.map((below) => index.get(key(below.at))) };
  });
}

/** Where tests change what they do with a value, in ascending order. */
function cutsOf(curve) {
  const cuts = new Set();
  for (const { kind, edges, test } of curve) {
    if (kind === "steps") edges.forEach((edge) => cuts.add(edge));
    if (kind === "blend") [test.threshold - test.halfWidth, test.threshold, test.threshold + test.halfWidth].forEach((cut) => cuts.add(cut));
  }
  return [...cuts].sort((a, b) => a - b);
}

/** Least and largest value and slope of `s left + (1 - s) right` for shares and slopes of shares within bounds. */
function blendedBounds({ share, slope }, left, right) {
  const ends = (at) => share.map((s) => s * left[at] + (1 - s) * right[at]);
  const difference = [left[0] - right[1], left[1] - right[0]];
  const products = [0, 1, 2, 3].map((at) => slope[at >> 1] * difference[at & 1]);
  return [Math.min(...ends(0)), Math.max(...ends(1)), Math.min(...ends(2)) + Math.min(...products), Math.max(...ends(3)) + Math.max(...products)];
}

/** Whether a part within bounds is divided, and into which parts, for the least and the largest left share. */
function splitOf({ leastShare }, part, share) {
  const left = [part[0] * share[0], part[1] * share[1]];
  const right = [part[0] - part[0] * share[1], part[1] - part[1] * share[0]];
  const divides = (end) => left[end] >= leastShare && right[end] >= leastShare;
  const atLeast = ([low, high]) => [Math.max(low, leastShare), high];
  return { may: divides(1), must: divides(0), parts: [atLeast(left), atLeast(right)] };
}

/** What a row may be answered for values from `from` to `to`, both included. */
function boundsOf(model, curve, [from, to]) {
  const bounds = { figures: null, jumps: false, votes: model.classes.map(() => 0), votesVary: false };
  // The least and the largest part of the row, and whether it may have met no unsure test.
  const arrived = curve.map(() => undefined);
  const ways = curve.map(() => undefined);
  const arrive = (child, part, sure) => {
    const there = arrived[child];
    const range = there === undefined ? part : [Math.min(there.part[0], part[0]), Math.max(there.part[1], part[1])];
    arrived[child] = { part: range, sure: sure || (there?.sure ?? false) };
  };
  arrive(0, [1, 1], true);
  curve.forEach((node, index) => {
    if (arrived[index] === undefined) return;
    const { part } = arrived[index];
    const sure = arrived[index].sure && !node.unsure;
    const { children } = node;
    const alone = [];
    let both = null;
    if (node.kind === "leaf") {
      if (sure) bounds.votes[mostProbable(model.nodes[node.leaf].p)] = 1;
    } else if (node.kind === "steps") {
      const [first, second] = node.edges;
      const reached = [from <= first, from <= second && to > first, to > second];
      if (sure && reached.filter(Boolean).length > 1) bounds.votesVary = true;
      reached.forEach((isReached, at) => {
        if (!isReached || (at === 1 && !(first < second))) return;
        alone.push(children[at]);
        arrive(children[at], part, at !== 1 && sure);
      });
    } else if (node.kind === "divide") {
      const share = [node.leftShare, node.leftShare];
      const split = splitOf(model, part, share);
      if (split.may) {
        both = { children, share, slope: [0, 0] };
        children.forEach((child, i) => arrive(child, split.parts[i], false));
      }
      if (!split.must) {
        const child = children[node.isLeft ? 0 : 1];
        alone.push(child);
        arrive(child, part, false);
      }
    } else {
      const { threshold, halfWidth } = node.test;
      const sides = [from, to].map((x) => sideOf(node.test, x));
      if (sure && sides[0] !== sides[1]) bounds.votesVary = true;
      const isWithin = threshold - halfWidth < threshold + halfWidth && sides[0] !== "above" && sides[1] !== "below";
      const share = [leftShare(node.test, to), leftShare(node.test, from)];
      const split = splitOf(model, part, share);
      const bothWithin = sides[0] === "within" && sides[1] === "within";
      const mayDivide = isWithin && split.may;
      if (mayDivide) {
        const steepest = -1 / (2 * halfWidth);
        if (!(Number.isFinite(steepest) && steepest < 0)) bounds.jumps = true;
        both = { children: children.slice(2), share, slope: [steepest, bothWithin ? steepest : 0] };
        both.children.forEach((child, i) => arrive(child, split.parts[i], false));
      }
      const undivided = isWithin && !(split.must && bothWithin) && model.leastShare > 0;
      const clear = [sides[0] === "below", sides[1] === "above"];
      const reached = [clear[0] || (undivided && from <= threshold), clear[1] || (undivided && to > threshold)];
      reached.forEach((isReached, at) => {
        if (!isReached) return;
        arrive(children[at], part, sure && clear[at]);
        if (!(mayDivide && node.continuous)) alone.push(children[at]);
      });
    }
    if (alone.length + Number(both !== null) > 1) bounds.jumps = true;
    ways[index] = { alone, both };
  });
  const figures = curve.map(() => undefined);
  const hull = (a, b) => [Math.min(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.max(a[3], b[3])];
  for (let index = curve.length - 1; index >= 0; index--) {
    if (arrived[index] === undefined) continue;
    if (curve[index].kind === "leaf") {
      figures[index] = model.nodes[curve[index].leaf].p.map((p) => [p, p, 0, 0]);
      continue;
    }
    const { alone, both } = ways[index];
    figures[index] = model.classes.map((_, k) => {
      const parts = alone.map((child) => figures[child][k]);
      if (both !== null) parts.push(blendedBounds(both, figures[both.children[0]][k], figures[both.children[1]][k]));
      return parts.reduce(hull);
    });
  }
  bounds.figures = figures[0];
  return bounds;
}

function times(x, [low, high]) {
  return x >= 0 ? [x * low, x * high] : [x * high, x * low];
}

/** At least the largest value of the sum of `weight(k) p[k]` on an interval. */
function mostOf({ bounds, ends, width }, weight) {
  const sum = (of) => bounds.figures.reduce((sum, figure, k) => sum + of(figure, k), 0);
  const byValues = sum(([low, high], k) => times(weight(k), [low, high])[1]);
  if (bounds.jumps) return byValues;
  const [first, last] = ends.map((p) => p.reduce((sum, pk, k) => sum + weight(k) * pk, 0));
  const [least, steepest] = [0, 1].map((end) => sum((figure, k) => times(weight(k), figure.slice(2))[end]));
  const meet = (last - first - least * width) / (steepest - least);
  const bySlopes = least >= 0 ? last : steepest <= 0 ? first : first + steepest * meet;
  return Number.isFinite(bySlopes) ? Math.min(byValues, bySlopes) : byValues;
}

/** At least the largest margin by which a row is decided anywhere on an interval. */
function largestMargin(policy, along) {
  const classes = along.bounds.figures.map((_, k) => k);
  const lead = (c) => Math.min(...classes.filter((k) => k !== c)
    .map((other) => mostOf(along, (k) => Number(k === c) - Number(k === other))));
  return Math.max(...classes.map((c) => {
    if (policy.kind === "zones") return along.bounds.votes[c] === 0 ? -Infinity : lead(c);
    if (policy.kind === "confidence") {
      const threshold = policy.thresholds[c];
      if (threshold === null) return -Infinity;
      const enough = mostOf(along, (k) => Number(k === c)) - threshold;
      return threshold > 0.5 ? enough : Math.min(enough, lead(c));
    }
    if (policy.kind === "catch") {
      if (c !== policy.caught) return -Infinity;
      return Math.max(lead(c), policy.threshold + mostOf(along, (k) => -Number(k === c)));
    }
    const saved = (k) => policy.costs.flag[k] - policy.costs.answer[k][c];
    const largest = Math.max(...classes.map((k) => Math.abs(saved(k))));
    return largest === 0 ? 0 : mostOf(along, (k) => saved(k) / largest);
  }));
}

/** The answer with another value of one feature. */
function answerWith({ model, policy, row }, feature, value) {
  return answerOf(model, row.with(feature, value), policy);
}

const BITS = new DataView(new ArrayBuffer(8));

/** The next larger number. */
function nextUp(x) {
  if (x === Infinity) return x;
  if (x === 0) return Number.MIN_VALUE;
  BITS.setFloat64(0, x);
  BITS.setBigInt64(0, BITS.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return BITS.getFloat64(0);
}

function middleOf(near, far) {
  const middle = near + 0.5 * (far - near);
  return Number.isFinite(middle) ? middle : 0.5 * near + 0.5 * far;
}

/** The number nearest to one end that decides, or null. Branch and bound, from the near end to the far one. */
function nearestTowards(context, feature, { curve, cuts }, ends) {
  const { model, policy } = context;
  const answer = (value) => answerWith(context, feature, value);
  const waiting = [{ ends, answers: ends.map(answer) }];
  for (let left = MOST_INTERVALS; waiting.length > 0; left--) {
    const { ends: [near, far], answers } = waiting.pop();
    if (answers[0].decided) return near;
    if (left === 0) return null;
    const [from, to] = near < far ? [near, far] : [far, near];
    const bounds = boundsOf(model, curve, [from, to]);
    const inOrder = near < far ? answers : answers.toReversed();
    const margin = largestMargin(policy, { bounds, ends: inOrder.map(({ p }) => p), width: to - from });
    if (margin < -SLACK) continue;
    const varies = bounds.votesVary && policy.kind === "zones";
    const within = cuts.filter((cut) => cut >= from && cut < to);
    const cut = within[within.length >> 1];
    const middle = middleOf(near, far);
    const isSplit = cut !== undefined || (middle !== near && middle !== far);
    if (!isSplit || (cut === undefined && !bounds.jumps && !varies && margin <= SLACK)) {
      if (answers[1].decided) return bisected(answer, near, far);
      continue;
    }
    // A cut belongs to the values below it.
    const [first, second] = cut === undefined ? [middle, middle] : near < far ? [cut, nextUp(cut)] : [nextUp(cut), cut];
    const atFirst = answer(first);
    waiting.push({ ends: [second, far], answers: [first === second ? atFirst : answer(second), answers[1]] });
    waiting.push({ ends: [near, first], answers: [answers[0], atFirst] });
  }
  return null;
}

function bisected(answer, near, far) {
  for (;;) {
    const middle = middleOf(near, far);
    if (middle === near || middle === far) return far;
    if (answer(middle).decided) far = middle;
    else near = middle;
  }
}

/** The nearest numbers that decide, below the row's and above, and where the search started. */
function nearestNumbers(context, feature) {
  const { model, row } = context;
  const curve = curveOf(model, row, feature);
  const cuts = cutsOf(curve);
  const firstTest = curve.find(({ kind }) => kind === "steps" || kind === "blend");
  const first = firstTest === undefined ? 0 : firstTest.kind === "blend" ? firstTest.test.threshold : 0.5 * firstTest.edges[0] + 0.5 * firstTest.edges[1];
  const hasValue = typeof row[feature] === "number" && !Number.isNaN(row[feature]);
  const start = hasValue ? row[feature] : first;
  if (answerWith(context, feature, start).decided) return { start, found: [start] };
  if (cuts.length === 0) return { start, found: [] };
  // Beyond the outermost cuts nothing changes any more.
  const ends = [Math.max(cuts[0], -Number.MAX_VALUE), Math.min(nextUp(cuts.at(-1)), Number.MAX_VALUE)];
  const towards = [ends[0] < start, ends[1] > start];
  const found = ends.filter((_, at) => towards[at]).map((end) => nearestTowards(context, feature, { curve, cuts }, [start, end]));
  return { start, found: found.filter((value) => value !== null) };
}

/** The steps of dates, in days or seconds. */
const UNITS = { date: [1], time: [86_400, 3_600, 60, 1] };

/** The number with the fewest digits that lies a little further out and still decides. */
function roundedOutwards({ kind }, start, nearest, decides) {
  const most = Math.max(0.1 * Math.abs(nearest - start), 0.001 * Math.abs(nearest));
  if (Math.abs(nearest) >= 1e15) return nearest;
  const fits = (value) => Math.abs(value - nearest) <= most && decides(value);
  if (UNITS[kind] !== undefined) {
    const out = (unit) => unit * (nearest > start ? Math.ceil(nearest / unit) : Math.floor(nearest / unit));
    const rounded = UNITS[kind].map(out);
    return rounded.find(fits) ?? (decides(rounded.at(-1)) ? rounded.at(-1) : nearest);
  }
  for (let decimals = 0; decimals <= 15; decimals++) {
    const withDecimals = (x) => Number(fixed(x, decimals));
    const step = Number(`1e-${decimals}`);
    let value = withDecimals(nearest);
    if (nearest > start && value < nearest) value = withDecimals(value + step);
    else if (nearest < start && value > nearest) value = withDecimals(value - step);
    if (fits(value)) return value;
  }
  return nearest;
}

/** Every other value of a single feature that would decide an undecided row. */
function decidingValues(context) {
  const { model, row } = context;
  const uncovered = uncoveredIn(model, row);
  const values = [];
  for (const [feature, { kind, notation, names, tested }] of model.features.entries()) {
    // No value covers what other features lack.
    if (!tested || uncovered.some(({ index }) => index !== feature)) continue;
    const found = (value) => ({ feature, value, answer: answerWith(context, feature, value) });
    if (kind !== "number") {
      values.push(...names.map((_, id) => found(id)).filter(({ answer }) => answer.decided));
      continue;
    }
    const { start, found: nearest } = nearestNumbers(context, feature);
    for (const number of nearest) {
      const { class: label } = answerWith(context, feature, number);
      values.push(found(roundedOutwards(notation, start, number, (x) => {
        const answer = answerWith(context, feature, x);
        return answer.decided && answer.class === label;
      })));
    }
  }
  return values;
}

const NAMED_CHANGES = 4;

/** The changes in words, those of the features `first` first: "age 27.9 (no)", "ward heart, eye (yes)". */
function changesInWords({ model }, values, first) {
  const changes = [];
  for (const { feature, value, answer } of values) {
    const same = model.features[feature].kind === "number" ? undefined
      : changes.find((change) => change.feature === feature && change.class === answer.class);
    if (same === undefined) changes.push({ feature, class: answer.class, values: [value] });
    else same.values.push(value);
  }
  const rank = ({ feature }) => (first.includes(feature) ? first.indexOf(feature) : first.length);
  changes.sort((a, b) => rank(a) - rank(b));
  return changes.map((change) => {
    const feature = model.features[change.feature];
    const [x] = change.values;
    const value = feature.kind === "number" ? inNotation(feature, isExtreme(x) ? x.toExponential().replace("e+", "e") : String(x)) : listedCategories(feature, change.values);
    return `${feature.words} ${value} (${model.classes[change.class].words})`;
  });
}

/** "A single change would decide it: age 27.9 (no) or ward heart, eye (yes)." */
function changeSentence(changes) {
  const named = changes.slice(0, NAMED_CHANGES);
  const more = changes.length - named.length;
  if (changes.length === 0) return "No single change would decide it.";
  return `A single change would decide it: ${more > 0 ? `${named.join(", ")} or ${more} others` : listed(named, "or")}.`;
}

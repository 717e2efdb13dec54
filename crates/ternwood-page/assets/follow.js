// The way of a row, step by step, and what its answer hinges on: as in predict/explain.rs,
// predict/clear_side.rs and model/explained/hinges.rs.

/** Where a value goes on from a split: children with their shares, and whether zones are ignored there. */
function onward(model, { test, children }, x, crisp) {
  if (crisp) return { to: [[goesLeft(test, x) ? children[0] : children.at(-1), 1]], crisp };
  const side = sideOf(test, x);
  if (side === "below") return { to: [[children[0], 1]], crisp };
  if (side === "above") return { to: [[children.at(-1), 1]], crisp };
  if (children.length === 3) return { to: [[children[1], 1]], crisp };
  const left = leftShare(test, x);
  return { to: [[children[0], left], [children[1], 1 - left]], crisp: model.routing === "deferred" };
}

/**
 * The steps and the leaves of a row, in preorder. With `clear`, the split of that node is passed over:
 * the row goes on at the given child.
 */
function follow(model, row, clear) {
  const steps = [];
  const leaves = [];
  const waiting = [{ node: 0, share: 1, crisp: model.routing === "crisp" }];
  while (waiting.length > 0) {
    const { node: at, share, crisp } = waiting.pop();
    const node = clear?.node === at ? clear.child : at;
    const split = model.nodes[node];
    if (split.test === undefined) {
      leaves.push({ node, share });
      continue;
    }
    const value = row[split.test.feature];
    const unknown = placeAt(split.test, value) === "unknown";
    const unsure = unknown || (!crisp && sideOf(split.test, value) === "within");
    steps.push({ node, test: split.test, value, share, crisp, unknown, unsure });
    const next = onward(model, split, value, crisp);
    for (const [child, part] of next.to.toReversed()) {
      waiting.push({ node: child, share: share * part, crisp: next.crisp });
    }
  }
  return { steps, leaves };
}

/** The answer if the row were clearly on one side of a split. */
function clearlyOn(model, policy, row, node, child) {
  const { steps, leaves } = follow(model, row, { node, child });
  const p = model.classes.map(() => 0);
  for (const leaf of leaves) {
    model.nodes[leaf.node].p.forEach((pk, k) => { p[k] += leaf.share * pk; });
  }
  return judge(model, policy, row, { p, decided: steps.every((step) => !step.unsure) });
}

/** A number for every class, whose expectation says how sure the answer is. */
function worthOf(model, policy, answer) {
  if (policy.kind === "catch" && answer.class !== policy.caught) return model.classes.map((_, k) => Number(k !== policy.caught));
  return model.classes.map((_, k) => policy.kind === "costs"
    ? policy.costs.flag[k] - policy.costs.answer[k][answer.class]
    : Number(k === answer.class));
}

/** The expected worth of the row at every node that can be asked for, each computed once. */
function worthAtNodes(model, row, worth) {
  const known = new Map();
  const key = (node, crisp) => 2 * node + Number(crisp);
  return (node, crisp) => {
    const waiting = [[node, crisp]];
    while (waiting.length > 0) {
      const [at, isCrisp] = waiting.at(-1);
      const { test, p } = model.nodes[at];
      if (test === undefined) {
        known.set(key(at, isCrisp), p.reduce((sum, pk, k) => sum + pk * worth[k], 0));
      } else if (!known.has(key(at, isCrisp))) {
        const next = onward(model, model.nodes[at], row[test.feature], isCrisp);
        const missing = next.to.filter(([child]) => !known.has(key(child, next.crisp)));
        if (missing.length > 0) {
          for (const [child] of missing) waiting.push([child, next.crisp]);
          continue;
        }
        const sum = next.to.reduce((sum, [child, share]) => sum + share * known.get(key(child, next.crisp)), 0);
        known.set(key(at, isCrisp), sum);
      }
      waiting.pop();
    }
    return known.get(key(node, crisp));
  };
}

const NAMED = 3;

/** The unsure tests that matter most, at most three, of each feature at most one. */
function hingesOf(model, policy, row, answer, steps) {
  const worth = worthOf(model, policy, answer);
  const at = worthAtNodes(model, row, worth);
  const changes = steps.filter((step) => step.unsure).map((step) => {
    const children = model.nodes[step.node].children;
    const now = at(step.node, step.crisp);
    const then = [children[0], children.at(-1)].map((child) => step.share * (at(child, step.crisp) - now));
    // In single precision, so that rounding does not order what is equal.
    return { step, size: Math.fround(Math.max(...then.map(Math.abs))) };
  });
  changes.sort((a, b) => b.size - a.size);
  const seen = new Set();
  const strongest = changes.filter(({ step }) => !seen.has(step.test.feature) && seen.add(step.test.feature));
  return strongest.slice(0, NAMED).map(({ step }) => {
    const children = model.nodes[step.node].children;
    const outcome = (child) => clearlyOn(model, policy, row, step.node, child);
    return { step, outcomes: [outcome(children[0]), outcome(children.at(-1))] };
  });
}

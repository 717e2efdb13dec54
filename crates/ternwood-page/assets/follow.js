// The way of a row, step by step, and what its answer hinges on: as in predict/explain.rs,
// predict/clear_side.rs and model/explained/hinges.rs.

/** Where a part of a row with this value goes on from a split: children with their parts, and whether zones are ignored there. */
function onward(model, { test, children }, x, crisp, part) {
  const side = crisp ? null : sideOf(test, x);
  if (side === "below") return { to: [[children[0], part]], crisp };
  if (side === "above") return { to: [[children.at(-1), part]], crisp };
  if (side === "within" && children.length === 3) return { to: [[children[1], part]], crisp };
  const parts = crisp ? null : divided(model, part, leftShare(test, x));
  if (parts === null) return { to: [[goesLeft(test, x) ? children[0] : children.at(-1), part]], crisp };
  return { to: [[children[0], parts[0]], [children[1], parts[1]]], crisp: model.routing === "deferred" };
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
    const next = onward(model, split, value, crisp, share);
    for (const [child, part] of next.to.toReversed()) {
      waiting.push({ node: child, share: part, crisp: next.crisp });
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

/** The expected worth of what arrives at a node, as if it were the whole row, each computed once. */
function worthAtNodes(model, row, worth) {
  const known = new Map();
  // Where zones divide every part alike, its size does not matter.
  const placed = ([node, part], crisp) => ({ node, crisp, part: model.leastShare === 0 ? 1 : part });
  const key = ({ node, crisp, part }) => `${node} ${crisp} ${part}`;
  return (node, crisp, part) => {
    const wanted = placed([node, part], crisp);
    const waiting = [wanted];
    while (waiting.length > 0) {
      const at = waiting.at(-1);
      const { test, p } = model.nodes[at.node];
      if (test === undefined) {
        known.set(key(at), p.reduce((sum, pk, k) => sum + pk * worth[k], 0));
      } else if (!known.has(key(at))) {
        const next = onward(model, model.nodes[at.node], row[test.feature], at.crisp, at.part);
        const below = next.to.map((to) => placed(to, next.crisp));
        const missing = below.filter((place) => !known.has(key(place)));
        if (missing.length > 0) {
          waiting.push(...missing);
          continue;
        }
        known.set(key(at), next.to.reduce((sum, [, part], i) => sum + (part / at.part) * known.get(key(below[i])), 0));
      }
      waiting.pop();
    }
    return known.get(key(wanted));
  };
}

const NAMED = 3;

/** The unsure tests that matter most, at most three, of each feature at most one. */
function hingesOf(model, policy, row, answer, steps) {
  const worth = worthOf(model, policy, answer);
  const at = worthAtNodes(model, row, worth);
  const changes = steps.filter((step) => step.unsure).map((step) => {
    const children = model.nodes[step.node].children;
    const now = at(step.node, step.crisp, step.share);
    const then = [children[0], children.at(-1)].map((child) => step.share * (at(child, step.crisp, step.share) - now));
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

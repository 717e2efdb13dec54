// Class and verdict of an answer: as in verdict/policy.rs.

/** The most probable class, the first on ties. */
function mostProbable(p) {
  let best = 0;
  for (let k = 1; k < p.length; k++) if (p[k] > p[best]) best = k;
  return best;
}

/** What the cheapest answer and a flag are expected to cost. */
function expectedCosts({ answer, flag }, p) {
  const mean = (cost) => p.reduce((sum, pk, k) => sum + pk * cost(k), 0);
  let best = { class: 0, answer: Infinity };
  for (let c = 0; c < flag.length; c++) {
    const cost = mean((k) => answer[k][c]);
    if (cost < best.answer) best = { class: c, answer: cost };
  }
  return { ...best, flag: mean((k) => flag[k]) };
}

/** The class that the policy answers, and whether the row is decided. */
function judge(model, policy, row, { p, decided }) {
  const judged = judgeCovered(policy, p, decided);
  return { p, class: judged.class, decided: judged.decided && uncoveredIn(model, row).length === 0 };
}

function judgeCovered(policy, p, decidedByZones) {
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, p);
    return { class: expected.class, decided: expected.answer <= expected.flag };
  }
  const likely = mostProbable(p);
  if (policy.kind === "zones") return { class: likely, decided: decidedByZones };
  if (policy.kind === "catch") return { class: likely, decided: likely === policy.caught || p[policy.caught] <= policy.threshold };
  const threshold = policy.thresholds[likely];
  return { class: likely, decided: threshold !== null && p[likely] >= threshold };
}

/** Class, probabilities and verdict of a row. */
function answerOf(model, row, policy = model.policy) {
  return judge(model, policy, row, walk(model, row));
}

/** Undecided below one threshold for all classes: a verdict that somebody chose on the page. */
function thresholdPolicy(model, threshold) {
  return {
    kind: "confidence",
    thresholds: model.classes.map(() => threshold),
    condition: null,
    whyNever: [],
    costRatio: null,
  };
}

// Why a row is undecided and what would decide it, or why it is decided after all: as in words/tree_row.rs
// and judged.rs.

/** A test that changes less than this by itself is counted, not named. */
const MATTERS = 0.01;

/** A row's answer, its way through the tree, and why it is undecided or decided after all. */
function reasoned(model, policy, row, unseen) {
  const answer = answerOf(model, row, policy);
  const { steps, leaves } = follow(model, row);
  const hinges = hingesOf(model, policy, row, answer, steps);
  const context = { model, policy, row, answer, steps, leaves, hinges, unseen };
  if (!answer.decided) return { ...context, reason: whyUndecided(context) };
  return { ...context, reason: steps.some((step) => step.unsure) ? decidedAlthough(context) : null };
}

/** The same with the changes that would decide an undecided row, and the whole sentence. */
function explained(model, policy, row, unseen) {
  const context = reasoned(model, policy, row, unseen);
  const { answer, hinges, reason } = context;
  if (answer.decided) return { ...context, changes: [], sentence: reason };
  const changes = changesInWords(context, decidingValues(context), hinges.map(({ step }) => step.test.feature));
  return { ...context, changes, sentence: `${reason} ${changeSentence(changes)}` };
}

function whyUndecided(context) {
  const { model, policy, row, steps, unseen } = context;
  const uncovered = notCovered(model, row, unseen);
  if (uncovered !== null) return `Flagged as not covered: ${uncovered}.`;
  if (policy.kind !== "zones") return [flagged(context), whatItHingesOn(context)].filter(Boolean).join(" ");
  const doubts = namedReasons(steps.filter((step) => step.unsure)).map((step) => wordsOf(context, step).doubt());
  return `Flagged because ${listed(doubts, "and")}.`;
}

function wordsOf({ model, unseen }, step) {
  return tested(model, step, unseen);
}

/** Without those that follow from another: further tests of an unknown value say nothing new. */
function namedReasons(unsure) {
  const named = new Set();
  return unsure.filter((step) => {
    const isNew = !named.has(step.test.feature);
    named.add(step.test.feature);
    return isNew || !step.unknown;
  });
}

function confidence({ answer }) {
  return answer.p[answer.class];
}

/** The class whose probability decides about a flag: the predicted one, or the one to catch. */
function classInDoubt({ policy, answer }) {
  return policy.kind === "catch" ? policy.caught : answer.class;
}

function catchToldApart({ model, policy, answer }) {
  return [model.classes[policy.caught].words, ...percentsToldApart(answer.p[policy.caught], policy.threshold)];
}

/** "Flagged: 68 % sure, below 80 %." */
function flagged(context) {
  const { model, policy, answer } = context;
  const name = model.classes[answer.class].words;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, answer.p);
    const [cost, flag] = costsToldApart(expected.answer, expected.flag);
    return `Flagged: ${name}, the cheapest answer, is expected to cost ${cost}, and a flag only ${flag}.`;
  }
  if (policy.kind === "catch") {
    const [caught, possible, enough] = catchToldApart(context);
    return `Flagged: could still be ${caught}: ${possible}, above ${enough}.`;
  }
  const threshold = policy.thresholds[answer.class];
  if (threshold === null) {
    return `Flagged: rows predicted ${name} are never decided, because ${policy.whyNever[answer.class]}.`;
  }
  const [sure, enough] = percentsToldApart(confidence(context), threshold);
  if (policy.condition === null) return `Flagged: ${sure} sure, below ${enough}.`;
  const way = policy.condition === answer.class ? "in" : "out";
  return `Flagged, look again: ${sure} ${name}, and to rule ${way} ${model.classes[policy.condition].words} takes ${enough}.`;
}

/** What is decided, and why it is. */
function whyDecided(context) {
  const { model, policy, answer } = context;
  const name = model.classes[answer.class].words;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, answer.p);
    const [cost, flag] = costsToldApart(expected.answer, expected.flag);
    return ["Decided", `${name}, the cheapest answer, is expected to cost ${cost}, and a flag ${flag}`];
  }
  if (policy.kind === "catch") {
    if (answer.class === policy.caught) return ["Decided", `rows predicted ${name} are always decided`];
    const [caught, possible, enough] = catchToldApart(context);
    return ["Decided", `${caught} has ${possible}, not above ${enough}`];
  }
  const threshold = policy.thresholds[answer.class] ?? 0;
  if (threshold === 0) return ["Decided", `rows predicted ${name} are always decided`];
  const [sure, enough] = percentsToldApart(confidence(context), threshold);
  if (policy.condition === null) return ["Decided", `${sure} sure, not below ${enough}`];
  const way = policy.condition === answer.class ? "in" : "out";
  return [`Ruled ${way} (${model.classes[policy.condition].words})`, `${sure} ${name}, and that takes ${enough}`];
}

/** "Decided although glucose 126.4 lies within 127.0 ± 1.1: 93 % sure, not below 80 %." */
function decidedAlthough(context) {
  const named = context.hinges.filter((hinge) => matters(context, hinge));
  const doubts = named.map((hinge) => wordsOf(context, hinge.step).doubt());
  const more = unsureBeside(context, named);
  if (more > 0) {
    doubts.push(named.length > 0 ? moreTests(more) : more === 1 ? "1 test is unsure" : `${more} tests are unsure`);
  }
  const [ruling, because] = whyDecided(context);
  return `${ruling} although ${listed(doubts, "and")}: ${because}.`;
}

/** The tests that make a flagged row unsure. */
function whatItHingesOn(context) {
  if (context.hinges.length === 0) return mixedRows(context);
  const named = context.hinges.filter((hinge) => matters(context, hinge));
  const more = unsureBeside(context, named);
  if (named.length === 0) {
    return more === 1
      ? "One test is unsure, but by itself it changes this by less than 1 %."
      : `${more} tests are unsure, but none by itself changes this by 1 %.`;
  }
  const described = named.map((hinge) => {
    const words = wordsOf(context, hinge.step);
    return `${words.named()} (${words.doubtInBrief()})`;
  });
  const others = more > 0 ? `; ${moreTests(more)}` : "";
  return `It hinges on ${listed(described, "and")}${others}.`;
}

/** By how much an outcome is surer than the answer. */
function changeTo({ model, policy, answer }, outcome) {
  return worthOf(model, policy, answer).reduce((sum, worth, k) => sum + worth * (outcome.p[k] - answer.p[k]), 0);
}

/** Whether a test must be named: by itself it changes how sure the answer is. */
function matters(context, hinge) {
  const { policy, answer } = context;
  let scale = 1;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, answer.p);
    scale = Math.max(Math.abs(expected.answer), Math.abs(expected.flag));
  }
  return hinge.outcomes.some((outcome) => Math.abs(changeTo(context, outcome)) >= MATTERS * scale);
}

/** The number of unsure tests beside some hinges. */
function unsureBeside({ steps }, named) {
  const isNamed = (step) => named.some((hinge) => hinge.step === step);
  const follows = (step) => step.unknown && named.some((hinge) => hinge.step.test.feature === step.test.feature);
  return steps.filter((step) => step.unsure && !isNamed(step) && !follows(step)).length;
}

/** A row that is flagged although no test is unsure is in a leaf of mixed rows. */
function mixedRows(context) {
  const { model, answer, leaves } = context;
  const inDoubt = classInDoubt(context);
  const probability = answer.p[inDoubt];
  if (leaves.length !== 1 || probability >= 1) return null;
  const { rows, classRows } = model.nodes[leaves[0].node];
  const name = model.classes[inDoubt].words;
  const ofClass = classRows[inDoubt];
  const mixture = Math.abs(ofClass / Math.max(rows, 1) - probability) < 0.005
    ? `${ofClass} of ${rows} are ${name}`
    : `${rows}, by their weights ${percentApart(probability, [])} ${name}`;
  const training = "raining rows like this one are mixed";
  return model.routing === "crisp"
    ? `The t${training} (${mixture}).`
    : `No test is near its threshold: the t${training} (${mixture}).`;
}

function moreTests(more) {
  return more === 1 ? "1 more test is unsure" : `${more} more tests are unsure`;
}

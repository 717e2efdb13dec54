// Why a row is undecided, or decided after all: as in model/explained/sentence.rs and judged.rs.

/** A test that changes less than this by itself is counted, not named. */
const MATTERS = 0.01;

/** A row's answer, its way through the tree, and the sentence. */
function explained(model, policy, row, unseen) {
  const { p, decided: decidedByZones } = walk(model, row);
  const answer = { p, ...judge(policy, p, decidedByZones) };
  const { steps, leaves } = follow(model, row);
  const hinges = hingesOf(model, policy, row, answer, steps);
  const context = { model, policy, row, answer, steps, leaves, hinges, unseen };
  return { ...context, sentence: sentence(context) };
}

function sentence(context) {
  const { policy, answer, steps } = context;
  const unsure = steps.filter((step) => step.unsure);
  if (policy.kind === "zones") {
    const doubts = namedReasons(unsure).map((step) => wordsOf(context, step).doubt());
    return doubts.length > 0 ? `Flagged because ${listed(doubts, "and")}.` : null;
  }
  if (!answer.decided) {
    return [flagged(context), whatItHingesOn(context)].filter(Boolean).join(" ");
  }
  return unsure.length > 0 ? decidedAlthough(context) : null;
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

/** "Flagged: 68 % sure, below 80 %." */
function flagged(context) {
  const { model, policy, answer } = context;
  const name = model.classes[answer.class].words;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, answer.p);
    const [cost, flag] = costsToldApart(expected.answer, expected.flag);
    return `Flagged: ${name}, the cheapest answer, is expected to cost ${cost}, and a flag only ${flag}.`;
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
  const doubts = named.map((hinge) => `${wordsOf(context, hinge.step).doubt()} (${alternatives(context, hinge)})`);
  const more = unsureBeside(context, named);
  if (more > 0) {
    doubts.push(named.length > 0 ? moreTests(more) : more === 1 ? "1 test is unsure" : `${more} tests are unsure`);
  }
  const [ruling, because] = whyDecided(context);
  return `${ruling} although ${listed(doubts, "and")}: ${because}.`;
}

/** The tests that make a flagged row unsure, and what would decide it. */
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
    return `${words.named()} (${words.doubtInBrief()}; ${alternatives(context, hinge)})`;
  });
  const others = more > 0 ? `; ${moreTests(more)}` : "";
  return `It hinges on ${listed(described, "and")}${others}. ${whatDecides(context, named)}`;
}

/** By how much an outcome is surer than the answer. */
function changeTo({ model, policy, answer }, outcome) {
  return worthOf(model, policy, answer).reduce((sum, worth, k) => sum + worth * (outcome.p[k] - answer.p[k]), 0);
}

/** Whether an outcome is another verdict, or another class decided. */
function turns({ answer }, outcome) {
  return outcome.decided !== answer.decided || (outcome.decided && outcome.class !== answer.class);
}

/** Whether a test must be named: by itself it changes the verdict, or how sure it is. */
function matters(context, hinge) {
  const { policy, answer } = context;
  let scale = 1;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, answer.p);
    scale = Math.max(Math.abs(expected.answer), Math.abs(expected.flag));
  }
  return hinge.outcomes.some((outcome) => turns(context, outcome) || Math.abs(changeTo(context, outcome)) >= MATTERS * scale);
}

/** The number of unsure tests beside some hinges. */
function unsureBeside({ steps }, named) {
  const isNamed = (step) => named.some((hinge) => hinge.step === step);
  const follows = (step) => step.unknown && named.some((hinge) => hinge.step.test.feature === step.test.feature);
  return steps.filter((step) => step.unsure && !isNamed(step) && !follows(step)).length;
}

/** What the answer would be on the sides that turn it, or else on the side that changes it most. */
function alternatives(context, hinge) {
  const words = wordsOf(context, hinge.step);
  const [below, above] = hinge.outcomes.map((outcome) => Math.abs(changeTo(context, outcome)));
  let told = hinge.outcomes.map((outcome) => turns(context, outcome));
  if (!told[0] && !told[1]) told = [below >= above, below < above];
  const sides = hinge.outcomes.map((outcome, side) => ({ outcome, left: side === 0 })).filter((_, side) => told[side]);
  return sides.map(({ outcome, left }, index) => `${words.clearly(left)}, ${outcomeInWords(context, outcome, index === 0)}`).join("; ");
}

/** "it would be 91 % healthy", or "ill would cost 0.20 and a flag 0.50". */
function outcomeInWords(context, outcome, isFirst) {
  const { model, policy, answer } = context;
  const name = model.classes[outcome.class].words;
  if (policy.kind === "costs") {
    const expected = expectedCosts(policy.costs, outcome.p);
    const [cost, flag] = costsToldApart(expected.answer, expected.flag);
    return `${name} would cost ${cost} and a flag ${flag}`;
  }
  const threshold = policy.kind === "confidence" ? policy.thresholds[outcome.class] : null;
  const others = threshold === null ? [] : [threshold];
  if (outcome.class === answer.class) others.push(confidence(context));
  return `${isFirst ? "it would be " : ""}${percentApart(outcome.p[outcome.class], others)} ${name}`;
}

/** Which of the named tests would decide a flagged row. */
function whatDecides({ model }, named) {
  const deciding = named.filter((hinge) => hinge.outcomes.some((outcome) => outcome.decided));
  const n = named.length;
  if (deciding.length === 0) {
    return n === 1 ? "That alone would not decide it." : n === 2 ? "Neither alone would decide it." : "None of them alone would decide it.";
  }
  if (deciding.length < n) {
    const features = deciding.map((hinge) => model.features[hinge.step.test.feature].words);
    return `Of these, ${listed(features, "or")} would decide it.`;
  }
  if (n === 1) return named[0].outcomes.every((outcome) => outcome.decided) ? "Either side would decide it." : "That would decide it.";
  return n === 2 ? "Either would decide it." : "Each of them would decide it.";
}

/** A row that is flagged although no test is unsure is in a leaf of mixed rows. */
function mixedRows(context) {
  const { model, answer, leaves } = context;
  const probability = confidence(context);
  if (leaves.length !== 1 || probability >= 1) return null;
  const { rows, classRows } = model.nodes[leaves[0].node];
  const name = model.classes[answer.class].words;
  const ofClass = classRows[answer.class];
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

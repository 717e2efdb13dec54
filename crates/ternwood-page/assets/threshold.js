// Choose the verdict: the risk-coverage curve of the evaluation rows, and what a threshold does to them.

/** What a policy does to the evaluation rows. `threshold` is null for the model's own policy. */
function effectOf(model, threshold) {
  const n = model.classes.length;
  const effect = { rows: 0, decided: 0, right: 0, missed: Array(n).fill(0), truths: Array(n).fill(0), flags: Array(n).fill(0), nodes: new Map(), cost: 0 };
  for (const group of model.evaluation.groups) {
    const { truth, count } = group;
    const decided = threshold === null ? group.decided : group.covered && group.confidence >= threshold;
    const answer = threshold === null ? group.answer : group.likely;
    effect.rows += count;
    effect.truths[truth] += count;
    if (!decided) {
      effect.flags[truth] += count;
      effect.nodes.set(group.node, (effect.nodes.get(group.node) ?? 0) + count);
    } else {
      effect.decided += count;
      if (answer === truth) effect.right += count;
      else effect.missed[truth] += count;
    }
    effect.cost += count * costOf(model, truth, answer, decided);
  }
  return effect;
}

/** In the costs of the model's policy; else a flag costs a fifth of an error. */
function costOf({ policy }, truth, answer, decided) {
  if (policy.kind === "costs") return decided ? policy.costs.answer[truth][answer] : policy.costs.flag[truth];
  if (!decided) return policy.costRatio ?? USUAL_COST_RATIO;
  return Number(answer !== truth);
}

const USUAL_COST_RATIO = 0.2;

/** Thresholds between which the verdict of some row changes, with the rows they decide, the strictest first. */
function stopsOf(model) {
  const byConfidence = new Map();
  for (const { confidence, count, truth, likely, covered } of model.evaluation.groups) {
    if (!covered) continue;
    const entry = byConfidence.get(confidence) ?? { rows: 0, wrong: 0 };
    entry.rows += count;
    if (truth !== likely) entry.wrong += count;
    byConfidence.set(confidence, entry);
  }
  const confidences = [...byConfidence.keys()].sort((a, b) => b - a);
  const stops = [];
  let [decided, wrong] = [0, 0];
  for (const [index, confidence] of confidences.entries()) {
    const { rows, wrong: more } = byConfidence.get(confidence);
    decided += rows;
    wrong += more;
    const next = confidences[index + 1] ?? 0;
    stops.push({ threshold: shortBetween(next, confidence), coverage: decided / model.evaluation.rows, risk: wrong / decided });
  }
  return stops;
}

/** The shortest decimal above `low` and at most `high`. */
function shortBetween(low, high) {
  for (let decimals = 1; decimals < 16; decimals++) {
    const value = Number((Math.floor(high * 10 ** decimals) / 10 ** decimals).toFixed(decimals));
    if (value > low && value <= high) return value;
  }
  return high;
}

const PLOT = { width: 560, height: 310, left: 50, right: 14, top: 34, bottom: 44 };

function curvePicture(stops, chosen) {
  const { width, height, left, right, top, bottom } = PLOT;
  const highest = Math.max(0.02, ...stops.filter(({ coverage }) => coverage >= 0.1).map(({ risk }) => risk)) * 1.15;
  const x = (coverage) => left + coverage * (width - left - right);
  const y = (risk) => height - bottom - (Math.min(risk, highest) / highest) * (height - top - bottom);
  const path = stops.map(({ coverage, risk }, index) => `${index === 0 ? "M" : "L"}${x(coverage).toFixed(1)} ${y(risk).toFixed(1)}`).join("");
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((step) => highest / step <= 6) ?? 1;
  const ticks = [];
  for (let risk = 0; risk <= highest; risk += step) ticks.push(risk);
  const grid = ticks.map((risk) => [s("line", { class: "grid", x1: left, x2: width - right, y1: y(risk), y2: y(risk) }),
    s("text", { x: left - 8, y: y(risk) + 4, "text-anchor": "end" }, percent(risk))]);
  const feet = [0, 0.25, 0.5, 0.75, 1].map((coverage) => s("text", { x: x(coverage), y: height - bottom + 18, "text-anchor": coverage === 1 ? "end" : "middle" }, percent(coverage)));
  return s("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Errors among decided rows, by the share of rows decided" },
    grid, feet,
    s("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "strong" }, "share of rows decided"),
    s("text", { x: 2, y: 14, class: "strong" }, "errors among decided rows"),
    s("path", { class: "risk", d: path }),
    s("line", { class: "drop", x1: x(chosen.coverage), x2: x(chosen.coverage), y1: y(chosen.risk), y2: height - bottom }),
    s("circle", { class: "handle", cx: x(chosen.coverage), cy: y(chosen.risk), r: 8 }));
}

/** Calls `drag` with the share of rows under the pointer. The picture is drawn anew with every move; its holder stays. */
function prepareDragging(holder, drag) {
  const { width, left, right } = PLOT;
  const at = ({ clientX }) => {
    const box = holder.firstElementChild.getBoundingClientRect();
    drag((((clientX - box.left) / box.width) * width - left) / (width - left - right));
  };
  holder.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    holder.setPointerCapture(event.pointerId);
    at(event);
  });
  holder.addEventListener("pointermove", (event) => { if (holder.hasPointerCapture(event.pointerId)) at(event); });
}

/** Builds the slider and the curve. `choose` is called with a threshold. */
function buildChoice(model, choose) {
  const stops = stopsOf(model);
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: stops.length - 1, step: 1, "aria-label": "Threshold of confidence" });
  slider.addEventListener("input", () => choose(stops[slider.value].threshold));
  const drag = (coverage) => {
    let nearest = 0;
    stops.forEach((stop, index) => { if (Math.abs(stop.coverage - coverage) < Math.abs(stops[nearest].coverage - coverage)) nearest = index; });
    choose(stops[nearest].threshold);
  };
  const holder = h("div");
  prepareDragging(holder, drag);
  byId("curve").append(holder, h("div", { class: "ends" }, h("span", {}, "few decided"), slider, h("span", {}, "all decided")));
  return (threshold) => {
    const effect = effectOf(model, threshold);
    const risk = effect.decided > 0 ? 1 - effect.right / effect.decided : 0;
    holder.replaceChildren(curvePicture(stops, { coverage: effect.decided / effect.rows, risk }));
    const index = threshold === null
      ? stops.findIndex(({ coverage }) => coverage >= effect.decided / effect.rows)
      : stops.findIndex((stop) => stop.threshold <= threshold);
    slider.value = index < 0 ? stops.length - 1 : index;
    slider.setAttribute("aria-valuetext", `${percent(effect.decided / effect.rows)} of the rows decided`);
    showEffect(model, effect, threshold);
    return effect;
  };
}

function showEffect(model, effect, threshold) {
  const { rows, decided, right } = effect;
  const figure = (text, words) => h("li", {}, h("b", {}, text), h("span", {}, words));
  const flagged = rows - decided;
  const lines = model.classes.map(({ name }, id) => ({ name, id })).filter(({ id }) => effect.truths[id] > 0);
  const table = limited("The classes", lines, h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, ["In truth", "Rows", "Flagged", "Missed"].map((text, index) => h("th", { scope: "col", class: index > 0 ? "n" : undefined }, text)))),
    h("tbody", {}, lines.map(({ name, id }) => h("tr", {},
      h("th", { scope: "row" }, h("i", { class: "dot", style: coloured(model, id) }), name || "(empty)"),
      h("td", { class: "n" }, grouped(effect.truths[id])),
      h("td", { class: "n" }, percentApart(effect.flags[id] / effect.truths[id], [])),
      h("td", { class: "n" }, percentApart(effect.missed[id] / effect.truths[id], [])))))));
  const unit = model.policy.kind === "costs" ? "cost per row, by the model’s cost matrix" : `cost per row, if a flag costs ${model.policy.costRatio ?? USUAL_COST_RATIO} of an error`;
  byId("effect").replaceChildren(
    h("p", { class: "in-force" }, threshold === null ? "The model’s own verdict" : `Decided from ${percentApart(threshold, [])} on`),
    h("ul", { class: "figures" },
      figure(percentApart(flagged / rows, []), `${grouped(flagged)} of ${grouped(rows)} rows get a second look`),
      figure(decided > 0 ? percentApart(right / decided, []) : "–", `${grouped(right)} of ${grouped(decided)} decided rows are right`),
      figure(fixed(effect.cost / rows, 3), unit)),
    table,
    threshold === null ? "" : commands(model, threshold));
}

/** The lines that set a threshold: it is 1 minus the cost of a flag, in errors. */
function commands(model, threshold) {
  const ratio = Number((1 - threshold).toFixed(12));
  if (!(ratio > 0 && ratio < 1)) return h("p", { class: "note" }, "No cost of a flag gives this threshold.");
  const file = /^[\w./-]+$/.test(model.file) ? model.file : `'${model.file.replaceAll("'", "'\\''")}'`;
  return h("div", { class: "commands" }, h("p", { class: "note" }, "To set it:"),
    copyable(`ternwood calibrate ${file} --cost-ratio ${ratio} -o chosen.json`, "the command"),
    copyable(`VerdictClassifier(clf, cost_ratio=${ratio}, cv="prefit").fit(X, y)`, "the line of Python"));
}

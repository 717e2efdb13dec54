// Try a row: one input per tested feature, and the answer.

/** Where in a zone the first row may lie, in half-widths. */
const PLACES = [-0.4, 0.3, 0, -0.8, 0.7];

/** A row to begin with, in the zones that most rows meet; if possible one that is flagged. */
function firstRow(model) {
  const rows = PLACES.map((place) => rowWithin(model, place));
  return rows.find((row) => !answerOf(model, row).decided) ?? rows[0];
}

function rowWithin(model, place) {
  const row = model.features.map(({ kind, range }) => (kind === "number" && range ? (range[0] + range[1]) / 2 : kind === "number" ? 0 : NaN));
  const most = new Map();
  for (const { test, rows } of model.nodes) {
    if (test === undefined || rows <= (most.get(test.feature) ?? -1)) continue;
    const value = firstValue(model, test, place);
    if (value === undefined) continue;
    most.set(test.feature, rows);
    row[test.feature] = value;
  }
  return row;
}

function firstValue(model, test, place) {
  const { kind, names, fill } = model.features[test.feature];
  if (test.cut === "threshold" && kind === "number") {
    const value = test.threshold + place * test.halfWidth;
    // As many decimals as it takes to stay on the same side of the zone's edges.
    for (let { decimals } = sliderOf(model, test.feature); decimals < 12; decimals++) {
      const rounded = Number(value.toFixed(decimals));
      if (sideOf(test, rounded) === sideOf(test, value)) return rounded;
    }
    return value;
  }
  if (test.cut === "threshold") return Math.min(Math.max(Math.floor(test.threshold), 0), names.length - 1);
  if (test.cut === "categories") return test.places.toSorted((a, b) => b.rows - a.rows)[0].id;
  return fill ?? undefined;
}

/** The range of a slider. */
function sliderOf(model, index) {
  const tests = model.nodes.map(({ test }) => test).filter((test) => test?.feature === index && test.cut === "threshold");
  const edges = tests.flatMap((test) => [test.threshold - test.halfWidth, test.threshold + test.halfWidth]).filter(Number.isFinite);
  const { range } = model.features[index];
  let [low, high] = range ?? [Math.min(...edges), Math.max(...edges)];
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  if (range === null) [low, high] = [low - 0.3 * (high - low), high + 0.3 * (high - low)];
  // Some fifty steps at least; the field beside the slider takes any number.
  const decimals = Math.min(Math.max(-Math.floor(Math.log10((high - low) / 50)), 0), 12);
  const step = 10 ** -decimals;
  const rounded = (x) => Number(x.toFixed(decimals));
  return { low: rounded(Math.floor(low / step) * step), high: rounded(Math.ceil(high / step) * step), step, decimals };
}

/** Builds the inputs. `changed` is called after every change of `row`. */
function buildInputs(model, row, changed) {
  const form = byId("row");
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const [index, feature] of model.features.entries()) {
    if (!feature.tested) continue;
    const set = (value) => { row[index] = value; changed(); };
    form.append(feature.kind === "number" ? numberInput(model, index, row, set) : categoryInput(model, index, row, set));
  }
  if (form.childElementCount === 0) form.append(h("p", { class: "note" }, "The tree has no test: every row gets the same answer."));
}

function numberInput(model, index, row, set) {
  const feature = model.features[index];
  const { low, high, step, decimals } = sliderOf(model, index);
  const name = feature.words || "(unnamed)";
  const usual = Number.isNaN(row[index]) ? (low + high) / 2 : row[index];
  const slider = h("input", { type: "range", min: low, max: high, step, "aria-label": `${name}, slider` });
  const isPlain = feature.notation.kind === "number" || feature.notation.kind === "percent";
  const field = h("input", { type: isPlain ? "number" : "text", step: "any", "aria-label": name });
  const written = (value) => (isPlain ? String(value) : inNotation(feature, String(value)));
  const missing = h("input", { type: "checkbox", "aria-label": `${name} missing` });
  const update = (value) => {
    slider.value = value;
    set(value);
  };
  slider.value = usual;
  field.value = written(usual);
  slider.addEventListener("input", () => {
    const value = Number(Number(slider.value).toFixed(decimals));
    field.value = written(value);
    missing.checked = false;
    set(value);
  });
  field.addEventListener("input", () => {
    const value = isPlain ? Number(field.value) : parsedNumber(feature.notation, field.value.trim());
    const isNumber = field.value.trim() !== "" && Number.isFinite(value);
    field.toggleAttribute("aria-invalid", !isNumber);
    if (!isNumber) return;
    missing.checked = false;
    update(value);
  });
  const whenMissing = feature.fill ?? NaN;
  missing.addEventListener("change", () => set(missing.checked ? whenMissing : Number(Number(slider.value).toFixed(decimals))));
  const unit = feature.notation.kind === "percent" ? h("span", { class: "unit" }, "%") : null;
  const choice = model.missing === "error" && feature.fill === null ? null : h("label", { class: "missing" }, missing, "missing");
  return h("div", { class: "field", "data-feature": index }, h("span", { class: "name" }, name), field, unit, slider, choice);
}

function categoryInput(model, index, row, set) {
  const feature = model.features[index];
  const name = feature.words || "(unnamed)";
  const unseen = feature.kind === "ordered" ? UNREAD : feature.names.length;
  const values = [...feature.names.map((_, id) => id)];
  const options = feature.names.map((text) => h("option", {}, clipped(oneLine(text)) || "(empty)"));
  if (model.missing !== "error" || feature.fill !== null) {
    values.push(feature.fill ?? NaN);
    options.push(h("option", {}, "— missing —"));
  }
  values.push(unseen);
  options.push(h("option", {}, "— another —"));
  const select = h("select", { "aria-label": name }, options);
  select.selectedIndex = Math.max(0, values.findIndex((value) => Object.is(value, row[index])));
  row[index] = values[select.selectedIndex];
  select.addEventListener("change", () => set(values[select.selectedIndex]));
  return h("div", { class: "field", "data-feature": index }, h("span", { class: "name" }, name), select);
}

/** Shows what the tree says of the row. */
function showAnswer(context) {
  const { model, answer, reason } = context;
  const name = model.classes[answer.class].name || "(empty)";
  const order = answer.p.map((_, id) => id).sort((a, b) => answer.p[b] - answer.p[a]);
  const bars = order.slice(0, 6).map((id) => h("li", {},
    h("span", { class: "name" }, model.classes[id].name || "(empty)"),
    h("span", { class: "track" }, h("i", { style: `${coloured(model, id)};width:${(100 * answer.p[id]).toFixed(2)}%` })),
    h("span", { class: "n" }, percentApart(answer.p[id], []))));
  const rest = order.length > 6 ? h("li", { class: "note" }, `and ${order.length - 6} more classes`) : null;
  byId("answer").replaceChildren(
    h("p", { class: "says" }, h("i", { class: "dot", style: coloured(model, answer.class) }), h("b", {}, name),
      h("span", { class: answer.decided ? "chip decided" : "chip look" }, answer.decided ? "decided" : "second look")),
    h("ul", { class: "shares" }, bars, rest),
    h("p", { class: "why" }, reason ?? "Every test is sure of this row."),
    answer.decided ? "" : decidingWays(context));
}

function decidingWays({ changes }) {
  if (changes.length === 0) return h("p", { class: "note" }, changeSentence(changes));
  return h("div", { class: "ways" }, h("h3", {}, "A single change would decide it"),
    h("ul", {}, changes.map((change) => h("li", {}, change))));
}

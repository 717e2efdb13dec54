// One node in detail: its zone, its rows, its classes.

function showNode(model, id, row, flagged) {
  const panel = byId("node");
  const { test, rows, within, classRows, p } = model.nodes[id];
  const likely = mostProbable(p);
  const title = test === undefined
    ? `Node ${id}: ${model.classes[likely].words}`
    : `Node ${id}: ${test.words}`;
  const paragraphs = test === undefined ? leafWords(model, id) : testWords(model, id);
  if (flagged > 0) paragraphs.push(`${grouped(flagged)} flagged evaluation ${flagged === 1 ? "row hinges" : "rows hinge"} on this ${test === undefined ? "leaf" : "test"}.`);
  panel.replaceChildren(
    h("h3", {}, title),
    h("div", { class: "detail" },
      h("div", {}, paragraphs.map((text) => h("p", {}, text)), zonePicture(model, test, row)),
      h("div", {}, h("p", { class: "note" }, `${grouped(rows)} training rows${within > 0 ? `, ${grouped(within)} of them in doubt here` : ""}`),
        classTable(model, classRows, p))),
  );
  show(panel);
}

function testWords(model, id) {
  const { test, children } = model.nodes[id];
  const words = [];
  const where = model.routing === "hard_middle" ? "goes to the middle branch" : "goes both ways, in shares";
  if (test.cut === "threshold" && test.halfWidth > 0) {
    words.push(`Up to ${test.shown[2]} a row goes left, above ${test.shown[3]} right. Between them it ${where}.`);
  } else if (test.cut === "threshold") {
    words.push(`Up to ${test.shown[0]} a row goes left, else right. There is no zone.`);
  } else if (test.cut === "present") {
    words.push("A row with a value goes left, one without right.");
  } else {
    words.push(`Categories are separated by their share of a class. One that is too near the cut ${where}.`);
  }
  if (test.cut !== "present") {
    words.push(test.missing === undefined
      ? `The test never saw a missing value: such a row goes both ways, ${percent(test.unknownLeft)} of it left.`
      : `Missing values go ${test.missing}.`);
  }
  if (children.length === 3) words.push("The middle branch was grown from the rows within the zone.");
  return words;
}

function leafWords(model, id) {
  const conditions = [];
  for (let at = id; model.parents[at] !== undefined; at = model.parents[at]) {
    const { test, children } = model.nodes[model.parents[at]];
    const branch = test.branches[children.indexOf(at)];
    conditions.unshift(test.cut === "threshold" && /^(below|within|above)$/.test(branch)
      ? `${model.features[test.feature].words} ${branch} ${zoneInClause(model, test.shown)}`
      : `${model.features[test.feature].words} ${branch}`);
  }
  return [conditions.length > 0 ? `Rows with ${listed(conditions, "and")}.` : "The tree has no test: all rows get this answer."];
}

function classTable(model, classRows, p) {
  const order = p.map((_, id) => id).sort((a, b) => p[b] - p[a]);
  const lines = order.map((id) => h("tr", {},
    h("th", { scope: "row" }, h("i", { class: "dot", style: coloured(model, id) }), model.classes[id].name || "(empty)"),
    h("td", { class: "n" }, grouped(classRows[id])),
    h("td", { class: "n" }, percentApart(p[id], []))));
  return limited("The classes of the node", lines, h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Class"), h("th", { scope: "col", class: "n" }, "Rows"), h("th", { scope: "col", class: "n" }, "Answer"))),
    h("tbody", {}, lines)));
}

/** The share of a row that goes left, along the feature. */
function zonePicture(model, test, row) {
  if (test?.cut === "categories") return categoryTable(model, test);
  if (test?.cut !== "threshold") return null;
  const { threshold, halfWidth } = test;
  const reach = halfWidth > 0 ? 2.6 * halfWidth : Math.max(Math.abs(threshold), 1) * 0.1;
  const [W, H, top, bottom] = [440, 132, 14, 104];
  const x = (value) => 10 + ((value - threshold + reach) / (2 * reach)) * (W - 20);
  const y = (share) => bottom - share * (bottom - top);
  const [lower, upper] = [x(threshold - halfWidth), x(threshold + halfWidth)];
  const hatch = [];
  for (let at = lower - (bottom - top); at < upper; at += 6) hatch.push(s("line", { x1: at, y1: bottom, x2: at + (bottom - top), y2: top }));
  const value = row[test.feature];
  const isShown = typeof value === "number" && x(value) >= 10 && x(value) <= W - 10;
  const share = typeof value === "number" && !Number.isNaN(value) ? leftShare(test, value) : null;
  const label = `How much of a row goes left: all of it up to ${test.shown[2]}, none above ${test.shown[3]}, in shares between them.`;
  return s("svg", { class: "zone", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label },
    s("clipPath", { id: "band" }, s("rect", { x: lower, y: top, width: Math.max(upper - lower, 1), height: bottom - top })),
    s("g", { "clip-path": "url(#band)", class: "hatch" }, hatch),
    s("line", { class: "axis", x1: 10, y1: bottom, x2: W - 10, y2: bottom }),
    s("path", { class: "share", d: `M10 ${y(1)}H${lower}L${upper} ${y(0)}H${W - 10}` }),
    s("line", { class: "cut", x1: x(threshold), y1: top - 6, x2: x(threshold), y2: bottom + 4 }),
    s("text", { x: 10, y: top - 4 }, "all of it left"),
    s("text", { x: W - 10, y: bottom - 6, "text-anchor": "end" }, "all of it right"),
    halfWidth > 0 ? s("text", { x: lower, y: bottom + 18, "text-anchor": "middle" }, test.shown[2]) : null,
    halfWidth > 0 ? s("text", { x: upper, y: bottom + 18, "text-anchor": "middle" }, test.shown[3]) : null,
    s("text", { x: x(threshold), y: bottom + (halfWidth > 0 ? 18 : 18), "text-anchor": "middle", class: "strong" }, test.shown[0]),
    isShown ? s("circle", { cx: x(value), cy: y(share), r: 5, class: "row" }) : null);
}

const CATEGORIES = 30;

function categoryTable(model, test) {
  const feature = model.features[test.feature];
  const places = test.places.toSorted((a, b) => a.position - b.position);
  const lines = places.slice(0, CATEGORIES).map(({ id, words }) => {
    const side = { below: "left", within: `both ways, ${percent(leftShare(test, id))} left`, above: "right" }[sideOf(test, id)];
    return h("tr", {}, h("th", { scope: "row" }, clipped(oneLine(feature.names[id] ?? String(id))) || "(empty)"), h("td", {}, words[0]), h("td", {}, side));
  });
  const more = places.length - lines.length;
  return h("div", {}, h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Category"), h("th", { scope: "col" }, "In training"), h("th", { scope: "col" }, "Goes"))),
    h("tbody", {}, lines)), more > 0 ? h("p", { class: "note" }, `${more} more categories`) : null);
}

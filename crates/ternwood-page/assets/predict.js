// What the tree answers: tests as in tree/test.rs, the way of a row as in predict/walk.rs. The same
// arithmetic in the same order, so that the bits agree.
//
// A value is a number, the id of a category, NaN if it is missing, or UNREAD if nobody could read it.

const UNREAD = "unread";

/** Where a value stands at a test: at a position relative to a zone, "left", "right" or "unknown". */
function placeAt(test, x) {
  if (x === UNREAD) return "unknown";
  if (Number.isNaN(x)) return test.missing ?? "unknown";
  switch (test.cut) {
    case "threshold":
      return { threshold: test.threshold, halfWidth: test.halfWidth, position: x };
    case "categories": {
      const place = test.byId.get(x);
      if (place === undefined) return "unknown";
      return { threshold: test.threshold, halfWidth: test.error * place.error, position: place.position };
    }
    case "present":
      return "left";
  }
}

/** "below", "within" or "above": the zone is open below and closed above. */
function sideOf(test, x) {
  const place = placeAt(test, x);
  if (place === "left") return "below";
  if (place === "right") return "above";
  if (place === "unknown") return "within";
  if (place.position <= place.threshold - place.halfWidth) return "below";
  return place.position > place.threshold + place.halfWidth ? "above" : "within";
}

/** Whether a value goes left when zones are ignored. */
function goesLeft(test, x) {
  const place = placeAt(test, x);
  if (place === "unknown") return test.unknownLeft >= 0.5;
  return place === "left" || (place !== "right" && place.position <= place.threshold);
}

/** The share of a row that goes left: 1 below the zone, 0 above, linear within. */
function leftShare(test, x) {
  const place = placeAt(test, x);
  if (place === "unknown") return test.unknownLeft;
  switch (sideOf(test, x)) {
    case "below": return 1;
    case "above": return 0;
    default: return leftWeight(place);
  }
}

function leftWeight({ threshold, halfWidth, position }) {
  const width = 2 * halfWidth;
  const weight = (threshold + halfWidth - position) / width;
  if (Number.isFinite(weight) && Number.isFinite(width)) return clamped(weight);
  // Numbers so large that an edge or the width overflows.
  const offset = (0.5 * threshold - 0.5 * position) / halfWidth;
  return Number.isNaN(offset) ? 0.5 : clamped(0.5 + offset);
}

function clamped(x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/** Both parts of a part of a row; null if they are too small to be divided: as in blend.rs. */
function divided(model, part, share) {
  const left = part * share;
  const right = part - left;
  return left >= model.leastShare && right >= model.leastShare ? [left, right] : null;
}

/** Walks to a leaf, or to the first split that divides this part of the row. */
function descend(model, start, row, crisp, part) {
  let node = start;
  let decided = true;
  for (;;) {
    const { test, children } = model.nodes[node];
    if (test === undefined) return { node, decided };
    const x = row[test.feature];
    if (crisp) {
      if (placeAt(test, x) === "unknown") decided = false;
      node = goesLeft(test, x) ? children[0] : children.at(-1);
      continue;
    }
    const side = sideOf(test, x);
    if (side === "within") {
      decided = false;
      const leftWeight = children.length === 2 ? leftShare(test, x) : 0;
      const parts = children.length === 2 ? divided(model, part, leftWeight) : null;
      if (parts !== null) return { node, decided, leftWeight, parts };
      node = children.length === 3 ? children[1] : goesLeft(test, x) ? children[0] : children[1];
    } else {
      node = side === "below" ? children[0] : children.at(-1);
    }
  }
}

/** The class probabilities of a row, and whether its zones decide it. Nothing recurses on depth. */
function walk(model, row) {
  const tasks = [{ visit: 0, crisp: model.routing === "crisp", part: 1 }];
  const values = [];
  let decided;
  while (tasks.length > 0) {
    const task = tasks.pop();
    if (task.visit === undefined) {
      const right = values.pop();
      const left = values.pop();
      values.push(blended(task.leftWeight, left, right));
      continue;
    }
    const reached = descend(model, task.visit, row, task.crisp, task.part);
    decided ??= reached.decided;
    const { test, children, p } = model.nodes[reached.node];
    if (test === undefined) {
      values.push(p);
      continue;
    }
    // Last in, first out: left, then right, then both together.
    const crisp = model.routing === "deferred";
    tasks.push({ leftWeight: reached.leftWeight });
    tasks.push({ visit: children[1], crisp, part: reached.parts[1] });
    tasks.push({ visit: children[0], crisp, part: reached.parts[0] });
  }
  return { p: values[0], decided };
}

function blended(leftWeight, left, right) {
  const rightWeight = 1 - leftWeight;
  return left.map((p, k) => leftWeight * p + rightWeight * right[k]);
}

/** The model of the document, with its categories where they are found quickly. */
function prepared(document) {
  for (const { test } of document.nodes) {
    if (test?.cut === "categories") {
      test.byId = new Map(test.places.map((place) => [place.id, place]));
    }
  }
  return document;
}

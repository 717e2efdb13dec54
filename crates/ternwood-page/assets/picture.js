// The picture of the tree: the way of the row, and nodes to choose.

const nodeGroups = () => document.querySelectorAll("#tree g[data-node]");

/** Makes the nodes of the pictures reachable by mouse and keyboard. */
function preparePictures(model, choose) {
  for (const svg of document.querySelectorAll("#tree figure svg")) {
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "The tree");
    svg.querySelector("title")?.remove();
    // Of a branch that is closed nothing is measured: there may be hundreds.
    const branch = svg.closest("details");
    if (branch === null) prepareScrolling(svg);
    else branch.addEventListener("toggle", () => prepareScrolling(svg), { once: true });
  }
  for (const part of document.querySelectorAll("#tree [data-node]")) {
    const id = Number(part.dataset.node);
    if (!pictureParts.has(id)) pictureParts.set(id, []);
    pictureParts.get(id).push(part);
  }
  for (const group of nodeGroups()) {
    const id = Number(group.dataset.node);
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", id === 0 ? "0" : "-1");
    group.setAttribute("aria-label", nodeLabel(model, id));
    group.addEventListener("click", () => choose(id, group));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(id, group);
      } else if (event.key.startsWith("Arrow")) {
        const next = neighbour(model, id, event.key);
        const target = next === undefined ? null : group.closest("svg").querySelector(`g[data-node="${next}"]`);
        if (target === null) return;
        event.preventDefault();
        group.setAttribute("tabindex", "-1");
        target.setAttribute("tabindex", "0");
        target.focus();
      }
    });
  }
}

/** Begins in the middle, where the root stands, and moves the facts and the legend along: they stand before the first edge. */
function prepareScrolling(svg) {
  const figure = svg.closest("figure");
  figure.scrollLeft = (figure.scrollWidth - figure.clientWidth) / 2;
  const ground = svg.querySelector("rect");
  const head = s("g");
  while (ground.nextElementSibling !== null && ground.nextElementSibling.dataset.node === undefined) head.append(ground.nextElementSibling);
  ground.after(head);
  const follow = () => {
    const hidden = figure.scrollWidth - figure.clientWidth;
    if (hidden <= 0) return head.removeAttribute("transform");
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const { x, width } = head.getBBox();
    // A head wider than the window is scrolled too, but never out of sight.
    const spare = Math.max(0, figure.scrollWidth - Math.max(figure.clientWidth, scale * (2 * x + width)));
    head.setAttribute("transform", `translate(${((figure.scrollLeft / hidden) * spare) / scale} 0)`);
  };
  figure.addEventListener("scroll", follow);
  addEventListener("resize", follow);
  addEventListener("beforeprint", () => head.removeAttribute("transform"));
  addEventListener("afterprint", follow);
  follow();
}

function nodeLabel(model, id) {
  const { test, rows, p } = model.nodes[id];
  if (test !== undefined) return `Node ${id}: ${test.words}, ${rows} rows`;
  const likely = mostProbable(p);
  return `Node ${id}: leaf, ${percent(p[likely])} ${model.classes[likely].words}, ${rows} rows`;
}

/** The node that an arrow key goes to. */
function neighbour(model, id, key) {
  const parent = model.parents[id];
  if (key === "ArrowUp") return parent;
  if (key === "ArrowDown") return model.nodes[id].children?.[0];
  if (parent === undefined) return undefined;
  const siblings = model.nodes[parent].children;
  return siblings[siblings.indexOf(id) + (key === "ArrowRight" ? 1 : -1)];
}

/** The parts of the pictures and the row of the table that show a node. */
function partsOf(node) {
  const row = byId(`node-${node}`);
  return [...(pictureParts.get(node) ?? []), ...(row === null ? [] : [row])];
}

const pictureParts = new Map();
let litParts = [];

/** Lights up the way of a row, with shares where it goes both ways. */
function lightUp({ steps, leaves }) {
  document.querySelectorAll("#tree .badge").forEach((badge) => badge.remove());
  for (const part of litParts) part.classList.remove("lit");
  litParts = [];
  for (const { node, share } of [...steps, ...leaves]) {
    if (share === 0) continue;
    for (const part of partsOf(node)) {
      part.classList.add("lit");
      part.style.setProperty("--share", share);
      if (part.tagName === "g" && share < 1) part.append(badge(part, share));
      litParts.push(part);
    }
  }
}

/** The share of a row that comes to a node, on the corner of its card. */
function badge(group, share) {
  const card = group.querySelector("rect");
  const at = (name) => Number(card.getAttribute(name));
  const [x, y] = [at("x") + at("width") - 18, at("y") + at("height") + 9];
  return s("g", { class: "badge", "aria-hidden": "true" },
    s("rect", { x: x - 18, y: y - 8, width: 36, height: 16, rx: 8 }),
    s("text", { x, y: y + 3.6, "text-anchor": "middle", "font-size": 10 }, percentApart(share, [])));
}

/** Marks the chosen node in all pictures. */
function markChosen(id) {
  document.querySelectorAll("#tree .chosen").forEach((part) => part.classList.remove("chosen"));
  for (const part of pictureParts.get(id) ?? []) if (part.tagName === "g") part.classList.add("chosen");
}

/** Opens the picture of the branch below a node, or the one that has the node, if the first picture leaves it out. */
function openBranch(id) {
  const pictures = (pictureParts.get(id) ?? []).map((part) => part.closest("figure"));
  const isDrawn = pictures.some((picture) => picture.closest(".branch") === null);
  const branch = byId(`branch-${id}`) ?? (isDrawn ? null : pictures[0]?.closest(".branch")) ?? null;
  if (branch === null) return;
  branch.open = true;
  branch.scrollIntoView({ block: "nearest" });
}

// The picture of the tree: the way of the row, and nodes to choose.

const nodeGroups = () => document.querySelectorAll("#tree g[data-node]");

/** Makes the nodes of the pictures reachable by mouse and keyboard. */
function preparePictures(model, choose) {
  for (const svg of document.querySelectorAll("#tree figure svg")) {
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "The tree");
    svg.querySelector("title")?.remove();
    const figure = svg.closest("figure");
    // The root stands in the middle.
    figure.scrollLeft = (figure.scrollWidth - figure.clientWidth) / 2;
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

/** Lights up the way of a row, with shares where it goes both ways. */
function lightUp({ steps, leaves }) {
  const shares = new Map([...steps, ...leaves].map(({ node, share }) => [node, share]));
  document.querySelectorAll("#tree .badge").forEach((badge) => badge.remove());
  for (const element of document.querySelectorAll("#tree [data-node]")) {
    const share = shares.get(Number(element.dataset.node));
    element.classList.toggle("lit", share > 0);
    element.style.setProperty("--share", share ?? 0);
    if (element.tagName === "g" && share > 0 && share < 1) element.append(badge(element, share));
  }
  for (const row of document.querySelectorAll("#nodes tr.lit")) row.classList.remove("lit");
  for (const [node, share] of shares) if (share > 0) byId(`node-${node}`)?.classList.add("lit");
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

/** Marks the chosen node in all pictures, and opens the branch that shows it. */
function markChosen(id) {
  for (const group of nodeGroups()) group.classList.toggle("chosen", Number(group.dataset.node) === id);
}

function openBranch(id) {
  const branch = byId(`branch-${id}`);
  if (branch === null) return;
  branch.open = true;
  branch.scrollIntoView({ block: "nearest" });
}

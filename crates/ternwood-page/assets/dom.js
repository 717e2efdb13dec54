// Elements. Names from the model become text, never markup.

const byId = (id) => document.getElementById(id);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function show(element) {
  element.hidden = false;
}

/** The colour of a class, as a custom property for the style sheet. */
function coloured(model, id) {
  return `--class:${model.classes[id].colour}`;
}

/** A bar with one part per class. */
function classBar(model, shares) {
  const parts = shares.map((share, id) => (share > 0 ? h("i", { style: `${coloured(model, id)};flex-grow:${share}` }) : null));
  return h("span", { class: "bar", "aria-hidden": "true" }, parts);
}

const MANY_LINES = 12;

/** A table; one of many lines is scrolled by itself. */
function limited(label, lines, table) {
  return lines.length <= MANY_LINES ? table : h("div", { class: "tall", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** A button that copies a text. */
function copyable(text, label) {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy: ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try { await navigator.clipboard.writeText(text); } catch { document.execCommand("copy"); }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  const code = h("code", {}, text);
  return h("div", { class: "copyable" }, code, button);
}

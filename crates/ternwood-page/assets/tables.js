// Tables: where second looks come from, the rules, and answers to a file.

/** Nodes and features by the number of flagged evaluation rows that hinge on them. */
function showSources(model, effect, choose) {
  const total = effect.rows - effect.decided;
  const holder = byId("sources");
  if (total === 0) {
    holder.replaceChildren(h("p", {}, "No evaluation row is flagged."));
    return;
  }
  const byFeature = new Map();
  for (const [node, count] of effect.nodes) {
    const test = model.nodes[node].test;
    const name = test === undefined ? null : test.feature;
    byFeature.set(name, (byFeature.get(name) ?? 0) + count);
  }
  const line = (label, count) => h("tr", {}, h("th", { scope: "row" }, label), h("td", { class: "n" }, grouped(count)),
    h("td", { class: "meter" }, h("span", { class: "track" }, h("i", { style: `width:${((100 * count) / total).toFixed(1)}%` }))));
  const largest = (map) => [...map].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const table = (title, lines) => h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title), h("th", { scope: "col", class: "n" }, "Flagged rows"), h("td", {}))), h("tbody", {}, lines));
  const nodes = largest(effect.nodes).map(([node, count]) => {
    const test = model.nodes[node].test;
    const label = test === undefined ? `a leaf of mixed rows: ${model.classes[mostProbable(model.nodes[node].p)].words}` : test.words;
    return line(h("button", { type: "button", class: "link", onclick: () => choose(node) }, `${node}: ${label}`), count);
  });
  const features = largest(byFeature).map(([index, count]) => line(index === null ? "no feature: a leaf of mixed rows" : model.features[index].words || "(unnamed)", count));
  holder.replaceChildren(
    h("p", {}, `${grouped(total)} of ${grouped(effect.rows)} evaluation rows are flagged; each is counted at the test that its answer hinges on most.`),
    h("div", { class: "pair" }, table("Feature", features), table("Node", nodes)));
}

/** Rules can be sorted by a click on a heading, and filtered. */
function prepareRules(choose) {
  const table = byId("rules-table");
  if (table === null) return;
  const body = table.tBodies[0];
  const filter = h("input", { type: "search", placeholder: "Filter: a class, a feature", "aria-label": "Filter the rules" });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
  table.closest(".wide").before(h("div", { class: "tools" }, filter));
  for (const [index, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = h("button", { type: "button", class: "sort" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[index].dataset.key ?? row.cells[index].textContent;
      const order = (a, b) => {
        const [x, y] = [key(a), key(b)];
        return Number.isNaN(Number(x)) ? x.localeCompare(y) : Number(x) - Number(y);
      };
      body.append(...[...body.rows].sort((a, b) => (up ? order(a, b) : order(b, a))));
    });
  }
  for (const row of body.rows) {
    const cell = row.cells[0];
    cell.replaceChildren(h("button", { type: "button", class: "link", onclick: () => choose(Number(row.dataset.leaf)) }, cell.textContent));
  }
}

const ROWS_AT_ONCE = 2000;
const SHOWN_ROWS = 8;

/** Answers a file in the browser and offers the answers as a file. */
function prepareFile(model, policyInForce) {
  const input = byId("file");
  const drop = byId("drop");
  input.addEventListener("change", () => input.files[0] && answerFile(model, policyInForce(), input.files[0]));
  const over = (isOver) => (event) => { event.preventDefault(); drop.classList.toggle("over", isOver); };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", (event) => {
    over(false)(event);
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) answerFile(model, policyInForce(), file);
  });
}

async function answerFile(model, policy, file) {
  const holder = byId("answers");
  holder.replaceChildren(h("p", {}, `Reading ${file.name} …`));
  byId("table").scrollIntoView({ block: "nearest" });
  try {
    const { names, rows } = readTable(await file.text());
    const read = rowReader(model, names);
    const added = answerNames(model, names);
    const text = [csvLine([...names, ...added])];
    const shown = [];
    const found = { undecided: 0, unread: 0 };
    for (const [index, record] of rows.entries()) {
      if (index % ROWS_AT_ONCE === 0 && index > 0) {
        holder.replaceChildren(h("p", {}, `${grouped(index)} of ${grouped(rows.length)} rows answered …`));
        await new Promise((resume) => { setTimeout(resume); });
      }
      const cells = read(record);
      const { fields, answer } = answerFields(model, policy, cells);
      if (!answer.decided) found.undecided++;
      if (cells.unseen.size > 0 || cells.row.includes(UNREAD)) found.unread++;
      text.push(csvLine([...record.fields, ...fields]));
      // All digits are in the file.
      const short = (text, at) => (added[at].startsWith("probability_") ? fixed(Number(text), 3) : text);
      if (shown.length < SHOWN_ROWS) shown.push([...record.fields, ...fields.map(short)]);
    }
    showAnswers(file.name, [...names, ...added], rows.length, shown, found, text.join(""));
  } catch (problem) {
    holder.replaceChildren(h("p", { class: "problem", role: "alert" }, `${file.name}: ${problem.message}`));
  }
}

function showAnswers(name, names, rows, shown, { undecided, unread }, text) {
  const link = h("a", { class: "button", download: name.replace(/(\.\w+)?$/, "-answers.csv"), href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) }, "Download the answers");
  const share = rows > 0 ? ` (${percentApart(undecided / rows, [])})` : "";
  byId("answers").replaceChildren(
    h("p", {}, h("b", {}, `${grouped(rows)} rows answered, ${grouped(undecided)} undecided${share}. `), link),
    unread > 0 ? h("p", { class: "note" }, `${grouped(unread)} rows have a value that the model does not know or that could not be read.`) : "",
    h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "The first answers" }, h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, names.map((text) => h("th", { scope: "col" }, text || "\u00a0")))),
      h("tbody", {}, shown.map((fields) => h("tr", {}, fields.map((text) => h("td", {}, text))))))),
    rows > shown.length ? h("p", { class: "note" }, `${grouped(rows - shown.length)} more in the file.`) : "");
}

// Puts the page together.

function start() {
  const model = prepared(JSON.parse(byId("model").textContent));
  model.parents = [];
  model.nodes.forEach(({ children = [] }, id) => children.forEach((child) => { model.parents[child] = id; }));

  const state = { policy: model.policy, threshold: null, row: firstRow(model), node: 0, effect: null };
  const ownWords = byId("policy").textContent;

  const answer = () => {
    const context = explained(model, state.policy, state.row, new Map());
    showAnswer(context);
    lightUp(context);
    if (!byId("node").hidden) showNode(model, state.node, state.row, state.effect?.nodes.get(state.node) ?? 0);
  };
  const choose = (id) => {
    state.node = id;
    openBranch(id);
    markChosen(id);
    showNode(model, id, state.row, state.effect?.nodes.get(id) ?? 0);
  };
  const chooseFromAfar = (id) => {
    choose(id);
    byId("node").scrollIntoView({ block: "center" });
  };
  let showChoice = null;
  const setThreshold = (threshold) => {
    state.threshold = threshold;
    state.policy = threshold === null ? model.policy : thresholdPolicy(model, threshold);
    byId("policy").textContent = threshold === null ? ownWords : `undecided below a probability of ${threshold}, chosen on this page`;
    byId("own-policy").hidden = threshold === null;
    if (showChoice !== null) {
      state.effect = showChoice(threshold);
      showSources(model, state.effect, chooseFromAfar);
    }
    answer();
  };

  document.body.classList.add("scripted");
  preparePictures(model, choose);
  buildInputs(model, state.row, answer);
  prepareRules(chooseFromAfar);
  prepareFile(model, () => state.policy);
  byId("own-policy").addEventListener("click", () => setThreshold(null));
  if (model.evaluation !== null) {
    showChoice = buildChoice(model, setThreshold);
    show(byId("choose"));
    show(byId("looks"));
  }
  show(byId("ask"));
  show(byId("table"));
  document.querySelectorAll(".script").forEach(show);
  setThreshold(null);
  // For other scripts, and for tests: the answers without the page.
  window.ternwood = { model, UNREAD, answerOf: (row) => answerOf(model, row), explained: (row) => explained(model, model.policy, row, new Map()) };
}

start();

// A value at a test, in words: as in words/test.rs.

const LONGEST_NAME = 40;

/** At most 40 characters. */
function clipped(name) {
  const letters = [...name];
  return letters.length <= LONGEST_NAME ? name : `${letters.slice(0, LONGEST_NAME - 1).join("").trimEnd()}…`;
}

/** Without what breaks lines. */
function oneLine(name) {
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => {
    const usual = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[c];
    return usual ?? `\\u{${c.codePointAt(0).toString(16)}}`;
  });
}

// A zone in words: as in tree/zone_meaning.rs. Every zone has its threshold, half-width and edges as people see them.

function isError({ zoneMeaning }) {
  return zoneMeaning === "measurement_error" || zoneMeaning === "standard_error";
}

/** "blended between 125.9 and 128.1". */
function zoneRange({ zoneMeaning }, [, , lower, upper]) {
  return `${zoneMeaning} between ${lower} and ${upper}`;
}

/** "127.0 ± 1.1", or "127.0" without a zone. */
function zoneWithError({ zoneMeaning }, [threshold, halfWidth]) {
  const standard = zoneMeaning === "standard_error" ? " (standard error)" : "";
  return halfWidth ? `${threshold} ± ${halfWidth}${standard}` : threshold;
}

/** "127.0 ± 1.1", or "the blending zone from 125.9 to 128.1". */
function zoneAsPlace(model, zone) {
  if (!zone[1] || isError(model)) return zoneWithError(model, zone);
  const kind = model.zoneMeaning === "blended" ? "blending zone" : "uncertainty zone";
  return `the ${kind} from ${zone[2]} to ${zone[3]}`;
}

/** "127.0 ± 1.1", or "127.0 (blended between 125.9 and 128.1)". */
function zoneInClause(model, zone) {
  return !zone[1] || isError(model) ? zoneWithError(model, zone) : `${zone[0]} (${zoneRange(model, zone)})`;
}

/** What can be said of a step of an explained row; `unseen` has texts that the model does not know. */
function tested(model, step, unseen = new Map()) {
  const { test, value } = step;
  const feature = model.features[test.feature];
  const text = unseen.get(test.feature);
  const missing = Number.isNaN(value);
  const rows = model.nodes[step.node].rows;

  function named() {
    const known = feature.kind === "number" || typeof value !== "number" ? undefined : feature.names[value];
    const category = text ?? known;
    if (category !== undefined) return `${feature.words} '${clipped(oneLine(category))}'`;
    if (missing || value === UNREAD) return feature.words;
    if (feature.kind === "categories") return `the category of ${feature.words}`;
    return `${feature.words} ${number()}`;
  }

  function number() {
    return inNotation(feature, test.cut === "threshold" ? shownBeside(test, value).value : String(value));
  }

  /** The ordered categories next to the threshold. */
  function neighbours() {
    if (feature.kind !== "ordered") return undefined;
    const last = Math.floor(test.threshold);
    if (!(last >= 0 && last < feature.names.length - 1)) return undefined;
    return [feature.names[last], feature.names[last + 1]].map((name) => clipped(oneLine(name)));
  }

  function between() {
    const [last, next] = neighbours();
    return `the cut between ${last} and ${next}`;
  }

  function shownZone() {
    return typeof value === "number" && !missing ? shownBeside(test, value).zone : test.shown;
  }

  /** "127.0 ± 1.1", "the blending zone from 125.9 to 128.1", or "1.5 ranks of the cut between A and B". */
  function near() {
    const zone = shownZone();
    if (neighbours() === undefined) return zoneAsPlace(model, zone);
    const width = zone[1].includes(".") ? zone[1].replace(/\.?0+$/, "") : zone[1];
    return `${width === "1" ? "1 rank" : `${width} ranks`} of ${between()}`;
  }

  function didNotOccur() {
    const often = model.fewestRows > 1 ? ` ${model.fewestRows} times` : "";
    return `${named()} did not occur${often} among the ${rows} training rows of this test`;
  }

  function notAmong() {
    return model.fewestRows > 1
      ? `fewer than ${model.fewestRows} of the ${rows} training rows of this test`
      : `not among the ${rows} training rows of this test`;
  }

  function whyUnread() {
    if (text !== undefined && feature.kind === "ordered") {
      return `${named()} has no rank among ${listedCategories(feature, feature.names.map((_, id) => id))}`;
    }
    if (text !== undefined && feature.kind === "categories") return didNotOccur();
    return `${named()} could not be read`;
  }

  /** Why the value is undecided: "glucose 126.4 lies within 127.0 ± 1.1". */
  function doubt() {
    if (value === UNREAD) return whyUnread();
    if (missing) {
      const reason = model.missing === "unknown"
        ? "this tree learned nothing from missing values"
        : "this test never saw a missing value";
      return `${named()} is missing, and ${reason}`;
    }
    if (test.cut === "present") return `${named()} is present`;
    if (test.cut === "threshold") return `${named()} lies within ${near()}`;
    const place = test.byId.get(value);
    if (place === undefined) return didNotOccur();
    return `${named()} (${place.words[0]}) lies ${place.words[1]}`;
  }

  /** The same in few words, beside the name. */
  function doubtInBrief() {
    if (value === UNREAD) {
      if (text !== undefined && feature.kind === "ordered") return "without a rank";
      return text !== undefined && feature.kind === "categories" ? notAmong() : "could not be read";
    }
    if (missing) return "missing";
    if (test.cut === "present") return "present";
    if (test.cut === "threshold") {
      return neighbours() !== undefined || isError(model) ? `within ${near()}` : zoneRange(model, shownZone());
    }
    const place = test.byId.get(value);
    return place === undefined ? notAmong() : `${place.words[0]}, ${place.words[1]}`;
  }

  return { feature, named, doubt, doubtInBrief };
}

const LONGEST_LIST = 60;

/** The names of categories, as many as fit: "clerk, nurse and 12 more". */
function listedCategories(feature, ids) {
  let list = "";
  for (const [index, id] of ids.entries()) {
    const name = inList(clipped(oneLine(feature.names[id] ?? String(id))));
    if (index > 0 && [...list].length + [...name].length > LONGEST_LIST) return `${list} and ${ids.length - index} more`;
    list += index > 0 ? `, ${name}` : name;
  }
  return list;
}

function inList(name) {
  return name !== "" && name.trim() === name && !/[,{}':]/.test(name) ? name : `'${name}'`;
}

/** "a, b and c". */
function listed(items, and) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${and} ${items.at(-1)}`;
}

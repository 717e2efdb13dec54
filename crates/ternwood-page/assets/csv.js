// Tables: read like `ternwood predict` reads them, answered here, written like it writes them.

const MISSING = new Set(["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "1.#IND", "1.#QNAN"]);

/** The records of a text: lists of fields, with the line on which each begins. */
function records(text, delimiter, most = Infinity) {
  const found = [];
  let fields = [];
  let [at, line, start] = [0, 1, 1];
  const end = () => {
    if (fields.length > 1 || fields[0].trim() !== "" || fields[0].quoted) found.push({ fields: fields.map(String), line: start });
    fields = [];
    start = line;
  };
  while (at < text.length && found.length < most) {
    let field = "";
    let quoted = false;
    let next = at;
    while (text[next] === " ") next++;
    if (text[next] === '"') {
      quoted = true;
      for (at = next + 1; ; at++) {
        if (at >= text.length) throw new Error(`line ${start}: a quote is not closed`);
        if (text[at] === '"' && text[at + 1] !== '"') break;
        if (text[at] === '"') at++;
        if (text[at] === "\n") line++;
        field += text[at];
      }
      at++;
      while (text[at] === " ") at++;
    }
    while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") field += text[at++];
    fields.push(quoted ? Object.assign(new String(field), { quoted }) : field);
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) fields.push("");
      else continue;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    if (at < text.length) line++;
    at++;
    end();
  }
  return found;
}

/** The delimiter that gives the largest share of records the same number of fields. */
function sniffed(text) {
  const sample = text.slice(0, 1 << 16);
  let best = { share: 0, length: 0, delimiter: "," };
  for (const delimiter of [",", "\t", ";", "|"]) {
    let found = [];
    try { found = records(sample, delimiter, 100); } catch { /* the reader of all records reports it */ }
    const counts = new Map();
    for (const { fields } of found) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
    for (const [length, count] of counts) {
      const share = Math.floor((1000 * count) / found.length);
      if (length > 1 && (share > best.share || (share === best.share && length > best.length))) best = { share, length, delimiter };
    }
  }
  return best.delimiter;
}

/** A table: the names of its columns, and its records. */
function readTable(text) {
  const plain = text.replace(/^\ufeff/, "");
  const [header, ...rows] = records(plain, sniffed(plain));
  if (header === undefined) throw new Error("the file is empty: it has no rows");
  const names = header.fields.map((name) => name.trim());
  if (names.length > 1 && names.at(-1) === "") names.pop();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two columns are called '${twice}'`);
  for (const { fields, line } of rows) {
    if (fields.length === names.length + 1 && fields.at(-1).trim() === "") fields.pop();
    if (fields.length !== names.length) {
      throw new Error(`line ${line} has ${fields.length} fields, and the header ${names.length}`);
    }
  }
  return { names, rows };
}

/** A text as the number that a feature's notation spells; undefined if it is none. */
function parsedNumber(notation, text) {
  switch (notation.kind) {
    case "percent": return text.endsWith("%") ? markedNumber(notation, text.slice(0, -1).trimEnd()) : undefined;
    case "date": { const s = parsedDate(notation.pattern, text); return s === undefined ? undefined : s / 86400; }
    case "time": return parsedDate(notation.pattern, text);
    default: return markedNumber(notation, text);
  }
}

function markedNumber({ decimal, thousands }, text) {
  let plain = text;
  if (decimal !== "." || thousands !== null) {
    let [whole, ...fraction] = text.split(decimal);
    if (thousands !== null && whole.includes(thousands)) {
      const [first, ...groups] = whole.replace(/^[+-]/, "").split(thousands);
      if (!/^\d{1,3}$/.test(first) || !groups.every((group) => /^\d{3}$/.test(group))) return undefined;
      whole = whole.replaceAll(thousands, "");
    }
    if (whole.includes(".") || fraction.length > 1) return undefined;
    plain = fraction.length > 0 ? `${whole}.${fraction[0]}` : whole;
  }
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return Number(plain);
  if (/^[+-]?nan$/i.test(plain)) return NaN;
  return /^[+-]?(inf|infinity)$/i.test(plain) ? Infinity : undefined;
}

const PIECES = { Y: "(?<Y>\\d{4})", m: "(?<m>\\d{1,2})", d: "(?<d>\\d{1,2})", H: "(?<H>\\d{1,2})", M: "(?<M>\\d{1,2})", S: "(?<S>\\d{1,2}(?:\\.\\d+)?)" };
const ISO = /^(?<Y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})(?:[T ](?<H>\d{1,2}):(?<M>\d{2})(?::(?<S>\d{2}(?:\.\d+)?))?Z?)?$/;

/** Seconds since 1970 of a date, as its feature's pattern spells it or as in ISO 8601. */
function parsedDate(pattern, text) {
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%([YmdHMS])/g, (_, piece) => PIECES[piece]);
  const groups = (source.includes("%") ? null : new RegExp(`^${source}$`).exec(text))?.groups ?? ISO.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const [Y, m, d, H = 0, M = 0, S = 0] = [groups.Y, groups.m, groups.d, groups.H, groups.M, groups.S].map((it) => (it === undefined ? undefined : Number(it)));
  const day = new Date(Date.UTC(2000, 0, 1));
  day.setUTCFullYear(Y, m - 1, d);
  if (day.getUTCMonth() !== m - 1 || day.getUTCDate() !== d || H > 23 || M > 59 || S >= 61) return undefined;
  return day.getTime() / 1000 + H * 3600 + M * 60 + S;
}

/** A cell as the tree sees it, and its text if the model does not know it. */
function readCell(model, feature, cell, where) {
  const text = cell.trim();
  const asMissing = () => {
    if (feature.fill !== null) return { value: feature.fill };
    if (model.missing === "error") throw new Error(`${where}: the value is missing, which this model refuses`);
    return { value: NaN };
  };
  if (MISSING.has(text)) return asMissing();
  if (feature.kind === "number") {
    const value = parsedNumber(feature.notation, text);
    if (value === undefined) return { value: UNREAD };
    if (Number.isNaN(value)) return asMissing();
    if (!Number.isFinite(value)) throw new Error(`${where}: the value is infinite`);
    return { value };
  }
  let id = feature.names.indexOf(text);
  if (id < 0 && /^(true|false)$/i.test(text)) id = feature.names.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  if (id >= 0) return { value: id };
  return { value: feature.kind === "ordered" ? UNREAD : feature.names.length, unseen: text };
}

/** A reader of the rows of a table with these columns. */
function rowReader(model, names) {
  const columns = model.features.map(({ name, tested }) => (tested ? names.indexOf(name) : -1));
  const absent = model.features.filter(({ tested }, index) => tested && columns[index] < 0);
  if (absent.length > 0) {
    throw new Error(`the table has no column ${listed(absent.map(({ name }) => `'${name}'`), "and")}; it has ${names.map((name) => `'${name}'`).join(", ")}`);
  }
  return ({ fields, line }) => {
    const unseen = new Map();
    const row = model.features.map((feature, index) => {
      if (columns[index] < 0) return NaN;
      const cell = readCell(model, feature, fields[columns[index]], `line ${line}, column '${feature.name}'`);
      if (cell.unseen !== undefined) unseen.set(index, cell.unseen);
      return cell.value;
    });
    return { row, unseen };
  };
}

/** The columns that are added to a table. */
function answerNames(model, names) {
  const added = ["prediction", ...model.classes.map(({ name }) => `probability_${name}`), "verdict", "reason"];
  const clash = added.find((name) => names.includes(name));
  if (clash !== undefined) throw new Error(`the table has a column '${clash}' already; rename it`);
  return added;
}

/** The fields that are added to a row. */
function answerFields(model, policy, { row, unseen }) {
  const { answer, reason: why } = reasoned(model, policy, row, unseen);
  const { name, number } = model.classes[answer.class];
  const asNumbers = model.classes.every((it) => it.number !== null);
  const reason = answer.decided ? "" : why;
  const fields = [asNumbers ? shortest(number) : name, ...answer.p.map(shortest), answer.decided ? "decided" : "undecided", reason];
  return { fields, answer };
}

function csvLine(fields) {
  return fields.map((field) => (/[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",") + "\n";
}

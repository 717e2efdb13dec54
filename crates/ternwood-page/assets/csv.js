// Tables: read like `ternwood predict` reads them, answered here, written like it writes them.

const MISSING = new Set(["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "1.#IND", "1.#QNAN"]);

/** A cell without the white space around it. */
const trimmed = (cell) => cell.replace(/^[ \t\n\f\r]+|[ \t\n\f\r]+$/g, "");

/** The records of a text: lists of fields, with the line on which each begins. */
function records(text, delimiter, most = Infinity) {
  const found = [];
  let fields = [];
  let [at, line, start] = [0, 1, 1];
  const end = () => {
    if (fields.length > 1 || trimmed(fields[0]) !== "" || fields[0].quoted) found.push({ fields: fields.map(String), line: start });
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
  const names = header.fields.map(trimmed);
  if (names.length > 1 && names.at(-1) === "") names.pop();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two columns are called '${twice}'`);
  for (const { fields, line } of rows) {
    if (fields.length === names.length + 1 && trimmed(fields.at(-1)) === "") fields.pop();
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

const PLAIN = { decimal: ".", thousands: null };

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

const ZONE = String.raw`Z|UTC|[+-]\d{2}(?::?\d{2})?`;
const TIME_OF_DAY = String.raw`(?:[ T](?<H>\d{1,2}):(?<M>\d{2})(?::(?<S>\d{2})(?:\.(?<f>\d{1,9}))?)?(?:[ \t\n\f\r]*(?<z>${ZONE}))?)?`;
const ISO = new RegExp(String.raw`^(?<Y>\d{4})-(?<m>\d{2})-(?<d>\d{2})${TIME_OF_DAY}$`);
const PIECES = { Y: String.raw`\d{4}`, y: String.raw`\d{2}`, b: "[A-Za-z]+", B: "[A-Za-z]+", p: "[AaPp][Mm]", f: String.raw`\d{1,9}`, z: ZONE };
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** Texts of a pattern of dates: mirrors `notation/date.rs`. */
function dateExpression(pattern) {
  const codes = pattern.match(/%.|[^%]/g);
  const isNumber = (code) => code !== undefined && /^%[YymdHIMSf]$/.test(code);
  const piece = (code, index) => {
    if (code[0] !== "%" || code === "%%") return code.at(-1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const isAdjacent = isNumber(codes[index - 1]) || isNumber(codes[index + 1]);
    return `(?<${code[1]}>${PIECES[code[1]] ?? (isAdjacent ? "\\d{2}" : "\\d{1,2}")})`;
  };
  return new RegExp(`^${codes.map(piece).join("")}${/%[HIpMSfz]/.test(pattern) ? "" : TIME_OF_DAY}$`);
}

/** Seconds since 1970 of a date, as its feature's pattern spells it or as in ISO 8601. */
function parsedDate(pattern, text) {
  const own = pattern === "%Y-%m-%d" ? undefined : dateSeconds(dateExpression(pattern).exec(text)?.groups);
  return own ?? dateSeconds(ISO.exec(text)?.groups);
}

function dateSeconds(groups) {
  if (groups === undefined) return undefined;
  const number = (code) => Number(groups[code] ?? 0);
  const word = (groups.b ?? groups.B)?.toLowerCase();
  const month = word === undefined ? number("m") - 1 : MONTHS.findIndex((name) => word === name || word === name.slice(0, 3));
  const year = groups.y === undefined ? number("Y") : number("y") + (number("y") < 69 ? 2000 : 1900);
  const day = new Date(Date.UTC(2000, 0, 1));
  day.setUTCFullYear(year, month, number("d"));
  let hour = number("H") || number("I");
  if (groups.p !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (/p/i.test(groups.p) ? 12 : 0);
  }
  const [, sign, zoneHours, zoneMinutes = 0] = /^([+-])(\d{2}):?(\d{2})?$/.exec(groups.z ?? "") ?? ["", "+", 0];
  const exists = day.getUTCMonth() === month && day.getUTCDate() === number("d");
  if (!exists || hour > 23 || number("M") > 59 || number("S") > 60 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const zone = (zoneHours * 3600 + zoneMinutes * 60) * (sign === "-" ? -1 : 1);
  const fraction = groups.f === undefined ? 0 : number("f") / 10 ** groups.f.length;
  return day.getTime() / 1000 + hour * 3600 + number("M") * 60 + number("S") - zone + fraction;
}

/** The category that a text stands for: by name, or else a boolean in any case, or the same number. */
function categoryOf(names, text) {
  const id = names.indexOf(text);
  if (id >= 0) return id;
  if (/^(true|false)$/i.test(text)) return names.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  // Codes such as 007 are names.
  const asNumber = (it) => (/^(\+|-?0\d)/.test(it) ? undefined : markedNumber(PLAIN, it));
  const number = asNumber(text);
  const isExact = Math.abs(number) < 2 ** 53;
  return isExact ? names.findIndex((name) => asNumber(name) === number) : -1;
}

/** A cell as the tree sees it, and its text if the model does not know it. */
function readCell(model, feature, cell, where) {
  const text = trimmed(cell);
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
  const id = categoryOf(feature.names, text);
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

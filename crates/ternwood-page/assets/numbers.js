// Numbers as people see them: as in words/numbers.rs.

/** A number with so many decimals; a tie goes to the even digit. */
function fixed(x, decimals) {
  const text = x.toFixed(decimals);
  // All digits of a tie: a five and nothing else.
  if (Math.abs(x) >= 1e15 || !/50{24}$/.test(x.toFixed(decimals + 25))) return text;
  const scaled = x * 10 ** decimals;
  return ((2 * Math.round(scaled / 2)) / 10 ** decimals).toFixed(decimals);
}

function percent(share, decimals = 0) {
  return `${fixed(100 * share, decimals)} %`;
}

/** A whole number with a narrow space between thousands. */
function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Two probabilities in percent, with enough decimals to tell them apart. */
function percentsToldApart(first, second) {
  const whole = Math.round(100 * second) / 100 === second;
  const fewest = whole ? 0 : 1;
  for (let decimals = fewest; decimals < 10; decimals++) {
    const texts = [percent(first, decimals), percent(second, decimals)];
    if (texts[0] !== texts[1] || first === second) return texts;
  }
  const text = percent(second, fewest);
  return [`${first < second ? "just under" : "just over"} ${text}`, text];
}

/** A probability in percent, with as few decimals as tell it from others and from certainty. */
function percentApart(share, others) {
  const told = (decimals, others) => others.every((other) =>
    other === share || percent(other, decimals) !== percent(share, decimals));
  for (let d = 0; d < 3; d++) if (told(d, others) && told(d, [0, 1])) return percent(share, d);
  for (let d = 0; d < 14; d++) if (told(d, others)) return percent(share, d);
  return percent(share, 14);
}

/** Two costs with enough decimals to tell them apart. */
function costsToldApart(first, second) {
  if (Math.max(Math.abs(first), Math.abs(second)) >= 1e6) return [first, second].map(plainNumber);
  const fewest = Number(fixed(second, 2)) === second ? 2 : 3;
  for (let decimals = fewest; decimals < 17; decimals++) {
    const texts = [fixed(first, decimals), fixed(second, decimals)];
    if (texts[0] !== texts[1] || first === second) return texts;
  }
  return [String(first), String(second)];
}

/** A number with up to six significant digits. */
function plainNumber(x) {
  if (x === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(x)));
  if (magnitude < -4 || magnitude >= 7) return x.toExponential(3).replace("e+", "e");
  const text = fixed(x, Math.max(0, 5 - magnitude));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The shortest text that is read back as the same number: what the command writes into tables. */
function shortest(x) {
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return x.toExponential().replace("e+", "e");
  const text = Object.is(x, -0) ? "-0" : String(x);
  return Number.isInteger(x) && size >= 1e15 ? `${text}.0` : text;
}

/** "1.5e-7" as "0.00000015". */
function unscientific(text) {
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined) return text;
  const [whole, fraction = ""] = mantissa.replace("-", "").split(".");
  const zeros = "0".repeat(-Number(exponent) - 1);
  return `${text.startsWith("-") ? "-" : ""}0.${zeros}${whole}${fraction}`;
}

// Decimal numbers are { units: BigInt, places }, compared without the rounding of binary fractions.

function decimal(text) {
  const [mantissa, exponent = "0"] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  return { units: BigInt(whole + fraction || "0"), places: fraction.length - Number(exponent) };
}

function unitsAt({ units, places }, finer) {
  return units * 10n ** BigInt(finer - places);
}

function compareDecimals(a, b) {
  const places = Math.max(a.places, b.places, 0);
  const difference = unitsAt(a, places) - unitsAt(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function sum(a, b) {
  const places = Math.max(a.places, b.places, 0);
  return { units: unitsAt(a, places) + unitsAt(b, places), places };
}

/** Whether a printed value is found on the side of the printed zone on which it truly is. */
function keepsSide(test, [threshold, halfWidth], text, x) {
  const value = decimal(text);
  const negated = { ...halfWidth, units: -halfWidth.units };
  const order = compareDecimals(value, threshold);
  const atThreshold = order < 0 ? x <= test.threshold : order > 0 ? x > test.threshold : x === test.threshold;
  const above = (cut) => compareDecimals(value, cut) > 0;
  return atThreshold
    && above(sum(threshold, negated)) === x > test.threshold - test.halfWidth
    && above(sum(threshold, halfWidth)) === x > test.threshold + test.halfWidth;
}

/** No number that people read has more decimals. */
const MOST_PLACES = 60; // `fixed` looks 25 further, and browsers have 100

/** A value with the fewest decimals that tell its side, or all its digits; undefined if those do not. */
function valueBeside(test, printed, x) {
  const full = isExtreme(x) ? x.toExponential() : String(x);
  const most = Math.min(decimal(full).places, MOST_PLACES);
  for (let places = Math.max(0, ...printed.map((it) => it.places)); places < most; places++) {
    const text = fixed(x, places);
    if (!keepsSide(test, printed, text, x)) continue;
    if (Number(text) === 0) return isExtreme(x) ? "0" : text.replace("-", "");
    return isExtreme(x) ? scientific(text) : text;
  }
  return keepsSide(test, printed, full, x) ? full.replace("e+", "e") : undefined;
}

/** "-0.0125": all digits of a decimal number. */
function plainText({ units, places }) {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? "-" : ""}${whole}${places > 0 ? `.${digits.slice(-places)}` : ""}`;
}

/** Threshold, half-width and both edges as people see them; the half-width is empty without a zone. */
function zoneTexts(threshold, halfWidth, unit) {
  const [at, width] = [threshold, halfWidth].map(decimal);
  const edges = [sum(at, { ...width, units: -width.units }), sum(at, width)].map(plainText);
  const texts = [threshold, halfWidth, ...edges].map((text) => text + unit);
  return width.units === 0n ? [texts[0], "", texts[2], texts[3]] : texts;
}

/** A value beside a zone, and the zone, with the digits that tell on which side the value is. */
function shownBeside(test, x) {
  const [threshold, halfWidth] = test.shown;
  const unit = threshold.endsWith(" %") ? " %" : "";
  const plain = [threshold, halfWidth || "0"].map((text) => text.replace(/ %$/, ""));
  // Dates are told from each other as they are.
  if (!plain.every((text) => /^-?[\d.]+(e-?\d+)?$/.test(text)) || Math.abs(x) >= 1e15) {
    return { value: isExtreme(x) ? x.toExponential().replace("e+", "e") : String(x), zone: test.shown };
  }
  const printed = plain.map(decimal);
  const value = valueBeside(test, printed, x);
  if (value !== undefined) return { value, zone: test.shown };
  // The value lies between a true edge and the printed one.
  const full = isExtreme(x) ? x.toExponential() : String(x);
  for (let places = Math.max(0, ...printed.map((it) => it.places)); places < MOST_PLACES; places++) {
    const texts = [fixed(test.threshold, places), fixed(test.halfWidth, places)];
    const finer = texts.map(decimal);
    if (finer[1].units === 0n && test.halfWidth > 0) continue;
    if (!keepsSide(test, finer, full, x)) continue;
    return { value: valueBeside(test, finer, x) ?? full, zone: zoneTexts(...texts, unit) };
  }
  return { value: full.replace("e+", "e"), zone: zoneTexts(String(test.threshold), String(test.halfWidth), unit) };
}

/** "0.00012" as "1.2e-4". */
function scientific(text) {
  return Number(text).toExponential().replace("e+", "e");
}

function isExtreme(x) {
  return x !== 0 && !(Math.abs(x) >= 1e-4 && Math.abs(x) < 1e15);
}

/** A number in the notation of its feature: dates as dates, percentages with their sign. */
function inNotation(feature, text) {
  switch (feature.notation.kind) {
    case "percent": return `${text} %`;
    case "date": return dateText(Number(text) * 86400, false);
    case "time": return dateText(Number(text), true);
    default: return text;
  }
}

/** Seconds since 1970 as a date, with the time of day where there is one. */
function dateText(seconds, withTime) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return String(seconds);
  const [date, time] = moment.toISOString().split("T");
  const clock = time.replace("Z", "").replace(/\.000$/, "").replace(/(\.\d*?)0+$/, "$1").replace(/^(\d\d:\d\d):00$/, "$1");
  return withTime || clock !== "00:00" ? `${date} ${clock}` : date;
}

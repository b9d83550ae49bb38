// The table of single cases. Whatever comes from the data is written as text, never as HTML.
const data = JSON.parse(document.getElementById("report-data").textContent);
const byId = (id) => document.getElementById(id);
const table = byId("case-table");
const PAGE = 15, TOLERANCE = 1e-9;
const isClasses = data.cases.some((one) => one.gamma !== null);
const hasIntervals = data.cases.some((one) => one.low !== null);
const hasSupport = data.cases.some((one) => one.support !== null);
const state = { sort: null, down: true, page: 0, search: "", outcome: "", gamma0: 0.9, open: new Set() };
state.gamma0 = isClasses ? byId("gamma0").value / data.trust.steps : 0;

function number(value) {
  if (typeof value === "string") return value;
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e6) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(4))).replace("-", "−");
}
function signed(value) {
  const size = Math.abs(value), sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return sign + (size > 0 && size < 1e-4 ? size.toExponential(1).replace("-", "−") : number(Number(size.toPrecision(3))));
}

function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function draw(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// 0, 1, 2: confident and correct, uncertain, confident but wrong; of numbers 0, 1: held, missed.
function outcome(one) {
  if (!isClasses) return one.right ? 0 : 1;
  if (one.gamma < state.gamma0 - TOLERANCE) return 1;
  return one.right ? 0 : 2;
}
const COLOURS = isClasses ? ["blue", "amber", "crimson"] : ["blue", "crimson"];

function outcomeCell(one) {
  if (!data.outcomes.length) return "–";
  const k = outcome(one);
  return make("span", {}, make("span", { class: `key ${COLOURS[k]}` }), data.outcomes[k]);
}

const columns = [
  { title: "row", value: (one) => one.row },
  { title: "actual", value: (one) => one.actual },
  { title: "predicted", value: (one) => one.predicted },
];
if (isClasses) {
  columns.push({ title: "probability", value: (one) => one.p, number: true, cell: (one) => one.p.toFixed(3) });
  columns.push({ title: "agreement", value: (one) => one.gamma, number: true, cell: (one) => one.gamma.toFixed(3) });
} else {
  columns.push({ title: "error", value: (one) => one.predicted - one.actual, number: true });
  if (hasIntervals) columns.push({ title: "width", value: (one) => one.high - one.low, number: true });
  columns[1].number = columns[2].number = true;
}
if (hasSupport) columns.push({ title: "support", value: (one) => one.support, number: true, cell: (one) => one.support.toFixed(3) });
if (data.outcomes.length) columns.push({ title: "outcome", value: outcome, cell: outcomeCell });

const searched = data.cases.map((one) =>
  [`row ${one.row}`, one.actual, one.predicted, ...one.reasons.map((r) => `${r[0]} = ${r[1]}`)].join(" \n").toLowerCase());

function chosen() {
  const words = state.search.toLowerCase().trim();
  let found = data.cases.filter((one, k) =>
    (!words || searched[k].includes(words)) && (state.outcome === "" || outcome(one) === Number(state.outcome)));
  if (state.sort !== null) {
    const value = columns[state.sort].value, sign = state.down ? -1 : 1;
    found = found.map((one) => [value(one), one]);
    found.sort(([a, x], [b, y]) => {
      const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
      return order ? sign * order : x.row - y.row;
    });
    found = found.map(([, one]) => one);
  }
  return found;
}

function head() {
  return make("thead", {}, make("tr", {}, ...columns.map((column, k) => {
    const sorted = state.sort === k ? (state.down ? "descending" : "ascending") : "none";
    const button = make("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      state.down = state.sort === k ? !state.down : Boolean(column.number);
      state.sort = k;
      state.page = 0;
      render();
      table.querySelectorAll("thead button")[k].focus();
    });
    return make("th", { scope: "col", "aria-sort": sorted, class: column.number ? "number" : null }, button);
  })));
}

function line(one) {
  const isOpen = state.open.has(one.row);
  const button = make("button", { type: "button", class: "open", "aria-expanded": String(isOpen) }, String(one.row));
  button.setAttribute("aria-label", `row ${one.row}: why?`);
  const cells = columns.map((column, k) => {
    if (k === 0) return make("td", {}, button);
    const inside = column.cell ? column.cell(one) : number(column.value(one));
    return make("td", { class: column.number ? "number" : null }, inside);
  });
  const row = make("tr", { class: "case", id: `case-${one.row}` }, ...cells);
  row.addEventListener("click", () => toggle(one.row));
  return isOpen ? [row, make("tr", { class: "why" }, make("td", { colspan: columns.length }, why(one)))] : [row];
}

function toggle(row) {
  if (!state.open.delete(row)) state.open.add(row);
  render();
  byId(`case-${row}`).querySelector(".open").focus({ preventScroll: true });
}

function sentence(one) {
  const parts = [];
  if (isClasses) {
    parts.push(`Predicted ${one.predicted} with probability ${one.p.toFixed(3)}; it is ${one.actual}.`);
    parts.push(`${(100 * one.gamma).toFixed(1)}% of the members agree on one class.`);
  } else {
    parts.push(`Predicted ${number(one.predicted)}; it is ${number(one.actual)}.`);
    if (hasIntervals) parts.push(`The interval of ${number(one.low)} to ${number(one.high)} ${one.right ? "holds" : "misses"} it.`);
  }
  if (one.support !== null) {
    const near = one.support < data.noDataBelow ? "There are no data near: this is a guess." : "There are data near.";
    parts.push(`${near} (Support ${number(one.support)}.)`);
  }
  return make("p", {}, parts.join(" "));
}

function chances(one) {
  if (!one.chances.length) return null;
  const rows = one.chances.map(([name, p, low, high]) => make("tr", {},
    make("th", { scope: "row" }, name), make("td", { class: "number" }, p.toFixed(3)),
    make("td", { class: "number" }, `${low.toFixed(3)} to ${high.toFixed(3)}`)));
  const titles = make("tr", {}, ...["class", "probability", "its interval"].map((t, k) =>
    make("th", { scope: "col", class: k ? "number" : null }, t)));
  return make("details", {}, make("summary", {}, "Class probabilities"),
    make("table", {}, make("thead", {}, titles), make("tbody", {}, ...rows)));
}

function strip(scale, added, low, high) {
  const svg = draw("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", class: "strip", "aria-hidden": "true" });
  const at = (value) => Math.round(500 + 500 * Math.max(-1, Math.min(1, value / scale)));
  svg.append(draw("path", { d: "M500 0V1000", class: "zero" }));
  svg.append(draw("path", { d: `M500 500H${at(added)}`, class: `bar ${added < 0 ? "amber" : "blue"}` }));
  if (low !== null) svg.append(draw("path", { d: `M${at(low)} 500H${at(high)}`, class: "band" }));
  return svg;
}

function why(one) {
  const scale = Math.max(...one.reasons.map((r) => Math.max(Math.abs(r[2]), Math.abs(r[3]), Math.abs(r[4]))), Math.abs(one.others), 1e-12);
  const rows = one.reasons.map(([name, value, added, low, high]) => make("tr", {},
    make("th", { scope: "row" }, name, make("span", { class: "soft" }, ` = ${value}`)),
    make("td", { class: "drawn" }, strip(scale, added, low, high)),
    make("td", { class: "number" }, signed(added))));
  if (one.others) rows.push(make("tr", {}, make("th", { scope: "row" }, "all others"),
    make("td", { class: "drawn" }, strip(scale, one.others, null, null)), make("td", { class: "number" }, signed(one.others))));
  const titles = make("tr", {}, make("th", { scope: "col" }, "column"),
    make("th", { scope: "col", class: "drawn" }, "adds, with its band"), make("th", { scope: "col", class: "number" }, "adds"));
  return make("div", { class: "why" }, sentence(one),
    make("p", { class: "soft" }, `From ${number(one.base)}, when nothing is known, to the ${data.explains}:`),
    make("table", { class: "strips" }, make("thead", {}, titles), make("tbody", {}, ...rows)), chances(one));
}

function render() {
  const found = chosen(), pages = Math.max(1, Math.ceil(found.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const from = state.page * PAGE, here = found.slice(from, from + PAGE);
  table.replaceChildren(head(), make("tbody", {}, ...here.flatMap(line)));
  byId("case-count").textContent = found.length
    ? `${from + 1} to ${from + here.length} of ${found.length} cases` : "no case is like that";
  byId("case-previous").disabled = state.page === 0;
  byId("case-next").disabled = state.page >= pages - 1;
}

function turn(by) {
  state.page += by;
  render();
}

// A link to a case shows the page on which it stands, and opens it.
function follow() {
  const row = Number(/^#case-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
  if (!data.cases.some((one) => one.row === row)) return;
  state.search = byId("case-search").value = "";
  state.outcome = byId("case-filter").value = "";
  state.page = Math.floor(chosen().findIndex((one) => one.row === row) / PAGE);
  state.open.add(row);
  render();
  byId(`case-${row}`).scrollIntoView({ block: "center" });
  byId(`case-${row}`).querySelector(".open").focus({ preventScroll: true });
}

byId("case-search").addEventListener("input", (event) => { state.search = event.target.value; state.page = 0; render(); });
byId("case-filter").addEventListener("change", (event) => { state.outcome = event.target.value; state.page = 0; render(); });
byId("case-previous").addEventListener("click", () => turn(-1));
byId("case-next").addEventListener("click", () => turn(1));
document.addEventListener("gamma0", (event) => { state.gamma0 = event.detail; render(); });
window.addEventListener("hashchange", follow);
render();
follow();

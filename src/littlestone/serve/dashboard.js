"use strict";
// The page of the service: it listens to /v1/events and draws what it is told. No build step, nothing from elsewhere.
const byId = id => document.getElementById(id);
const root = document.documentElement;
let stream = null;      // what ends the stream that is open
let regretChart = null, band = [0, 0];   // rounds that are asked or told, and not certified
let chart = null, points = [[], []], chartOf = "", certificate = null, asked = 0;

// Text only: names come from clients.
const make = (tag, text, className) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  if (className) e.className = className;
  return e;
};
const number = v => v === null || v === undefined ? "–"
  : Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(2)
  : Number.isInteger(v) ? v.toLocaleString("en") : v.toFixed(Math.abs(v) < 10 ? 4 : 1);
const bytes = v => v < 1e6 ? (v / 1e3).toFixed(0) + " kB" : (v / 1e6).toFixed(1) + " MB";
const fill = (box, rows) => box.replaceChildren(...rows);
const tile = ([name, value]) => {
  const box = make("div");
  const said = make("dd");
  said.append(value instanceof Node ? value : document.createTextNode(value));
  box.append(make("dt", name), said);
  return box;
};
// The states of the tests: a guard that sent the learner back, an alarm that rang.
const chip = (text, bad) => make("span", text, "verdict " + (bad ? "broken" : "kept"));
const guard = b => chip(b.guard, b.guard === "returned");
const alarm = a => chip(a.rang ? "rang" : "quiet", a.rang);
const signed = v => (v > 0 ? "+" : "") + number(v);
const verdict = v => v ? make("span", v, "verdict " + v) : make("span", "–");
const cell = (content, className, label) => {
  const td = make("td", content instanceof Node ? null : content, className);
  if (content instanceof Node) td.append(content);
  if (label) td.dataset.label = label;
  return td;
};
const row = cells => { const tr = make("tr"); tr.append(...cells); return tr; };
const headings = names => row(names.map(([text, right]) => make("th", text, right ? "n" : "")));

const key = () => sessionStorage.getItem("key");
const get = (path, signal) => fetch(path, { signal, headers: key() ? { authorization: "Bearer " + key() } : {} });
const learnerPath = name => "/v1/learners/" + encodeURIComponent(name);

function showAll(told) {
  const s = told.service;
  fill(byId("service"), [
    ["learners", number(s.learners)], ["answered", number(s.requests)], ["queue", number(s.queue)], ["kinds not warm", number(s.not_warm)],
    ["commit, p99", (1e3 * s.commit_p99).toFixed(1) + " ms"], ["log", bytes(s.bytes)],
  ].map(tile));
  byId("empty").hidden = told.learners.length > 0;
  byId("learners").hidden = told.learners.length === 0;
  const rows = [...told.learners].sort((a, b) => a.name < b.name ? -1 : 1);
  fill(byId("learners").tBodies[0], rows.map(l => {
    const link = make("a", l.name);
    link.href = "#/learner/" + encodeURIComponent(l.name);
    return row([
      cell(link), cell(l.learner),
      cell(number(l.rounds), "n", "rounds"), cell(l.per_second.toFixed(1), "n", "a second"),
      cell(number(l.open), "n", "open"),
      cell(number(l.mean) + (l.measure ? " " + l.measure : ""), "n", "mean"),
      cell(number(l.regret), "n", "regret"), cell(number(l.bound), "n", "bound"), cell(verdict(l.verdict)),
      cell(l.baseline ? l.baseline.interval.map(signed).join(" to ") : "–", "n", "against the baseline"),
      cell(l.baseline ? guard(l.baseline) : "–", "", "guard"), cell(l.alarm ? alarm(l.alarm) : "–", "", "alarm"),
    ]);
  }));
}

function showOne(told, name) {
  if (told.gone) { byId("claim").textContent = "Not in memory: it is loaded when it is used."; get(learnerPath(name)); return; }
  const l = told.learner, c = told.certificate || certificate || {};
  fill(byId("numbers"), [
    ["kind", l.learner], ["rounds", number(l.rounds)], ["a second", l.per_second.toFixed(1)], ["open", number(l.open)],
    ["never told", number(l.never)], ["mean " + (l.measure || "cost"), number(l.mean)],
    ...(l.baseline ? [["guard", guard(l.baseline)]] : []), ...(l.alarm ? [["alarm", alarm(l.alarm)]] : []),
    ...(c.certified === undefined ? [] : [["regret", number(c.regret)], ["bound", number(c.bound)], ["verdict", verdict(c.verdict)]]),
  ].map(tile));
  byId("claim").textContent = "As of event " + number(l.events) + (c.certified === undefined ? "" : ", certified to round " + number(c.certified))
    + (c.note ? ": " + c.note : "") + ".";
  byId("measure").textContent = l.measure ? "mean " + l.measure + ", by event" : "no mean is shown of this kind";
  byId("sharetitle").textContent = Object.keys(told.arms).length ? "share of rounds of each arm" : "weight of each expert";
  showRegret(c);
  showTrial(l);
  showAlarm(l.alarm);
  showClasses("delays", told.delays);
  showClasses("ages", told.ages);
  const shares = Object.entries(told.shares).sort((a, b) => b[1] - a[1]).slice(0, 24);
  byId("sharing").hidden = shares.length === 0;
  fill(byId("shares"), shares.map(([who, share]) => {
    const line = make("div", null, "share"), bar = make("span", null, "bar"), inner = make("i");
    inner.style.width = (100 * Math.max(0, Math.min(1, share))) + "%";
    bar.append(inner);
    const label = make("span", who);
    label.title = who;
    line.append(label, bar, make("span", (100 * share).toFixed(1) + "%", "n"));
    return line;
  }));
  fill(byId("tail").tBodies[0], [headings([["event", true], ["when"], ["what"], ["decision"], ["asked or told"], ["answered"], ["probability", true]]), ...told.tail.slice().reverse().map(e => row([
    cell(number(e.seq), "n"), cell(new Date(1e3 * e.at).toLocaleTimeString("en-GB")), cell({ 1: "decision", 2: "outcome", 3: "activation", 5: "resumed" }[e.kind]),
    cell(e.id.length > 14 ? e.id.slice(0, 12) + "…" : e.id, "body"), ...holds(JSON.parse(e.body)),
  ]))]);
  showTheorems(c);
  if (l.mean !== null && chartOf === name && points[0].length && points[0][points[0].length - 1] < l.events) {
    points[0].push(l.events);
    points[1].push(l.mean);
    draw();
  }
  if (Date.now() - asked > 10000) claims(name);
}

// Regret and its bound up to the oldest open round, and the rounds after it.
function showRegret(c) {
  const k = c.curve;
  byId("regretbox").hidden = !k;
  if (!k) return;
  const last = c.certified + c.open + c.behind, bounded = k.bound.some(v => v !== null);
  byId("regrettitle").textContent = "regret to the " + k.comparator + (k.theorem ? ", and its bound (" + k.theorem + ")" : "") + ", by round";
  document.querySelector(".lines .bound").hidden = !bounded;
  document.querySelector(".lines .uncertified").hidden = last === c.certified;
  const regret = k.regret.at(-1), other = Math.abs(c.regret - regret) > 1e-6 * Math.max(1, Math.abs(regret));
  byId("regretsaid").textContent = "Certified to round " + number(c.certified) + ": regret " + number(regret) + " to the " + k.comparator
    + (k.bound.at(-1) === null ? "; no theorem bounds it here, the table below says why." : ", at most " + number(k.bound.at(-1)) + " by the theorem.")
    + (last === c.certified ? " Every round is certified." : " The rounds after it are shaded: " + number(c.open) + " asked and not told"
      + (c.behind ? ", " + number(c.behind) + " told behind one that is open." : "."))
    + (other ? " The regret at the top is to whatever lost least, which may be a mixture or another sequence of experts." : "");
  band = [c.certified, last];
  drawRegret([[...k.rounds, ...(last > c.certified ? [last] : [])], ...[k.regret, k.bound].map(v => last > c.certified ? [...v, null] : v)]);
}

function drawRegret(lines) {
  if (regretChart) { regretChart.setData(lines); return; }
  const box = byId("regret"), colour = name => getComputedStyle(root).getPropertyValue(name);
  const ink = () => colour("--soft"), grid = { stroke: () => colour("--rule"), width: 1 };
  const shade = u => {
    const [from, to] = band.map(v => u.valToPos(v, "x", true)), { top, height } = u.bbox;
    if (band[1] === band[0]) return;
    u.ctx.save();
    u.ctx.fillStyle = colour("--warn-wash");
    u.ctx.fillRect(from, top, to - from, height);
    u.ctx.fillStyle = colour("--warn");
    u.ctx.fillRect(from, top, devicePixelRatio, height);
    u.ctx.restore();
  };
  regretChart = new uPlot({
    width: box.clientWidth, height: 240, legend: { show: false }, cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false, range: () => [0, Math.max(1, band[1])] } },
    axes: [{ stroke: ink, grid }, { stroke: ink, grid, size: 60, values: (_, ticks) => ticks.map(v => String(+v.toPrecision(4))) }],
    series: [{}, { stroke: () => colour("--accent"), width: 2, points: { show: false } },
      { stroke: () => colour("--ink"), width: 2, dash: [6, 4], spanGaps: true, points: { show: false } }],
    hooks: { drawClear: [shade] },
  }, lines, box);
}

// The difference to the baseline: an interval on a scale that has 0 in its middle.
function showTrial(l) {
  const b = l.baseline;
  byId("trialbox").hidden = !b;
  if (!b) return;
  const [low, high] = l.spec.interval || [0, 1], most = high - low, at = v => 50 + 50 * v / most + "%";
  byId("trialtitle").textContent = "reward of a round, more than the baseline's: estimate, and an interval that holds at all times at once ("
    + (100 * (1 - b.level)).toFixed(0) + "%)";
  const scale = make("div", null, "scale"), bar = make("i"), zero = make("u");
  bar.style.left = at(b.interval[0]);
  bar.style.width = 50 * (b.interval[1] - b.interval[0]) / most + "%";
  scale.append(zero, bar);
  if (b.difference !== null) {
    const dot = make("b");
    dot.style.left = at(Math.max(-most, Math.min(most, b.difference)));
    scale.append(dot);
  }
  const ends = make("div", null, "ends");
  ends.append(make("span", number(-most)), make("span", "0"), make("span", "+" + number(most)));
  const who = Object.entries(b.mean).map(([by, mean]) => by + " " + number(mean) + " in " + (100 * b.share[by]).toFixed(0) + "% of rounds").join(", ");
  const said = b.guard === "returned" ? "The guard has returned to the baseline with event " + number(b.returned) + "."
    : b.guard === "off" ? "No guard." : "The guard is watching.";
  fill(byId("trial"), [scale, ends, make("p", (b.difference === null ? "Nothing to compare yet" : signed(b.difference)
    + ", from " + signed(b.interval[0]) + " to " + signed(b.interval[1])) + ", over " + number(b.rounds) + " rounds, up to round " + number(b.certified)
    + ". That it is no worse: p = " + number(b.p_worse) + "; that it is no better: p = " + number(b.p_better) + ". " + said
    + (who ? " Mean reward: " + who + "." : ""))]);
}

function showAlarm(a) {
  byId("alarmbox").hidden = !a;
  if (!a) return;
  fill(byId("alarm"), [make("p", (a.rang ? "It rang with event " + number(a.rang) + ". " : "Quiet. ")
    + (a.claim === null ? "The reference period is not over." : "Claimed: a loss of at most " + number(a.claim) + " a round; seen: "
      + number(a.mean) + " over " + number(a.rounds) + " rounds, p = " + number(a.p_value) + ", level " + number(a.level) + "."),
  a.rang ? "off" : "")]);
}

// Counts by classes of seconds.
function showClasses(id, classes) {
  const most = Math.max(1, ...classes.map(([, n]) => n));
  const words = { 1: "a second", 10: "10 s", 60: "a minute", 600: "10 min", 3600: "an hour", 86400: "a day" };
  fill(byId(id), classes.map(([limit, n]) => {
    const line = make("div", null, "share"), bar = make("span", null, "bar"), inner = make("i");
    inner.style.width = 100 * n / most + "%";
    bar.append(inner);
    line.append(make("span", limit === null ? "a day or more" : "under " + words[limit]), bar, make("span", number(n), "n"));
    return line;
  }));
}

// What an event holds: the question and its answer, or the outcome.
function holds(body) {
  const brief = o => Object.entries(o).map(([k, v]) => (k === "x" ? "" : k + " ") + plain(v)).join(", ");
  const plain = v => v === null ? "–" : typeof v === "number" ? number(v)
    : Array.isArray(v) ? v.map(plain).join(", ") : typeof v === "object" ? brief(v) : String(v);
  if (!body.outcome && !body.question) return [cell(""), cell(""), cell("")];
  if (body.outcome) return [cell(brief(body.outcome) + (body.expired ? " (default)" : ""), "what"), cell(""), cell("")];
  return [cell(brief(body.question), "what"), cell(plain(body.answer.prediction), "what"),
    cell(body.answer.probability === undefined ? "" : number(body.answer.probability), "n")];
}

function showTheorems(c) {
  byId("theoremsbox").hidden = !c.theorems;
  fill(byId("theorems").tBodies[0], (c.theorems || []).map(t => row([cell(t.id), cell(verdict(t.verdict)), cell(t.why)])));
  const arms = Object.entries((certificate || {}).arms || {});
  byId("estimatesbox").hidden = arms.length === 0;
  fill(byId("estimates").tBodies[0], [headings([["arm"], ["outcomes", true], ["reward", true], ["about", true], ["for sure", true]]),
    ...arms.map(([a, v]) => row([cell(a), cell(number(v.pulled), "n"), cell(number(v.reward), "n"), cell(v.about ? v.about.map(number).join(" to ") : "too few", "n"), cell(v.sure.map(number).join(" to "), "n")]))]);
}

async function claims(name) {
  asked = Date.now();
  const found = await get(learnerPath(name) + "/certificate");
  if (found.ok && chartOf === name) certificate = await found.json();
}

async function loadHistory(name) {
  chartOf = name; points = [[], []]; certificate = null; asked = 0;
  if (chart) { chart.destroy(); chart = null; }
  if (regretChart) { regretChart.destroy(); regretChart = null; }
  byId("regretbox").hidden = true;
  const [past, now] = await Promise.all([get(learnerPath(name) + "/history?points=400"), get(learnerPath(name))]);
  if (!past.ok || !now.ok || chartOf !== name) return;
  const h = await past.json(), l = await now.json();
  const [low, high] = l.spec.interval || [0, 1];
  points = [h.seq, l.measure === "reward" ? h.mean.map(v => low + high - v) : h.mean];
  draw();
}

function draw() {
  const box = byId("chart"), css = getComputedStyle(root);
  if (points[0].length > 2000) points = points.map(p => p.filter((_, i) => i % 2 === 0));
  if (chart) { chart.setData(points); return; }
  if (!points[0].length) { box.replaceChildren(make("p", "no outcome yet")); return; }
  box.replaceChildren();
  const ink = () => css.getPropertyValue("--soft"), grid = { stroke: () => css.getPropertyValue("--rule"), width: 1 };
  chart = new uPlot({
    width: box.clientWidth, height: 240, legend: { show: false }, cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [{ stroke: ink, grid }, { stroke: ink, grid, size: 60, values: (_, ticks) => ticks.map(number) }],
    series: [{}, { stroke: () => css.getPropertyValue("--accent"), width: 2, points: { show: false } }],
  }, points, box);
}

// What is hidden has no width: the chart gets its own when it is shown.
function fit() {
  if (chart) chart.setSize({ width: byId("chart").clientWidth, height: 240 });
  if (regretChart) regretChart.setSize({ width: byId("regret").clientWidth, height: 240 });
}

async function listen() {
  if (stream) stream.abort();
  const mine = stream = new AbortController();
  const name = decodeURIComponent((location.hash.match(/^#\/learner\/(.+)$/) || [])[1] || "");
  byId("crumb").textContent = name ? " / " + name : "";
  byId("all").hidden = byId("one").hidden = true;
  while (!mine.signal.aborted) {
    try {
      if (name && chartOf !== name) await loadHistory(name);
      const answer = await get("/v1/events" + (name ? "?learner=" + encodeURIComponent(name) : ""), mine.signal);
      if (answer.status === 401 || answer.status === 403) { state("a key is needed"); byId("login").hidden = false; return; }
      byId("login").hidden = true;
      byId(name ? "one" : "all").hidden = false;
      fit();
      state("live", true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop();
        if (!parts.length || mine.signal.aborted) continue;
        const told = JSON.parse(parts[parts.length - 1].slice(6));
        if (name) showOne(told, name); else showAll(told);
      }
    } catch (problem) {
      if (mine.signal.aborted) return;
    }
    state("the service does not answer; trying again");
    await new Promise(done => setTimeout(done, 1000));
  }
}

function state(text, on) { byId("state").textContent = text; byId("state").className = on ? "" : "off"; }

function theme(name) {
  root.dataset.theme = name;
  byId("theme").textContent = name === "dark" ? "light" : "dark";
  if (chart) { chart.destroy(); chart = null; draw(); }
  if (regretChart) { const lines = regretChart.data; regretChart.destroy(); regretChart = null; drawRegret(lines); }
}

byId("theme").onclick = () => { theme(root.dataset.theme === "dark" ? "light" : "dark"); localStorage.setItem("theme", root.dataset.theme); };
byId("login").onsubmit = event => { event.preventDefault(); sessionStorage.setItem("key", byId("key").value.trim()); listen(); };
addEventListener("hashchange", listen);
addEventListener("resize", fit);
theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
listen();

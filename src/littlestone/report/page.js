// The report page: reads the JSON embedded above and lays it out with the pieces of chart.js.
"use strict";
(() => {
  const { charts, chart, el, button, num, percent, exactly, colour, none } = window.littlestone;
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement, main = document.getElementById("main");
  const DASHES = [[7, 4], [2, 3], [9, 3, 2, 3], [4, 2]];
  const title = (run) => run.label || run.name || run.learner;
  const filled = (thing) => !none(thing) && Object.keys(thing).length > 0;
  const pairs = (a, b, f) => a.map((v, i) => (none(v) || none(b[i]) ? null : f(v, b[i])));
  const mean = (values, rounds) => pairs(values, rounds, (v, t) => (t > 0 ? v / t : null));

  // An expert keeps its colour in every chart and run, and no other has it. The style sheet has the first ones of each
  // family (--e for experts, --r for runs); for more the hue goes on by the golden angle, in three shades.
  const hues = new Map([["others", "--others"]]), made = new Map();
  const families = { e: 10, r: 6 };
  function tone(family, k) {
    if (k >= families[family]) made.set(`--${family}${k}`, k);
    return `--${family}${k}`;
  }
  function hue(name) {
    if (!hues.has(name)) hues.set(name, tone("e", hues.size - 1));
    return hues.get(name);
  }
  function mix(k, dark) {   // from hue, saturation and lightness to #rrggbb, which charts can make soft
    const angle = (k * 137.508) % 360, s = 0.55, l = (dark ? 0.7 : 0.42) + 0.09 * ((k % 3) - 1), a = s * Math.min(l, 1 - l);
    const part = (n) => Math.round(255 * (l - a * Math.max(-1, Math.min((n + angle / 30) % 12 - 3, 9 - (n + angle / 30) % 12, 1))));
    return `#${[0, 8, 4].map((n) => part(n).toString(16).padStart(2, "0")).join("")}`;
  }
  const when = (thing) => (thing.dates ? { x: thing.dates, rounds: thing.t, dates: true } : { x: thing.t });

  // ---- the charts

  function cumulative(run, group) {
    const base = run.cumulative.find((s) => s.kind === "learner");
    let dashes = 0;
    const looks = {
      expert: (s) => ({ colour: hue(s.name), width: 1.25, soft: true, first: 0 }),
      comparator: () => ({ colour: "--ink", width: 1.6, dash: DASHES[dashes++ % DASHES.length], first: 1 }),
      learner: () => ({ colour: "--learner", width: 3, first: 2 }),
    };
    const lines = run.cumulative.map((s) => {
      // Python sends distances from the learner, so that rounding does not blur them.
      const values = s.over ? pairs(s.over, base.values, (v, w) => v + w) : s.values;
      const over = s.over || values.map((v) => (none(v) ? null : 0));
      return { ...(looks[s.kind] || looks.expert)(s), name: s.name, values, over };
    }).sort((a, b) => a.first - b.first);   // drawn from the back: experts, comparators, learner
    const views = [["Total", (line) => line.values], ["Mean a round", (line) => mean(line.values, run.t)]];
    if (base) views.splice(1, 0, ["Minus the learner\u2019s", (line) => line.over]);
    const whole = run.kind !== "examples" ? "the learner, each expert and the comparators in hindsight have"
      : lines.length > 1 ? "the learner, and the best fixed predictor that hindsight found, have" : "the learner has";
    const what = run.kind === "examples" ? run.summary.loss_name : null, mistakes = what === "mistakes counted";
    return chart({ kind: "cumulative", title: own(run, "chart") || (mistakes ? "Mistakes so far" : what ? `Cumulative loss (${what})` : "Cumulative loss"), group, ...when(run), lines, views,
      about: own(run, "chart about") || `${mistakes ? `The mistakes that ${whole} made` : `What ${whole} lost`} up to each round. Drag to zoom, double-click to reset, click a name to hide it.` });
  }

  function accuracy(run, group) {
    const looks = {
      expert: (s) => ({ colour: hue(s.name), width: 1.25, soft: true, first: 0 }),
      comparator: () => ({ colour: "--ink", width: 1.6, dash: DASHES[0], first: 1 }),
      total: () => ({ colour: "--learner", width: 1.6, dash: DASHES[1], first: 2 }),
      learner: () => ({ colour: "--learner", width: 3, first: 3 }),
    };
    const lines = run.accuracy.lines.map((s) => ({ ...looks[s.kind](s), name: s.name, values: s.values }))
      .sort((a, b) => a.first - b.first);
    const simple = run.accuracy.lines.some((s) => s.kind === "expert")
      ? " Simple answers stand beside it: a learner that does not beat them has learned nothing from the features." : "";
    return chart({ kind: "accuracy", title: "Accuracy", group, ...when({ ...run.accuracy, dates: run.dates && run.accuracy.dates }), lines, shares: true,
      range: { min: { pad: 0.05, hard: 0 }, max: { pad: 0.05, hard: 1 } },
      about: `The share of right labels in each block of ${num(run.accuracy.rounds)} rounds, each label predicted before it was seen.${simple}` });
  }

  function regret(run, group) {
    const choices = run.regret.map((r) => {
      const what = [r.what || "Regret", r.name].filter(Boolean).join(" ");
      return { label: r.theorem ? `${r.what && r.what !== "Regret" ? what : r.name} (${r.theorem})` : r.name, lines: [
        { name: r.theorem ? `Bound, ${r.theorem}` : "Bound", values: r.bound || run.t.map(() => null), colour: "--ink", width: 1.6, dash: [7, 4] },
        { name: what, values: r.values, colour: "--learner", width: 3, first: 1 }] };
    });
    const fromZero = { pad: 0.05, soft: 0, mode: 1 }, other = run.regret.filter((r) => r.what && r.what !== "Regret");
    const headline = run.summary.theorem && run.regret[0].theorem !== run.summary.theorem
      ? ` The theorem of the headline, ${run.summary.theorem}, cannot be followed round by round here; this is another one.` : "";
    const about = !other.length ? "The learner\u2019s loss minus the comparator\u2019s, and what the theorem allows."
      : other.length === run.regret.length ? "A number that the theorem is about (the certificate has its statement), and what it allows."
        : "The learner\u2019s loss minus the comparator\u2019s, or another number that a theorem is about, and what it allows.";
    return chart({ kind: "regret", title: other.length ? "What the theorems bound" : "Regret and its bound", group, ...when(run),
      lines: choices[0].lines, choices,
      bands: [{ series: [1, 2], fill: () => colour("--slack") }], range: { min: fromZero, max: fromZero },
      about: `${about} The promise is kept while the line stays under the dashes; the tint between them is the slack.${headline}` });
  }

  function seeds(run, group) {   // many runs: their mean, and where most of them lie
    let dashes = 0;
    const looks = {
      edge: () => ({ colour: "--learner", width: 1, soft: true, first: 1 }),
      comparator: () => ({ colour: "--ink", width: 1.6, dash: DASHES[dashes++ % DASHES.length], first: 0 }),
      learner: () => ({ colour: "--learner", width: 3, first: 2 }),
    };
    const lines = run.seeds.lines.map((s) => ({ ...looks[s.kind](s), name: s.name, values: s.values }));
    const fromZero = { pad: 0.05, soft: 0, mode: 1 };
    return chart({ kind: "seeds", title: "Regret of many runs", group, ...when(run), lines,
      bands: [{ series: [1, 2], fill: () => colour("--slack") }], range: { min: fromZero, max: fromZero },
      about: `The ${run.seeds.what} in ${num(run.seeds.runs)} runs with draws of their own: nine in ten lie in the tinted band. A theorem about an expectation is about the mean.` });
  }

  function weights(run, group) {
    const { names, values, over } = run.weights, own = run.weights.t ? run.weights : run, { t } = own, one = t.length === 1;   // one round: a strip, not a point
    const lines = names.map((name, k) => (
      { name, values: one ? [values[k][0], values[k][0]] : values[k], colour: hue(name), width: 1 }));
    const top = Math.max(1, ...t.map((_, i) => values.reduce((sum, v) => sum + (v[i] || 0), 0)));
    return chart({ kind: "weights", title: (run.words || {}).weights || "Weights", lines, stacked: true, range: [0, top > 1.005 ? top : 1],
      group: one ? { key: `${group.key}-strip`, charts: [] } : group,
      ...(one ? { x: [t[0] - 0.5, t[0] + 0.5], round: t[0] } : when({ t, dates: run.dates && own.dates })),
      about: (run.words || {})["weights about"] || (over > 1 ? `The weights that the learner gave, each point the mean of ${num(over)} rounds: each band is the share of one expert.`
        : "The weights that the learner gave, round by round: each band is the share of one expert.") });
  }

  function extra(run, group) {   // charts that a section brings along
    const looks = {
      truth: () => ({ colour: "--ink", width: 1.6, first: 3 }), forecast: () => ({ colour: "--e1", width: 1.25, first: 2 }),
      edge: () => ({ colour: "--learner", width: 1, soft: true, first: 1 }), learner: () => ({ colour: "--learner", width: 2.2, first: 3 }),
      second: () => ({ colour: "--e0", width: 2.2, first: 2 }), bound: (k) => ({ colour: "--ink", width: 1.6, dash: DASHES[k % DASHES.length] }),
      simple: (k) => ({ colour: tone("e", 2 + (k % 7)), width: 1.25, soft: true }),
    };
    return run.charts.map((c) => chart({ kind: c.kind, title: c.title, about: c.about, shares: c.shares, ...when(c),
      group: c.alone ? { key: `${group.key}-${c.kind}`, charts: [] } : group,
      lines: c.lines.map((line, k) => ({ ...(looks[line.kind] || looks.simple)(k), name: line.name, values: line.values })),
      bands: (c.bands || []).map((pair) => ({ series: pair, fill: () => colour("--slack") })),
      range: c.range || { min: { pad: 0.05 }, max: { pad: 0.05 } } }));
  }
  const tables = (run) => run.tables.map((t) => section(t.name, el("p", { class: "about" }, t.about),
    grid(t.name, t.heads, t.rows.map((row) => el("tr", {}, row.map((v, i) => cell(t.heads[i][1] || "", num(v))))))));

  function together(runs) {   // every learner, on the union of the runs' rounds
    const x = [...new Set(runs.flatMap((run) => run.t))].sort((a, b) => a - b);
    const labels = runs.every((run) => filled(run.mistakes));   // whatever each is charged, mistakes can be compared
    const lines = runs.map((run, k) => {
      const series = labels ? { values: run.mistakes } : run.cumulative.find((s) => s.kind === "learner") || { values: [] };
      return { name: title(run), values: x.map((t) => between(run.t, series.values, t)),
        colour: tone("r", k), width: 2.2, dash: k < 6 ? null : DASHES[k % DASHES.length] };
    });
    const known = new Map(), same = runs.every((run) => run.dates && run.t.every((t, i) =>
      known.set(t, known.has(t) ? known.get(t) : run.dates[i]).get(t) === run.dates[i]));
    const axis = when({ t: x, dates: same ? x.map((t) => known.get(t)) : null });
    return chart({ kind: "compare", title: labels ? "Mistakes of the learners" : "Cumulative loss of the learners", group: { key: "compare", charts: [] }, ...axis, lines,
      views: [["Total", (line) => line.values],
        ["Minus the first\u2019s", (line) => pairs(line.values, lines[0].values, (v, w) => v - w)],
        ["Mean a round", (line) => mean(line.values, x)]],
      about: "Lower is better. Drag to zoom, double-click to reset, click a name to hide it." });
  }
  function between(rounds, values, t) {   // linear between recorded rounds, nothing outside them
    const j = rounds.findIndex((s) => s >= t);
    if (j < 0 || none(values[j])) return null;
    if (rounds[j] === t) return values[j];
    return j === 0 || none(values[j - 1]) ? null
      : values[j - 1] + ((t - rounds[j - 1]) / (rounds[j] - rounds[j - 1])) * (values[j] - values[j - 1]);
  }

  // ---- tables and facts

  function badge(verdict) {
    const word = String(verdict || "unknown"), first = word.split(/[^a-z]/)[0];
    const mark = { kept: "\u2713 ", broken: "\u2715 ", unknown: "? ", vacuous: "\u25cb " }[first];
    return el("span", { class: mark ? `badge ${first}` : "badge" }, (mark || "") + word);
  }
  function bar(part) {   // a share, as a length and as a number
    const length = Math.max(0, Math.min(1, part || 0)) * 100;
    return [el("span", { class: "bar", "aria-hidden": "true" }, el("i", { style: `width:${length}%` })),
      el("span", { class: "share" }, percent(part))];
  }
  function alike(values, sign) {   // numbers of one column get the same decimals
    const size = Math.max(1e-9, ...values.map((v) => Math.abs(v || 0)));
    const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(size))));
    const format = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits,
      signDisplay: sign ? "exceptZero" : "auto" });
    return (v) => (none(v) ? num(v) : format.format(v).replace("-", "\u2212"));
  }
  const cell = (kind, ...children) => el("td", { class: kind }, el("span", { class: "cell" }, ...children));
  const section = (name, ...children) => el("section", {}, el("h3", {}, name), ...children);
  function grid(label, heads, rows) {   // wide tables scroll inside their own frame; on a phone each row is a card
    for (const row of rows) if (!row.classList.contains("detail")) [...row.cells].forEach((c, i) => { c.dataset.head = heads[i][0]; });
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      el("table", {}, el("thead", {}, el("tr", {}, heads.map(([text, kind]) => el("th", { scope: "col", class: kind }, text)))),
        el("tbody", {}, rows)));
  }

  function theorem(c) {
    const about = [c.name, c.source, c.mode && `holds ${c.mode}`].filter(Boolean).join(" \u00b7 ");
    const detail = el("tr", { class: "detail", hidden: "" }, el("td", { colspan: 6 }, el("div", { class: "inside" },
      el("p", { class: "statement" }, c.statement), el("p", {}, about), c.why ? el("p", {}, c.why) : null)));
    const more = button({ class: "more", "aria-expanded": "false", click: () => {
      detail.hidden = !detail.hidden;
      row.classList.toggle("opened", !detail.hidden);
      more.setAttribute("aria-expanded", String(!detail.hidden));
    } }, el("strong", {}, c.id));
    const settled = ["kept", "broken"].includes(c.verdict) && c.bound > 0 && !none(c.measured);
    const unit = settled && c.measures && !c.measures.includes("regret") ? ` ${c.measures}` : "";
    const row = el("tr", {}, cell("", more), cell("", badge(c.verdict)), cell("n", num(c.measured) + unit), cell("n", num(c.bound)),
      cell("n", settled ? bar(Math.max(0, c.measured / c.bound)) : "\u2013"), cell("long", c.comparator || "\u2013"));
    return [row, detail];
  }
  const own = (run, key) => (run.words || {})[key];   // a section may bring texts of its own
  function certificate(run) {
    return section("Certificate", el("p", { class: "about" },
      own(run, "certificate about") || "Each theorem that this learner carries, checked on this run. Open a row for its statement and source."),
    grid("Certificate", [["Theorem"], ["Verdict"], ["Measured", "n"], ["Bound", "n"], ["Used of the bound", "n"], ["Against"]],
      run.certificate.flatMap(theorem)));
  }
  function explain(run) {
    const change = alike(run.explain.map((e) => e.leave_out), true);
    return section("Who carried the weight", el("p", { class: "about" },
      "Each expert\u2019s mean share, when it led, and how the loss would have changed without it."),
    grid("Who carried the weight", [["Expert"], ["Share of the weight", "n"], ["When"], ["Without it", "n"]],
      run.explain.map((e) => el("tr", {}, cell("who", e.expert), cell("n", bar(e.share)), cell("", e.when || "\u2013"),
        cell("n", change(e.leave_out))))));
  }
  const facts = (name, map) => section(name, el("dl", {},
    Object.entries(map).map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, num(value))))));

  function oneRun(run, index, several) {
    const s = run.summary, group = { key: `run-${index}`, charts: [] };
    const took = (v) => `${num(Number(v.toPrecision(3)))} s`, once = s.compiling >= 0.5 ? `, and ${took(s.compiling)} of compiling, once` : "";
    const time = none(s.seconds) ? null : took(s.seconds) + once;
    const figures = [["Accuracy", none(s.accuracy) ? null : exactly(s.accuracy)], ["Accuracy, test", none(s.test) ? null : exactly(s.test)],
      ["Brier score", s.brier], ["Cost a round", s.mean_cost],
      ["Mean loss", s.mean_loss], ["Loss", s.loss], ["Regret", s.regret], ["Bound", s.bound], [own(run, "rounds") || "Rounds", s.rounds], ["Time", time]];
    const part = (thing, make) => (filled(thing) ? make(run, group) : null);
    const parts = [
      el("p", { class: "headline" }, run.headline),
      el("dl", { class: "figures" }, figures.filter(([, value]) => !none(value))
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, num(value))))),
      part(run.tables, tables), part(run.charts, extra),
      part(run.accuracy, accuracy), part(run.cumulative, cumulative), part(run.seeds && run.seeds.lines, seeds), part(run.regret, regret), part(run.weights && run.weights.names, weights),
      part(run.calibration, () => window.littlestone.calibration(run, section, grid, cell)),
      part(run.network, () => window.littlestone.network(run, hue, section)), part(run.certificate, certificate), part(run.explain, explain),
      el("div", { class: "facts" }, part(run.parameters, () => facts("Parameters", run.parameters)),
        part(run.data, () => facts(own(run, "data") || "Data", run.data))),
      part(run.notes, () => section("Notes", el("ul", { class: "notes" }, run.notes.map((note) => el("li", {}, note))))),
    ].flat();
    if (!several) return el("div", { class: "run only", id: "run-0" }, parts);
    const honest = Math.max(0, runs.findIndex((other) => !other.ahead));   // the one that its reader can repeat
    return el("details", { class: "run", id: `run-${index}`, open: index === honest ? "" : null },
      el("summary", {}, el("h2", {}, title(run)), badge(s.verdict)), parts);
  }

  function comparison(runs) {
    if (runs.every((run) => filled(run.tables))) {   // sections with a table: the first row of each
      const heads = [...runs[0].tables[0].heads, ["Certificate"]];
      return el("section", {}, el("h2", {}, "Comparison"), grid("Comparison", heads, runs.map((run, k) => el("tr", {},
        cell("who", el("a", { href: `#run-${k}` }, title(run))), run.tables[0].rows[0].slice(1).map((v, i) => cell(heads[i + 1][1] || "", num(v))),
        cell("", badge(run.summary.verdict))))));
    }
    const of = (key) => runs.map((run) => run.summary[key]), fair = runs.filter((run) => !run.ahead);
    const labels = of("accuracy").every((right) => !none(right)), mixed = new Set(of("loss_name")).size > 1;
    const least = Math.min(...fair.map((run) => run.summary.loss).filter((loss) => !none(loss)));
    const most = Math.max(...fair.map((run) => run.summary.accuracy));
    const [loss, each, more, bound] = ["loss", "mean_loss", "regret", "bound"].map((key) => alike(of(key)));
    const rows = runs.map((run, k) => {
      const s = run.summary, best = !mixed && !run.ahead && s.loss === least ? "n best" : "n";
      return el("tr", {}, cell("who", el("span", { class: "dot", style: `background:var(${tone("r", k)})` }),
        el("a", { href: `#run-${k}` }, title(run))),
      labels ? cell(!run.ahead && s.accuracy === most ? "n best" : "n", exactly(s.accuracy)) : null,
      cell(best, loss(s.loss)), cell(best, each(s.mean_loss)), mixed ? cell("", s.loss_name) : null,
      cell("long", s.comparator || "\u2013"), cell("n", more(s.regret)), cell("n", bound(s.bound)), cell("", badge(s.verdict)));
    });
    const heads = [["Learner"], labels ? ["Accuracy", "n"] : null, ["Loss", "n"], ["Mean loss", "n"], mixed ? ["Charged"] : null,
      ["Best comparator"], ["Regret", "n"], ["Bound", "n"], ["Certificate"]];
    const told = fair.length < runs.length ? el("p", { class: "about" },
      "Runs with feedback at once knew outcomes that the others had to wait for: they show what waiting costs, and do not compete.") : null;
    return el("section", {}, el("h2", {}, "Comparison"), told, grid("Comparison", heads.filter(Boolean), rows), together(runs));
  }

  // ---- the page: theme, anchors, paper

  function paint(theme) {
    root.dataset.theme = theme;
    for (const [name, k] of made) root.style.setProperty(name, mix(k, theme === "dark"));
    document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
    for (const c of charts) if (c.plot) c.plot.redraw(false);
  }
  function reveal(hash) {   // an anchor into a closed section opens it
    const target = /^#run-\d+$/.test(hash) && document.getElementById(hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  }
  let before = null;   // what to put back after printing
  function paper(on) {   // ink on white, everything open, charts as wide as a page
    if (on === (before !== null)) return;
    if (on) {
      before = { theme: root.dataset.theme, closed: [...document.querySelectorAll("details:not([open])")],
        rows: [...document.querySelectorAll("tr.detail[hidden]")] };
    }
    for (const section of before.closed) section.open = on;
    for (const row of before.rows) row.hidden = !on;
    paint(on ? "light" : before.theme);
    if (!on) before = null;
    for (const c of charts) c.ensure(on ? 660 : undefined);
  }

  const runs = data.runs, dark = matchMedia("(prefers-color-scheme: dark)");
  main.replaceChildren(...(runs.length > 1 ? [comparison(runs)] : []), ...runs.map((run, k) => oneRun(run, k, runs.length > 1)));
  paint(dark.matches ? "dark" : "light");
  reveal(location.hash);
  dark.addEventListener("change", (event) => paint(event.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click", () => paint(root.dataset.theme === "dark" ? "light" : "dark"));
  matchMedia("print").addEventListener("change", (event) => paper(event.matches));
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
  addEventListener("hashchange", () => reveal(location.hash));
  main.addEventListener("click", (event) => { const link = event.target.closest('a[href^="#run-"]'); if (link) reveal(link.hash); });
})();

// Words, numbers and one kind of chart, for page.js. No build step, no network.
// Every string of the data enters the page as a text node or an attribute value, never as HTML:
// a column may be called anything.
"use strict";
window.littlestone = (() => {
  const root = document.documentElement;
  const charts = [];

  // ---- words and numbers

  const none = (x) => x === null || x === undefined;

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") node.addEventListener(key, value);
      else if (!none(value) && value !== false) node.setAttribute(key, value);
    }
    node.append(...children.flat().filter((child) => !none(child)));   // strings become text nodes
    return node;
  }
  const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);

  const style = (options) => {
    const format = new Intl.NumberFormat("en-US", options);
    return (x) => format.format(x).replace("-", "\u2212");
  };
  const whole = style({ maximumFractionDigits: 0 });
  const four = style({ maximumSignificantDigits: 4 });
  const exact = style({ maximumSignificantDigits: 12 });
  const compact = style({ notation: "compact", maximumSignificantDigits: 6 });
  const tenth = style({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const hundredth = style({ style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 });
  function num(x) {
    if (none(x)) return "\u2013";
    if (typeof x !== "number") return String(x);
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return x.toExponential(2).replace("-", "\u2212");
    return (size >= 1000 ? whole : four)(x);
  }
  const percent = (x) => (none(x) ? "\u2013" : tenth(x));
  const exactly = (x) => (none(x) ? "\u2013" : hundredth(x));
  const tick = (x) => (none(x) ? "" : (Math.abs(x) >= 1e7 ? compact : exact)(x));
  const share = (x) => (none(x) ? "" : `${exact(x * 100)}%`);
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  const alone = (values) => values.flatMap((v, i) =>   // what no line leads to is drawn as a point
    (!none(v) && none(values[i - 1]) && none(values[i + 1]) ? [i] : []));

  // ---- dates: seconds since 1970, read as clocks showed them where the data come from

  const day = (options) => {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
    return (x) => format.format(new Date(x * 1000));
  };
  const YEAR = day({ year: "numeric" }), MONTH = day({ month: "short", year: "numeric" });
  const DAY = day({ day: "numeric", month: "short" }), DAY_OF = day({ day: "numeric", month: "short", year: "numeric" });
  const CLOCK = day({ hour: "2-digit", minute: "2-digit" });
  function dateTicks(at, step) {   // as much of a date as tells one tick from the next
    const finest = step >= 3e7 ? YEAR : step >= 2.4e6 ? MONTH : step >= 86400 ? DAY : CLOCK;
    return at.map((x, i) => {
      if (finest === YEAR || finest === MONTH) return finest(x);
      if (finest === CLOCK) return i && DAY(x) === DAY(at[i - 1]) ? CLOCK(x) : DAY(x);
      return i && YEAR(x) === YEAR(at[i - 1]) ? DAY(x) : DAY_OF(x);
    });
  }
  const moment = (x, fine) => DAY_OF(x) + (fine ? `, ${CLOCK(x)}` : "");

  const INCREMENTS = [];   // rounds are whole numbers, and so are their ticks
  for (let power = 1; power < 1e15; power *= 10) INCREMENTS.push(power, 2 * power, 5 * power);

  // ---- one chart: a figure with its controls, its plot and a legend of buttons
  //
  // spec   kind, title, about
  //        x         the rounds, or when they were
  //        dates     is x in seconds since 1970?
  //        rounds    which rounds they are, where x is not
  //        lines     [{name, values, colour (a CSS variable), width, dash, soft, first}]
  //        group     {key, charts}: those that share a cursor and a zoom
  //        views     [[label, line => values]]: what the buttons offer to draw
  //        choices   [{label, lines}]: what the select offers to draw
  //        stacked   areas on top of each other, in shares
  //        shares    the values are shares, shown in percent
  //        range, bands, round: as uPlot has them; the one round that a strip stands for

  function chart(spec) {
    const { x, group, stacked, shares, dates } = spec;
    const rounds = spec.rounds || x, fine = dates && x.some((s) => s % 86400 !== 0);
    const last = x.length - 1;
    if (last < 0) return el("figure", {}, el("h3", {}, spec.title), el("p", { class: "about" }, "No rounds to draw."));
    const views = spec.views || [["", (line) => line.values]];
    // charts of one group look at the same rounds, though one may begin a little later than another
    group.from = Math.min(...[x[0], group.from].filter(Number.isFinite));
    group.to = Math.max(...[x[last], group.to].filter(Number.isFinite));
    const show = stacked ? percent : shares ? exactly : num;
    let { lines } = spec, view = views[0][1], shown = [];

    const id = `chart-${charts.length}`;
    const box = el("div", { class: "plot", id, tabindex: 0, role: "group", "aria-roledescription": "chart", keydown: press,
      "aria-label": `${spec.title}. Arrow keys read values, plus and minus zoom, Escape resets.`, "aria-describedby": `${id}-text` });
    const where = el("p", { class: "where", "aria-live": "polite" });
    const legend = el("div", { class: lines.length < 4 ? "keys few" : "keys", role: "group", "aria-label": `Series of ${spec.title}` });
    const text = el("p", { class: "hidden", id: `${id}-text` });
    const reset = button({ class: "quiet", hidden: "", click: () => zoom(...ends()) }, "Reset zoom");
    const controls = el("div", { class: "controls" }, reset);
    const self = { id, kind: spec.kind, plot: null, ensure, get lines() { return lines; } };

    // Stacking without bands: each area reaches down to zero and is covered by those below it,
    // so the top one is drawn first, and line k is not series k + 1.
    const series = (k) => (stacked ? lines.length - k : k + 1);
    function table() {
      shown = lines.map(view);
      if (!stacked) return [x, ...shown];
      const sums = x.map(() => 0);
      return [x, ...shown.map((values, k) => values.map((v, i) => (lines[k].off ? null : (sums[i] += v || 0)))).reverse()];
    }

    function options(width) {
      const axis = { stroke: () => colour("--soft"), font: "12px system-ui, sans-serif", ticks: { show: false },
        grid: { stroke: () => colour("--rule"), width: 1 } };
      const wide = (u, labels) => Math.max(58, 14 + 7 * Math.max(...(labels || [""]).map((label) => label.length)));
      const near = { pad: 0.05, soft: 0, mode: 3 };
      const styles = lines.map((line) => (stacked
        ? { stroke: () => colour("--paper"), width: 0.75, fill: () => colour(line.colour), points: { show: false } }
        : { stroke: () => colour(line.colour) + (line.soft ? "c4" : ""), width: line.width, dash: line.dash,
          points: { show: true, filter: (u, k) => alone(u.data[k]) } }));
      return {
        width, height: box.clientHeight, legend: { show: false }, focus: { alpha: 0.22 }, bands: spec.bands,
        series: [{}, ...(stacked ? styles.reverse() : styles)],
        tzDate: (s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
        scales: {
          x: { time: Boolean(dates), range: (u, lo, hi) => (lo === x[0] && hi === x[last] ? ends() : [lo, hi]) },
          y: { range: spec.range || { min: near, max: near } },
        },
        axes: [dates ? { ...axis, values: (u, at, i, space, step) => dateTicks(at, step), space: 80, size: 30 }
          : { ...axis, values: (u, at) => at.map(tick), incrs: INCREMENTS, space: 64, size: 30 },
          { ...axis, values: (u, at) => at.map(stacked || shares ? share : tick), size: wide, space: 44 }],
        cursor: { y: false, drag: { x: true, y: false, dist: 3 }, points: { show: !stacked }, focus: { prox: stacked ? -1 : 12 },
          sync: { key: group.key, setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } } },
        hooks: { setCursor: [read], setScale: [(u, key) => key === "x" && follow()], setSeries: [lit], drawClear: [zero] },
      };
    }
    function ends() { return group.from === group.to ? [group.from - 0.5, group.to + 0.5] : [group.from, group.to]; }
    function zero({ ctx, bbox, scales, valToPos }) {   // a line at zero, where there is a sign to see
      if (stacked || !(scales.y.min < 0 && scales.y.max > 0)) return;
      ctx.save();
      ctx.fillStyle = colour("--soft");
      ctx.fillRect(bbox.left, Math.round(valToPos(0, "y", true)), bbox.width, devicePixelRatio);
      ctx.restore();
    }
    const cursor = () => (none(self.plot.cursor.idx) ? last : self.plot.cursor.idx);
    function read() {   // the legend shows the values under the cursor, or the last ones
      if (!self.plot) return;
      const i = cursor();
      where.textContent = `Round ${whole(none(spec.round) ? rounds[i] : spec.round)}${dates ? `, ${moment(x[i], fine)}` : ""}`;
      lines.forEach((line, k) => { line.value.textContent = show(shown[k][i]); });
    }
    function lit(u, i, { focus }) {   // the line under the mouse, named in the legend
      lines.forEach((line, k) => line.button.classList.toggle("lit", Boolean(focus) && series(k) === i));
    }
    function follow() {   // the charts of one run look at the same rounds
      if (!self.plot) return;
      const { min, max } = self.plot.scales.x;
      reset.hidden = min <= group.from && max >= group.to;
      for (const other of group.charts) {
        const scale = other.plot && other.plot.scales.x;
        if (scale && (scale.min !== min || scale.max !== max)) other.plot.setScale("x", { min, max });
      }
    }
    function zoom(min, max) { self.plot.setScale("x", { min, max }); }
    function redraw() {   // new numbers, same zoom
      const { min, max } = self.plot.scales.x;
      self.plot.batch(() => { self.plot.setData(table(), false); zoom(min, max); });
      describe();
      read();
    }
    function ensure(width = box.clientWidth) {   // a closed section has no width: drawn once opened
      if (!width) return;
      if (self.plot) self.plot.setSize({ width, height: box.clientHeight });
      else self.plot = new uPlot(options(width), table(), box);
      read();
    }
    function press(event) {
      const u = self.plot, { min, max } = u.scales.x;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], factor = { "+": 0.5, "=": 0.5, "-": 2 }[event.key];
      if (step) {
        const i = Math.max(0, Math.min(last, cursor() + step * (event.shiftKey ? 20 : 1)));
        u.setCursor({ left: u.valToPos(x[i], "x"), top: 10 });
      } else if (factor && last > 0) {
        const middle = none(u.cursor.idx) ? (min + max) / 2 : x[u.cursor.idx], half = ((max - min) / 2) * factor;
        zoom(Math.max(group.from, middle - half), Math.min(group.to, middle + half));
      } else if (event.key === "Escape") zoom(...ends());
      else return;
      event.preventDefault();
    }
    function toggle(line, k) {
      line.off = !line.off;
      line.button.setAttribute("aria-pressed", String(!line.off));
      self.plot.setSeries(series(k), { show: !line.off });
      if (stacked) redraw();   // what was above it comes down
    }
    function buttons() {   // in reading order, which is not the order of drawing
      lines.forEach((line, k) => {
        const glow = (on) => () => stacked || self.plot.setSeries(on ? series(k) : null, { focus: true }, false);
        line.value = el("span", { class: "value" });
        line.button = button({ class: `key ${line.width > 2 ? "strong" : ""}`, "aria-pressed": String(!line.off),
          title: `${line.name}: click to hide or show`, click: () => toggle(line, k),
          mouseenter: glow(true), mouseleave: glow(false), focus: glow(true), blur: glow(false) },
        swatch(line), el("span", { class: "name" }, line.name), line.value);
      });
      legend.replaceChildren(...[...lines].sort((a, b) => (b.first || 0) - (a.first || 0)).map((line) => line.button));
    }
    function swatch(line) {
      const [svg, path] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
      const dash = (line.dash || []).join(" ") || "none";
      path.setAttribute("d", "M1 6H21");
      path.setAttribute("style", `stroke:var(${line.colour});stroke-width:${stacked ? 10 : line.width};stroke-dasharray:${dash}`);
      svg.setAttribute("aria-hidden", "true");
      svg.append(path);
      return svg;
    }
    function describe() {
      const ends = lines.map((line, k) => `${line.name} ${show(shown[k][last])}`);
      text.textContent = `${spec.title}, rounds ${num(rounds[0])} to ${num(rounds[last])}. At the end: ${ends.join("; ")}.`;
    }

    if (views.length > 1) {
      const choice = el("div", { class: "views", role: "group", "aria-label": "What to draw" });
      const pick = (of) => (event) => {
        for (const other of choice.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        view = of;
        redraw();
      };
      choice.append(...views.map(([label, of], i) => button({ "aria-pressed": String(i === 0), click: pick(of) }, label)));
      controls.append(choice);
    }
    if (spec.choices && spec.choices.length > 1) {
      const select = el("select", { "aria-label": "Guarantee", change: () => {
        lines = spec.choices[select.selectedIndex].lines.map((line, k) => ({ ...line, off: lines[k].off }));
        buttons();
        redraw();
      } }, spec.choices.map((choice) => el("option", {}, choice.label)));
      controls.append(select);
    }
    table();
    buttons();
    describe();
    charts.push(self);
    group.charts.push(self);
    new ResizeObserver(() => ensure()).observe(box);
    return el("figure", {}, el("div", { class: "head" }, el("h3", {}, spec.title), controls),
      el("p", { class: "about" }, spec.about), box, where, legend, text);
  }

  return { charts, chart, el, button, num, percent, exactly, colour, none };
})();

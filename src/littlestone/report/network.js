// The picture of a small graph; it is on the page only where a run has one.
"use strict";
(() => {
  const { el, num } = window.littlestone;
  window.littlestone.network = (run, hue, section) => {   // a small graph: vertices in the colour of the label that the learner would give them now
    const g = run.network, W = 720, H = 440, pad = 16;
    const svg = (tag, attributes, ...children) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      node.append(...children);
      return node;
    };
    const x = (i) => pad + g.x[i] * (W - 2 * pad), y = (i) => pad + g.y[i] * (H - 2 * pad);
    const shade = (c) => (c < 0 ? "var(--others)" : `var(${hue(`label ${g.classes[c]}`)})`);
    const lines = g.edges.map(([a, b]) => svg("line", { x1: x(a), y1: y(a), x2: x(b), y2: y(b),
      stroke: g.said[a] === g.said[b] ? "var(--rule)" : "var(--ink)", "stroke-width": 1 }));
    const r = Math.max(3, Math.min(8, 90 / Math.sqrt(g.x.length)));
    const dots = g.x.map((_, i) => svg("circle", { cx: x(i), cy: y(i), r, stroke: shade(g.said[i]), "stroke-width": 2,
      fill: g.asked[i] ? shade(g.said[i]) : "var(--paper)" },
    svg("title", {}, `${g.names[i]}: ${g.said[i] < 0 ? "no label" : g.classes[g.said[i]]}${g.asked[i] ? "" : ", never asked"}`)));
    const cut = g.edges.filter(([a, b]) => g.said[a] !== g.said[b]).length;
    const legend = g.classes.map((name, c) => el("span", { class: "who" }, el("span", { class: "dot", style: `background:${shade(c)}` }), ` ${name} `));
    return section("The network", el("p", { class: "about" },
      `${num(g.x.length)} vertices, ${num(g.edges.length)} edges, of which ${num(cut)} (dark) join different labels. The colour is the label that the learner would give now; hollow vertices were never asked.`),
    svg("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", role: "img", "aria-label": "The network" }, ...lines, ...dots), el("p", {}, legend));
  };
})();

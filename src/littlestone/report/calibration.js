// The reliability diagram; it is on the page only where a run has probabilities.
"use strict";
(() => {
  const { el, num } = window.littlestone;
  window.littlestone.calibration = (run, section, grid, cell) => {   // what was said to be so probable, and how often it came
    const c = run.calibration, W = 420, H = 420, pad = 44;
    const svg = (tag, attributes, ...children) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      node.append(...children);
      return node;
    };
    const x = (p) => pad + p * (W - 2 * pad), y = (p) => H - pad - p * (H - 2 * pad);
    const text = (at, up, anchor, said) => svg("text", { x: at, y: up, "text-anchor": anchor, fill: "var(--soft)", "font-size": 12 }, said);
    const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((v) => [
      svg("line", { x1: x(v), y1: y(0), x2: x(v), y2: y(1), stroke: "var(--rule)" }), svg("line", { x1: x(0), y1: y(v), x2: x(1), y2: y(v), stroke: "var(--rule)" }),
      text(x(v), y(0) + 16, "middle", String(v)), text(x(0) - 6, y(v) + 4, "end", String(v))]);
    const most = Math.max(...c.bins.map((b) => b[4]));
    const bars = c.bins.map((b) => svg("rect", { x: x(b[0]) + 2, width: x(b[1]) - x(b[0]) - 4, y: y(0.25 * b[4] / most), height: y(0) - y(0.25 * b[4] / most), fill: "var(--slack)" }));
    const dots = c.bins.map((b) => svg("circle", { cx: x(b[2]), cy: y(b[3]), r: 5, fill: "var(--learner)" },
      svg("title", {}, `said ${num(b[2])}, observed ${num(b[3])}, ${num(b[4])} rounds`)));
    const line = svg("polyline", { points: c.bins.map((b) => `${x(b[2])},${y(b[3])}`).join(" "), fill: "none", stroke: "var(--learner)", "stroke-width": 2 });
    const even = svg("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--ink)", "stroke-dasharray": "7 4" });
    return section("Are the probabilities right?", el("p", { class: "about" },
      `Of the rounds in which ${c.of} was said to be so probable, how often it came true; bars show how many rounds. On the dashed line it came as often as was said. Brier score ${num(c.brier)} (0 is best; always the shares of the classes: ${num(c.brier_of_shares)}), calibration error ${num(c.error)}.`),
    svg("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", style: "max-width:30rem", role: "img", "aria-label": "Reliability diagram" },
      ...ticks, ...bars, even, line, ...dots, text(W / 2, H - 8, "middle", `probability of ${c.of}`), svg("text", { transform: `translate(12 ${H / 2}) rotate(-90)`, "text-anchor": "middle", fill: "var(--soft)", "font-size": 12 }, "observed")),
    grid("Probabilities", [["Said to be"], ["Mean", "n"], ["Observed", "n"], ["Rounds", "n"]],
      c.bins.map((b) => el("tr", {}, cell("", `${num(b[0])} to ${num(b[1])}`), cell("n", num(b[2])), cell("n", num(b[3])), cell("n", num(b[4]))))));
  };
})();

// Charts of the last hour over uPlot: one instance a figure, fed by ops.js, drawn again when theme or width change.
"use strict";
const Charts = (() => {
  const COLOURS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c7", "--c8", "--c6"];
  const OUTCOMES = { kept: "--c1", merged: "--c2", superseding: "--c3", masked: "--c4", refused: "--c5", skipped: "--c6", observed: "--c7", retired: "--c8" };
  const HEIGHT = 208, FONT = "11px system-ui, sans-serif";
  const style = () => getComputedStyle(document.documentElement);
  const plots = new Map();
  let last = null;

  // Two digits tell any two labels of an axis apart: it begins at 0 and has fewer than ten.
  const digits = v => v < 10 ? `${+v.toPrecision(2)}` : `${Math.round(v)}`;
  const seconds = v => v == null ? "–" : v === 0 ? "0 s" : v < 1 ? `${digits(v * 1000)} ms` : v < 90 ? `${+v.toFixed(1)} s` : `${digits(v / 60)} min`;
  const plain = v => v == null ? "–" : digits(v);
  const clock = (t, fine) => new Date(t * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: fine ? "2-digit" : undefined });
  // The first minutes have more than one label a minute: then they say the seconds.
  const TIMES = { incrs: [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600], space: 90, values: (u, ts, i, space, step) => ts.map(t => clock(t, step < 60)) };
  // A label stands in the middle of its tick, and the last tick may be the last pixel: half a label has room beside it.
  const pen = document.createElement("canvas").getContext("2d");
  const besides = t => { pen.font = FONT; return Math.ceil(pen.measureText(clock(t, true)).width / 2) + 2; };
  const KINDS = {
    gates: { of: d => [d.gates.t, d.gates.outcomes], show: plain, colour: n => OUTCOMES[n], stack: true },
    fresh: { of: d => [d.t, d.fresh], show: seconds },
    rate: { of: d => [d.t, d.rate], show: plain },
    lag_seconds: { of: d => [d.t, d.lag_seconds], show: seconds },
  };

  function told(name, t, columns, show) {
    // For those who cannot see the picture: newest and highest of each line.
    const rows = Object.entries(columns).map(([n, values]) => {
      const known = values.filter(v => v != null);
      return `${n}: now ${show(known.at(-1))}, at most ${show(known.length ? Math.max(...known) : null)}`;
    });
    return `${name}, ${clock(t[0])} to ${clock(t.at(-1))}. ${rows.join("; ")}`;
  }

  function stacked(columns, names) {
    const sums = [], below = [];
    for (const n of names) {
      const values = columns[n].map((v, i) => (v ?? 0) + (below[i] ?? 0));
      values.forEach((v, i) => { below[i] = v; });
      sums.push(values);
    }
    return sums;
  }

  function draw(element, data) {
    const kind = KINDS[element.dataset.chart];
    const [t, columns] = kind.of(data);
    const names = Object.keys(columns).filter(n => columns[n].some(v => v));
    const key = element.dataset.chart, old = plots.get(key);
    if (!names.length || t.length < 2) {
      if (old) { old.plot.destroy(); plots.delete(key); }
      const p = Object.assign(document.createElement("p"), { className: "empty", textContent: "Nothing within the hour yet." });
      element.replaceChildren(p);
      return;
    }
    const raw = names.map(n => columns[n]);
    const values = kind.stack ? stacked(columns, names).reverse() : raw;
    const order = kind.stack ? [...names].reverse() : names;
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", told(element.closest("figure").querySelector("h3").textContent, t, Object.fromEntries(names.map(n => [n, columns[n]])), kind.show));
    const signature = order.join("|") + style().getPropertyValue("--card");
    if (old && old.signature === signature && old.element === element) {
      old.columns = columns;
      old.plot.setData([t, ...values]);
      return;
    }
    if (old) old.plot.destroy();
    element.replaceChildren();
    const css = style(), line = css.getPropertyValue("--line").trim(), soft = css.getPropertyValue("--soft").trim();
    const held = { element, signature, columns };
    const axis = { stroke: soft, font: FONT, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    held.plot = new uPlot({
      width: Math.max(200, element.clientWidth), height: HEIGHT, padding: [8, besides(t.at(-1)), 0, 0],
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [{ ...axis, ...TIMES, grid: { show: false } }, { ...axis, size: 56, values: (u, vs) => vs.map(kind.show) }],
      series: [
        { label: "At", value: (u, v) => v == null ? "" : clock(v, true) },
        ...order.map((n, i) => {
          const colour = css.getPropertyValue((kind.colour && kind.colour(n)) || COLOURS[i % COLOURS.length]).trim();
          return {
            label: n.replace(/^sink-/, ""), stroke: colour, width: kind.stack ? 1 : 1.75, spanGaps: false, points: { show: false },
            fill: kind.stack ? colour + "cc" : undefined, paths: kind.stack ? uPlot.paths.stepped({ align: 1 }) : undefined,
            value: (u, v, si, di) => kind.show(di == null ? null : held.columns[n]?.[di]),
          };
        }),
      ],
    }, [t, ...values], element);
    plots.set(key, held);
  }

  function show(data) {
    last = data;
    document.querySelectorAll("[data-chart]").forEach(element => draw(element, data));
  }
  const again = () => { if (last) { plots.forEach(p => p.plot.destroy()); plots.clear(); show(last); } };
  let width = innerWidth, waiting;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(again, 150);
  });
  return { show, again };
})();

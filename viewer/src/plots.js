// Small plots in step with the time, drawn on a canvas each.
import { number } from './fields.js';
import { indexAt } from './stream.js';

const colours = ['#4e9bd1', '#e8a33d', '#63b179', '#d2665a', '#9a7fc7', '#4fb8b3'];

// Which columns stand together.
export function plotsOf(run) {
  const plots = [], steps = run.tables.get('steps');
  const pick = (table, names) => names.map((n) => table.columns.find((c) => c.name === n)).filter(Boolean);
  if (steps?.rows > 1) {
    const add = (title, unit, names, more = {}) => plots.push({ title, unit, table: steps, curves: pick(steps, names), ...more });
    add('Energy', 'J', ['kinetic', 'potential', 'energy_error']);
    add('Residual', '', ['residual'], { log: true, line: run.header.tolerance });
    add('Penetration', '% of a diameter', ['penetration_percent']);
    add('Contacts', '', ['contacts']);
    add('Iterations', 'per step', ['iterations']);
    add('Lost and given', 'J', ['friction', 'impacts', 'work']);
  }
  for (const table of run.tables.values()) {
    if (table === steps) continue;
    const units = new Map();
    for (const c of table.columns.slice(1)) units.set(c.unit, [...(units.get(c.unit) ?? []), c]);
    for (const [unit, curves] of units)
      for (let i = 0; i < curves.length; i += 4)
        plots.push({ title: table.name, unit, table, curves: curves.slice(i, i + 4) });
  }
  return plots.filter((p) => p.curves.length && p.table.rows > 1);
}

// A curve; where many points share a pixel's width, their first, least, most and last stand for them. NaN: a gap.
function trace(g, count, x, y) {
  let column = NaN, gap = true, least, most, last, at;
  const flush = () => {
    if (Number.isNaN(column)) return;
    for (const v of [least, most, last]) g.lineTo(at, v);
    column = NaN;
  };
  for (let k = 0; k < count; k++) {
    const v = y(k), here = x(k);
    if (Number.isNaN(v)) { flush(); gap = true; continue; }
    if (!gap && Math.floor(here) === column) {
      least = Math.min(least, v); most = Math.max(most, v); last = v; at = here;
      continue;
    }
    flush();
    if (gap) g.moveTo(here, v); else g.lineTo(here, v);
    gap = false;
    column = Math.floor(here);
    least = most = last = v;
    at = here;
  }
  flush();
}

export class Plots {
  constructor(place, scrub) {
    this.place = place;
    this.scrub = scrub;
    this.items = [];
  }

  update(run) {
    const plots = plotsOf(run);
    const key = plots.map((p) => p.title + p.unit + p.curves.map((c) => c.name)).join();
    if (key !== this.key) {
      this.key = key;
      this.place.replaceChildren();
      this.items = plots.map((plot) => this.add(plot));
    } else {
      plots.forEach((plot, i) => (this.items[i].plot = plot));
    }
    this.items.forEach((item) => (item.fresh = true));
    return plots.length;
  }

  add(plot) {
    const figure = document.createElement('figure'), canvas = document.createElement('canvas');
    const caption = document.createElement('figcaption');
    canvas.setAttribute('role', 'img');
    const cursor = document.createElement('div');
    cursor.className = 'cursor';
    figure.append(caption, canvas, cursor);
    this.place.append(figure);
    const item = { plot, canvas, caption, cursor, fresh: true };
    const title = document.createElement('strong'), values = document.createElement('span');
    title.textContent = plot.title + (plot.unit ? `, ${plot.unit}` : '');
    values.className = 'values';
    item.words = plot.curves.map((c, i) => {
      const word = document.createElement('span'), dot = document.createElement('i'), value = document.createElement('b');
      dot.style.background = colours[i % colours.length];
      word.append(dot, plot.curves.length > 1 ? c.name.replaceAll('_', ' ') + ' ' : '', value);
      values.append(word);
      return value;
    });
    caption.append(title, values);
    canvas.addEventListener('pointerdown', (e) => {
      const at = (event) => {
        const r = canvas.getBoundingClientRect(), m = item.margin;
        const t = Math.min(1, Math.max(0, (event.clientX - r.left - m.left) / (r.width - m.left - m.right)));
        const times = item.plot.table.columns[0].values;
        this.scrub(times[0] + t * (times[times.length - 1] - times[0]));
      };
      canvas.setPointerCapture(e.pointerId);
      at(e);
      canvas.onpointermove = at;
      canvas.onpointerup = () => (canvas.onpointermove = null);
    });
    return item;
  }

  draw(time) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-soft'), grid = style.getPropertyValue('--line');
    for (const item of this.items) this.drawOne(item, time, ink, grid);
  }

  // Curves are drawn when they have changed; a line that only moves follows the time.
  drawOne(item, time, ink, grid) {
    const { canvas, plot, cursor } = item, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w || !h) return;
    const key = [w, h, ink, devicePixelRatio].join();
    if (item.fresh || item.key !== key) this.drawCurves(item, w, h, ink, grid);
    item.fresh = false;
    item.key = key;
    const times = plot.table.columns[0].values, at = indexAt(times, time), m = item.margin;
    const t0 = times[0], t1 = times[times.length - 1] || t0 + 1, part = Math.min(1, Math.max(0, (time - t0) / (t1 - t0 || 1)));
    cursor.style.transform = `translateX(${(m.left + part * (w - m.left - m.right)).toFixed(1)}px)`;
    plot.curves.forEach((c, i) => (item.words[i].textContent = number(c.values[at])));
    canvas.setAttribute('aria-label', `${plot.title} against time; at ${number(time)} s: ` +
      plot.curves.map((c) => `${c.name} ${number(c.values[at])} ${plot.unit}`).join(', '));
  }

  drawCurves(item, w, h, ink, grid) {
    const { canvas, plot } = item, ratio = Math.min(2, devicePixelRatio);
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
    // Kept where the processor draws: long curves take a graphics card that is played by the processor seconds.
    const g = canvas.getContext('2d', { willReadFrequently: true }), m = (item.margin = { left: 46, right: 8, top: 6, bottom: 16 });
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    const times = plot.table.columns[0].values, t0 = times[0], t1 = times[times.length - 1] || t0 + 1;
    let least = Infinity, most = -Infinity;
    for (const c of plot.curves)
      for (const v of c.values)
        if (Number.isFinite(v) && (!plot.log || v > 0)) { least = Math.min(least, v); most = Math.max(most, v); }
    if (plot.line) { most = Math.max(most, plot.line); least = Math.min(least, plot.line); }
    if (!(most >= least)) { least = 0; most = 1; }
    if (plot.log) { least = Math.log10(Math.max(least, most * 1e-9)); most = Math.log10(most); }
    else if (least > 0 && least < 0.5 * most) least = 0;
    if (most === least) { most += Math.abs(most) * 0.5 || 1; least -= Math.abs(least) * 0.5; }
    const x = (t) => m.left + ((t - t0) / (t1 - t0)) * (w - m.left - m.right);
    const y = (v) => h - m.bottom - (((plot.log ? Math.log10(Math.max(v, 1e-300)) : v) - least) / (most - least)) * (h - m.top - m.bottom);
    g.font = '10px system-ui, sans-serif';
    g.fillStyle = ink;
    g.strokeStyle = grid;
    g.lineWidth = 1;
    for (const part of [0, 0.5, 1]) {
      const v = least + part * (most - least), py = h - m.bottom - part * (h - m.top - m.bottom);
      g.beginPath(); g.moveTo(m.left, py); g.lineTo(w - m.right, py); g.stroke();
      g.textAlign = 'right'; g.textBaseline = 'middle';
      g.fillText(number(plot.log ? Math.pow(10, v) : Math.abs(v) < 1e-9 * (most - least) ? 0 : v, 2), m.left - 5, py);
    }
    g.textBaseline = 'bottom';
    g.textAlign = 'left'; g.fillText(number(t0, 3), m.left, h);
    g.textAlign = 'right'; g.fillText(number(t1, 3) + ' s', w - m.right, h);
    if (plot.line) {
      g.setLineDash([4, 4]); g.strokeStyle = ink;
      g.beginPath(); g.moveTo(m.left, y(plot.line)); g.lineTo(w - m.right, y(plot.line)); g.stroke();
      g.setLineDash([]);
    }
    plot.curves.forEach((c, i) => {
      g.strokeStyle = colours[i % colours.length];
      g.lineWidth = 1.5;
      g.beginPath();
      trace(g, times.length, (k) => x(times[k]), (k) => (Number.isFinite(c.values[k]) && !(plot.log && c.values[k] <= 0) ? y(c.values[k]) : NaN));
      g.stroke();
    });
  }
}

// What bodies can be coloured by, and the colours.
import { BODY_DYNAMIC, half, indexAt } from './stream.js';

export const NO_VALUE = -1e30;

// viridis and a few more, as a handful of points each; between them straight.
const maps = {
  viridis: ['3d4f96', '33669f', '2a7fa5', '2697a0', '36ae8e', '63c174', '9ed157', 'd6dd45', 'fbe54a'],
  magma: ['3a2468', '5e2a85', '812581', 'b5367a', 'e55964', 'fb8861', 'fec287', 'fcfdbf'],
  earth: ['23364f', '2f5d6e', '4b8378', '7fa16f', 'bcb26a', 'dcc58a', 'f3e6c8'],
  rods: ['8b96a2', '8b96a2'],
  kinds: ['4e9bd1', 'e8a33d', '63b179', 'd2665a', '9a7fc7', '4fb8b3', 'c98d5f', 'd583b0', '8f9aa5', 'b5b54a', '6f86d6', 'e0c46c'],
};
const rgb = (hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));

// 256 colours in a row (RGBA); `kinds` in bands.
export function mapBytes(name) {
  const points = maps[name].map(rgb), bytes = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const c = [0, 0, 0];
    if (name === 'kinds') {
      const p = points[Math.min(points.length - 1, Math.floor((i / 256) * points.length))];
      for (let k = 0; k < 3; k++) c[k] = p[k];
    } else {
      const t = (i / 255) * (points.length - 1), a = Math.min(points.length - 2, Math.floor(t));
      for (let k = 0; k < 3; k++) c[k] = points[a][k] + (t - a) * (points[a + 1][k] - points[a][k]);
    }
    bytes.set([...c, 255], 4 * i);
  }
  return bytes;
}
export const KINDS = maps.kinds.length;
export const cssColour = (name, i) => '#' + maps[name][i % maps[name].length];
export const cssGradient = (name) => `linear-gradient(to right, ${maps[name].map((c) => '#' + c).join(', ')})`;

// Sum of the contact forces' sizes on each body, and how many there are; kept with the frame.
export function loads(frame, run) {
  if (frame.loads) return frame.loads;
  const force = new Float32Array(run.bodies), contacts = new Uint16Array(run.bodies), c = frame.contacts;
  for (let i = 0; c && i < c.count; i++) {
    const f = Math.hypot(c.force[3 * i], c.force[3 * i + 1], c.force[3 * i + 2]);
    force[c.a[i]] += f; force[c.b[i]] += f;
    contacts[c.a[i]]++; contacts[c.b[i]]++;
  }
  return (frame.loads = { force, contacts });
}

const kind = (get, names) => ({ map: 'kinds', kind: true, get: (...x) => (get(...x) % KINDS + 0.5) / KINDS, index: get, names });

export const fields = {
  speed: { label: 'Speed', unit: 'm/s', map: 'viridis', get: (run, f, row) => half(f.speed[row]) },
  spin: { label: 'Spin', unit: 'rad/s', map: 'viridis', get: (run, f, row) => half(f.spin[row]) },
  height: { label: 'Height', unit: 'm', map: 'earth', get: (run, f, row) => f.place[3 * row + 2] * run.header.quantum },
  start: { label: 'Height at the start', unit: 'm', map: 'earth', fixed: true,
    get: (run, f, row, n) => (run.start && 3 * n + 2 < run.start.length ? run.start[3 * n + 2] : 0) },
  way: { label: 'Way from the start', unit: 'm', map: 'viridis', get: (run, f, row, n) => {
    const s = run.start, q = run.header.quantum, p = f.place;
    return s && 3 * n + 2 < s.length ? Math.hypot(p[3 * row] * q - s[3 * n], p[3 * row + 1] * q - s[3 * n + 1], p[3 * row + 2] * q - s[3 * n + 2]) : 0;
  } },
  x: { label: 'Place x', unit: 'm', map: 'earth', get: (run, f, row) => f.place[3 * row] * run.header.quantum },
  y: { label: 'Place y', unit: 'm', map: 'earth', get: (run, f, row) => f.place[3 * row + 1] * run.header.quantum },
  energy: { label: 'Energy of translation', unit: 'J', map: 'viridis', get: (run, f, row, n) => 0.5 * run.mass[n] * half(f.speed[row]) ** 2 },
  force: { label: 'Contact force', unit: 'N', map: 'magma', contacts: true, get: (run, f, row, n) => loads(f, run).force[n] },
  contacts: { label: 'Contacts', unit: '', map: 'viridis', contacts: true, get: (run, f, row, n) => loads(f, run).contacts[n] },
  size: { label: 'Size (diameter)', unit: 'm', map: 'viridis', fixed: true, get: (run, f, row, n) => run.diameter[n] },
  mass: { label: 'Mass', unit: 'kg', map: 'viridis', fixed: true, get: (run, f, row, n) => run.mass[n] },
  material: { label: 'Material', ...kind((run, f, row, n) => run.material[n], (run) => run.header.materials.map((m) => m.name)) },
  shape: { label: 'Kind of shape', ...kind((run, f, row, n) => shapeKinds.indexOf(run.shapes[run.shape[n] - 1]?.kind),
    () => shapeKinds.map((s) => s.replace('_', ' '))) },
  body: { label: 'Body', ...kind((run, f, row, n) => n, null) },
};
// Columns of probes: on the body that a probe watches, or on all that move.
export function probeFields(run) {
  const found = {};
  for (const { name, body } of run.header.probes ?? []) {
    const table = run.tables.get(name);
    for (const column of table?.columns.slice(1) ?? []) {
      let frame = null, value = NaN;
      found[`${name}.${column.name}`] = { label: `${name}: ${column.name.replaceAll('_', ' ')}`, unit: column.unit, map: 'viridis', walls: body >= 0,
        get: (r, f, row, n) => {
          if (body >= 0 && n !== body) return NO_VALUE;
          const { columns } = run.tables.get(name) ?? table; // a live run's tables are cleared when it starts anew
          if (f !== frame) {
            const k = columns.findIndex((c) => c.name === column.name);
            value = columns[k].values[indexAt(columns[0].values, f.time)] ?? NaN;
            frame = f;
          }
          return Number.isFinite(value) ? value : NO_VALUE;
        } };
    }
  }
  return found;
}

const shapeKinds = ['sphere', 'box', 'hull', 'cylinder', 'capsule', 'ellipsoid', 'cone', 'mesh', 'compound', 'half_space'];

// Which index of the palette occurs, for the legend.
export function occurring(field, run, frame) {
  const seen = new Set();
  for (let i = 0; i < frame.count && seen.size < KINDS; i++)
    if (run.kind[frame.list[i]] === BODY_DYNAMIC) seen.add(field.index(run, frame, i, frame.list[i]));
  return [...seen].sort((a, b) => a - b);
}

// Least and most of a field over some frames; the last fiftieth is left out where it runs away.
export function rangeOf(field, run, frames) {
  let values = [];
  for (const frame of frames)
    for (let i = 0; i < frame.count; i++)
      if (field.walls || run.kind[frame.list[i]] === BODY_DYNAMIC) values.push(field.get(run, frame, i, frame.list[i]));
  values = values.filter((v) => Number.isFinite(v) && v > NO_VALUE).sort((a, b) => a - b);
  if (!values.length) return [0, 1];
  const least = values[0];
  let most = values[values.length - 1];
  const usual = values[Math.min(values.length - 1, Math.floor(0.98 * values.length))];
  if (!field.fixed && most > 2 * usual && usual > least) most = usual;
  if (most > least) return [least, most];
  return least >= 0 ? [0, 2 * least || 1] : [1.5 * least, 0.5 * least];
}

export const number = (x, digits = 3) => {
  if (!Number.isFinite(x)) return '–';
  const a = Math.abs(x);
  if (a !== 0 && (a >= 1e5 || a < 1e-3)) return x.toExponential(digits - 1).replace('e+', 'e');
  return String(Number(x.toPrecision(digits)));
};

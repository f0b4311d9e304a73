// Reads the messages that docs/viewer.md describes, from a page or from a socket.

const halves = new Float32Array(65536);
for (let i = 0; i < 65536; i++) {
  const e = (i >> 10) & 31, f = i & 1023, s = i & 32768 ? -1 : 1;
  halves[i] = s * (e ? Math.pow(2, e - 15) * (1 + f / 1024) : Math.pow(2, -24) * f);
}
export const half = (bits) => halves[bits & 65535];

export const BODY_DYNAMIC = 0;
export const BODY_FIXED = 1;
const COLUMNS = 9, MOST_ROWS = 4000;

// The last place of a growing list whose value is not above `time`.
export function indexAt(times, time) {
  let a = 0, b = times.length - 1;
  while (a < b) {
    const m = (a + b + 1) >> 1;
    if (times[m] <= time) a = m; else b = m - 1;
  }
  return a;
}

const text = new TextDecoder();

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  json(length = this.bytes.length - this.at) {
    this.at += length;
    return JSON.parse(text.decode(this.bytes.subarray(this.at - length, this.at)));
  }
  signed() {
    const bytes = this.bytes;
    let value = 0, shift = 0, byte;
    do {
      if (this.at >= bytes.length) throw new RangeError('the message is cut off');
      byte = bytes[this.at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return (value >>> 1) ^ -(value & 1);
  }
}

function grown(array, length) {
  if (array.length >= length) return array;
  const next = new array.constructor(Math.max(length, array.length * 2));
  next.set(array);
  return next;
}

// What is known of a run so far.
export class Run {
  constructor() {
    this.header = null;
    this.shapes = [];
    this.bodies = 0;
    this.place = new Uint32Array(64);
    this.generation = new Uint32Array(64);
    this.shape = new Uint32Array(64);
    this.kind = new Uint8Array(64);
    this.material = new Uint16Array(64);
    this.mass = new Float32Array(64);
    this.diameter = new Float32Array(64);
    this.known = new Int32Array(64 * COLUMNS);
    this.list = new Uint32Array(0);
    this.tables = new Map();
    this.times = null;
    this.state = null;
    this.notes = [];
    this.shapeVersion = 0;
  }

  // Takes a message; returns its kind, and a frame where it is one.
  take(bytes) {
    const r = new Reader(bytes), kind = String.fromCharCode(r.u8());
    switch (kind) {
      case 'H': {
        const header = r.json();
        if (header.format !== 1) throw new Error('the run is of another version of Scree');
        this.header = header;
        this.tables.clear();
        break;
      }
      case 'G': {
        const { first, shapes } = r.json();
        this.shapes.length = first;
        for (const shape of shapes) this.shapes.push(shape);
        this.shapeVersion++;
        break;
      }
      case 'B': this.takeBodies(r); break;
      case 'F': return { kind, frame: this.takeFrame(r) };
      case 'T': {
        const count = r.u32();
        this.times = new Float64Array(count);
        for (let i = 0; i < count; i++) this.times[i] = r.f64();
        break;
      }
      case 'S': this.takeTable(r); break;
      case 'P': this.takeProbe(r.json()); break;
      case 'I': this.state = r.json(); break;
      case 'E': this.notes.push(text.decode(bytes.subarray(1))); break;
      case 'N': break;
      default: throw new Error('a message of an unknown kind');
    }
    return { kind };
  }

  takeBodies(r) {
    const first = r.u32(), count = r.u32(), end = first + count;
    for (const name of ['place', 'generation', 'shape', 'kind', 'material', 'mass', 'diameter'])
      this[name] = grown(this[name], end);
    this.known = grown(this.known, end * COLUMNS);
    for (let i = first; i < end; i++) this.place[i] = r.u32();
    for (let i = first; i < end; i++) this.generation[i] = r.u32();
    for (let i = first; i < end; i++) this.shape[i] = r.u32();
    for (let i = first; i < end; i++) this.kind[i] = r.u8();
    for (let i = first; i < end; i++) this.material[i] = r.u16();
    for (let i = first; i < end; i++) this.mass[i] = r.f32();
    for (let i = first; i < end; i++) this.diameter[i] = r.f32();
    this.bodies = end;
  }

  takeFrame(r) {
    const flags = r.u8(), index = r.u32(), time = r.f64(), step = r.f64(), count = r.u32();
    if (count > this.bodies) throw new RangeError('a frame has more bodies than there are');
    if (flags & 1) {
      const list = new Uint32Array(count);
      for (let i = 0, n = 0; i < count; i++) {
        n += r.signed();
        if (n < 0 || n >= this.bodies) throw new RangeError('a frame has an unknown body');
        list[i] = n;
      }
      this.list = list;
    }
    const list = this.list, known = this.known;
    const mask = r.bytes.subarray(r.at, r.at + ((count + 7) >> 3));
    r.at += mask.length;
    const changed = [];
    for (let i = 0; i < count; i++) if (mask[i >> 3] & (1 << (i & 7))) changed.push(list[i] * COLUMNS);
    for (let k = 0; k < COLUMNS; k++)
      for (let i = 0; i < changed.length; i++) {
        const at = changed[i] + k;
        known[at] = (known[at] + r.signed()) | 0;
      }
    const frame = {
      index, time, step, count, list,
      place: new Int32Array(3 * count), turn: new Int16Array(4 * count),
      speed: new Uint16Array(count), spin: new Uint16Array(count), contacts: null,
    };
    for (let i = 0; i < count; i++) {
      const at = list[i] * COLUMNS;
      for (let k = 0; k < 3; k++) frame.place[3 * i + k] = known[at + k];
      for (let k = 0; k < 4; k++) frame.turn[4 * i + k] = known[at + 3 + k];
      frame.speed[i] = known[at + 7];
      frame.spin[i] = known[at + 8];
    }
    if (flags & 2) frame.contacts = this.takeContacts(r);
    return frame;
  }

  takeContacts(r) {
    const count = r.u32(), most = r.f32(), q = this.header.quantum;
    const a = new Uint32Array(count), b = new Uint32Array(count);
    const point = new Float32Array(3 * count), force = new Float32Array(3 * count);
    for (let i = 0, n = 0; i < count; i++) a[i] = n += r.signed();
    for (let i = 0; i < count; i++) {
      b[i] = a[i] + r.signed();
      if (a[i] >= this.bodies || b[i] >= this.bodies)
        throw new RangeError('a contact has an unknown body');
    }
    for (let k = 0; k < 3; k++)
      for (let i = 0; i < count; i++) {
        const near = this.kind[b[i]] === BODY_DYNAMIC ? b[i] : a[i];
        point[3 * i + k] = ((this.known[near * COLUMNS + k] + r.signed()) | 0) * q;
      }
    for (let k = 0; k < 3; k++)
      for (let i = 0; i < count; i++) force[3 * i + k] = half(r.u16()) * most;
    return { count, most, a, b, point, force };
  }

  takeTable(r) {
    const head = r.json(r.u32());
    const columns = head.columns.map(([name, unit]) => {
      const values = new Float32Array(head.rows);
      for (let i = 0; i < head.rows; i++) values[i] = r.f32();
      return { name, unit, values };
    });
    this.tables.set(head.name, { name: head.name, rows: head.rows, columns });
  }

  // What a probe of a live run measures now: a row more. Every second row goes where there are very many.
  takeProbe({ name, columns, values }) {
    let table = this.tables.get(name);
    if (!table) {
      const parts = columns.map((c) => /^(.*?) ?(?:\[(.*)\])?$/.exec(c));
      table = { name, rows: 0, columns: parts.map(([, column, unit = '']) => ({ name: column, unit, values: [] })) };
      this.tables.set(name, table);
    }
    const times = table.columns[0].values;
    if (values.length !== table.columns.length || values[0] <= times[times.length - 1]) return;
    table.columns.forEach((c, k) => c.values.push(values[k] ?? NaN));
    if (++table.rows < MOST_ROWS) return;
    for (const c of table.columns) c.values = c.values.filter((v, i) => i % 2);
    table.rows = times.length >> 1;
  }

  // What the probes that watch a body measured at a time: [name, unit, value].
  probesOf(number, time) {
    const rows = [];
    for (const { name, body } of this.header.probes ?? []) {
      const table = this.tables.get(name);
      if (body !== number || !table?.rows) continue;
      const at = indexAt(table.columns[0].values, time);
      for (const c of table.columns.slice(1)) rows.push([`${name}: ${c.name.replaceAll('_', ' ')}`, c.unit, c.values[at]]);
    }
    return rows;
  }

  // "grain[12]" of a body, by its place in the world.
  nameOf(number) {
    const place = this.place[number];
    if (this.generation[number] === 1)
      for (const [name, first, count, order, all] of this.header.names)
        if (place >= first && place < first + count)
          return all > 1 ? `${name}[${place - first + order}]` : name;
    return `body ${number}`;
  }
}

export const unpack = (bytes, format = 'gzip') =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)))
    .arrayBuffer().then((buffer) => new Uint8Array(buffer));

// Bodies on the stage: one instanced object for each kind of shape, glass for containers, floors.
import * as THREE from 'three';
import * as glsl from './shaders.js';
import { BODY_DYNAMIC, half } from './stream.js';
import { MANY, software } from './device.js';
import { repeated, repeatedIndex, spread } from './copies.js';

const CAVITIES = new Set(['box_container', 'round_container']);

function upright(geometry) {
  return geometry.rotateX(Math.PI / 2); // three's axis is y, ours is z
}

const MERGED = 600; // corners of a unit up to which bodies are one geometry, see Group
// Of the sides and rings of what is round: with a graphics card, without one, and without one of many bodies.
const ROUND = { fine: [32, 19], plain: [18, 11], coarse: [9, 5] };
const units = {
  sphere: () => new THREE.PlaneGeometry(2, 2),
  ellipsoid: (around, rings) => upright(new THREE.SphereGeometry(1, around, rings)),
  box: () => new THREE.BoxGeometry(2, 2, 2),
  capsule: (around, rings) => upright(new THREE.SphereGeometry(1, around, rings)),
  cylinder: (around) => upright(new THREE.CylinderGeometry(1, 1, 2, around)),
  cone: (around) => upright(new THREE.CylinderGeometry(0, 1, 1, around)).translate(0, 0, 0.25),
};
const COLUMNS = [['place0', 3], ['place1', 3], ['turn0', 4], ['turn1', 4], ['size', 3], ['data', 3]];

function triangles(shape) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(shape.vertices, 3));
  geometry.setIndex(shape.triangles);
  geometry.computeVertexNormals();
  return geometry;
}

const sizeOf = (shape) => {
  switch (shape.kind) {
    case 'sphere': return [shape.radius, shape.radius, shape.radius];
    case 'cone': return [shape.radius, shape.radius, shape.high - shape.low];
    default: return shape.half ?? [1, 1, 1];
  }
};

// How far a shape reaches from its origin; 0 for what has no end.
export function reachOf(shape) {
  switch (shape?.kind) {
    case 'sphere': return shape.radius;
    case 'box': case 'ellipsoid': case 'box_container': return Math.hypot(...shape.half);
    case 'capsule': return shape.half[0] + shape.half[2];
    case 'cylinder': return Math.hypot(shape.half[0], shape.half[2]);
    case 'cone': return Math.max(shape.radius, shape.high);
    case 'round_container': return Math.hypot(Math.max(shape.bottom, shape.top), shape.length);
    case 'hull': case 'mesh': {
      let most = 0;
      for (let i = 0; i < shape.vertices.length; i += 3)
        most = Math.max(most, Math.hypot(shape.vertices[i], shape.vertices[i + 1], shape.vertices[i + 2]));
      return most;
    }
    case 'compound':
      return Math.max(0, ...shape.parts.map((p) => Math.hypot(...p.position) + reachOf(p.shape)));
    default: return 0;
  }
}

// The row of a body in a list of a frame; -1: it is not there.
const places = new WeakMap();
export function rowOf(list, number) {
  let rows = places.get(list);
  if (!rows) {
    rows = new Int32Array(list.reduce((m, n) => Math.max(m, n), -1) + 1).fill(-1);
    list.forEach((n, i) => (rows[n] = i));
    places.set(list, rows);
  }
  return rows[number] ?? -1;
}

// The skin of tetrahedra, four numbers each: faces that only one of them has, three numbers each.
export function skinOf(solids) {
  const faces = new Map();
  for (let i = 0; i < solids.length; i += 4)
    for (const [a, b, c] of [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]) {
      const face = [solids[i + a], solids[i + b], solids[i + c]], key = [...face].sort((x, y) => x - y).join();
      if (faces.has(key)) faces.delete(key); else faces.set(key, face);
    }
  return [...faces.values()];
}

// Half of the box around a shape that is turned by q (x y z w of three), or null where it has no end.
export function extentOf(shape, q) {
  let half;
  switch (shape?.kind) {
    case 'box': case 'ellipsoid': case 'box_container': case 'cylinder': half = shape.half; break;
    case 'hull': case 'mesh':
      half = [0, 1, 2].map((k) => shape.vertices.reduce((m, v, i) => (i % 3 === k ? Math.max(m, Math.abs(v)) : m), 0));
      break;
    case 'round_container': half = [Math.max(shape.bottom, shape.top), Math.max(shape.bottom, shape.top), shape.length]; break;
    default: {
      const r = reachOf(shape);
      return r > 0 ? [r, r, r] : null;
    }
  }
  const axes = [[half[0], 0, 0], [0, half[1], 0], [0, 0, half[2]]].map((a) => scratch.place.set(...a).applyQuaternion(q).toArray());
  return [0, 1, 2].map((k) => Math.abs(axes[0][k]) + Math.abs(axes[1][k]) + Math.abs(axes[2][k]));
}

function cavity(shape) {
  let geometry;
  if (shape.kind === 'box_container') {
    geometry = new THREE.BoxGeometry(...shape.half.map((x) => 2 * x));
    const index = [...geometry.index.array]; // sides: +x -x +y -y +z -z, six indices each
    if (shape.open & 2) index.splice(24, 6, ...Array(6).fill(0));
    if (shape.open & 1) index.splice(30, 6, ...Array(6).fill(0));
    geometry.setIndex(index);
  } else {
    geometry = upright(new THREE.CylinderGeometry(shape.top, shape.bottom, 2 * shape.length, 64, 1, true));
    const caps = [];
    if (!(shape.open & 1) && shape.bottom > 0) caps.push([shape.bottom, -shape.length]);
    if (!(shape.open & 2) && shape.top > 0) caps.push([shape.top, shape.length]);
    geometry.userData.caps = caps;
  }
  return geometry;
}

function rims(shape) {
  const points = [];
  if (shape.kind === 'box_container') {
    const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(...shape.half.map((x) => 2 * x)));
    return edges;
  }
  for (const [r, z] of [[shape.bottom, -shape.length], [shape.top, shape.length]])
    for (let i = 0; i < 64; i++)
      for (const k of [i, i + 1]) {
        const a = (2 * Math.PI * k) / 64;
        points.push(r * Math.cos(a), r * Math.sin(a), z);
      }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  return geometry;
}

// Bodies of one shape. They are instances of a unit; where the processor draws, to which each instance is a drawing of its
// own, they are one geometry with a copy of the unit for each. Without a unit each is a point, or the corner of a triangle.
class Group {
  constructor(bodies, geometry, material) {
    this.count = 0;
    this.room = 0;
    this.unit = geometry;
    this.bodies = bodies;
    this.object = new THREE.Mesh(new THREE.InstancedBufferGeometry(), material);
    this.object.frustumCulled = false;
    this.members = 0; // bodies in it; `order` tells which of them are drawn, null: all
    this.numbers = new Uint32Array(0);
    this.sizes = new Float32Array(0);
    this.parts = [];
    this.order = null;
    this.faces = false; // members are corners of triangles, three after the other
  }
  enter(rows) {
    this.members = rows.length;
    this.order = null;
    if (this.numbers.length < rows.length) {
      this.numbers = new Uint32Array(Math.ceil(1.25 * rows.length));
      this.sizes = new Float32Array(3 * this.numbers.length);
    }
    this.parts = rows.some((r) => r.part) ? rows.map((r) => r.part) : [];
    rows.forEach((row, i) => {
      this.numbers[i] = row.number;
      this.sizes.set(row.size, 3 * i);
    });
    this.reserve(rows.length);
  }
  // As points, or as a geometry for each.
  setUnit(unit, material) {
    const { parent } = this.object;
    this.object.geometry.dispose();
    parent?.remove(this.object);
    this.unit = unit;
    this.object = unit ? new THREE.Mesh(new THREE.InstancedBufferGeometry(), material) : new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    parent?.add(this.object);
    this.room = 0;
  }
  reserve(count) {
    this.count = count;
    const { unit } = this, corners = unit?.attributes.position.count ?? 1;
    if (count > this.room || !this.room) {
      this.room = Math.max(16, Math.ceil(count * 1.25));
      const merged = !unit || (software && corners <= MERGED);
      this.copies = merged ? corners : 1;
      const geometry = merged ? new THREE.BufferGeometry() : new THREE.InstancedBufferGeometry();
      if (unit) for (const name of ['position', 'normal']) geometry.setAttribute(name, merged ? repeated(unit.attributes[name], this.room) : unit.attributes[name]);
      if (unit) geometry.index = merged ? repeatedIndex(unit, this.room) : unit.index;
      for (const [name, width] of COLUMNS) {
        const array = new Float32Array(this.room * this.copies * width);
        const attribute = merged ? new THREE.BufferAttribute(array, width) : new THREE.InstancedBufferAttribute(array, width);
        geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
        this[name] = this.copies > 1 ? new Float32Array(this.room * width) : array; // a row for each body
      }
      if (!unit) geometry.setAttribute('position', geometry.attributes.place0);
      this.object.geometry.dispose();
      this.object.geometry = geometry;
    }
    const { geometry } = this.object;
    if (geometry.isInstancedBufferGeometry) geometry.instanceCount = count;
    else geometry.setDrawRange(0, count * (geometry.index ? (unit.index?.count ?? corners) : 1));
    this.object.visible = count > 0;
  }
  // Columns that were filled go to the graphics card.
  send(...names) {
    for (const name of names) spread(this[name], this.object.geometry.attributes[name], this.count, this.copies);
  }
}

export class Bodies {
  constructor(scene, shared) {
    this.scene = scene;
    this.shared = shared;
    this.groups = new Map();
    this.statics = []; // glass and floors: {object, number, part}
    this.list = null;
    this.rows = new Int32Array(0);
    const make = (vertexShader, fragmentShader, more = {}, uniforms = {}) =>
      new THREE.ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...shared, ...uniforms }, ...more });
    this.materials = {
      ball: make(glsl.ballVertex, glsl.ballFragment),
      disc: make(glsl.discVertex, glsl.discFragment),
      mesh: make(glsl.meshVertex, glsl.meshFragment, { side: THREE.DoubleSide }),
      flat: make(glsl.meshVertex, glsl.meshFragment, { side: THREE.DoubleSide, defines: { FLAT: 1 } }),
      capsule: make(glsl.meshVertex, glsl.meshFragment, { defines: { CAPSULE: 1 } }),
      skin: make(glsl.meshVertex, glsl.meshFragment, { side: THREE.DoubleSide, defines: { SKIN: 1, FLAT: 1 } }),
      wall: make(glsl.meshVertex, glsl.meshFragment, { side: THREE.DoubleSide, defines: { WALL: 1, FLAT: 1 } }),
      wallCapsule: make(glsl.meshVertex, glsl.meshFragment, { defines: { WALL: 1, CAPSULE: 1 } }),
    };
    this.make = make;
  }

  clear() {
    for (const group of this.groups.values()) this.scene.remove(group.object);
    for (const { object } of this.statics) this.scene.remove(object);
    this.groups.clear();
    this.statics = [];
    this.list = null;
  }

  setWalls(how) {
    for (const name of ['wall', 'wallCapsule']) {
      const material = this.materials[name];
      material.visible = how !== 'hidden';
      material.transparent = how === 'glass';
      material.depthWrite = how !== 'glass';
      material.needsUpdate = true;
    }
    this.shared.wallGlass.value = how === 'glass' ? 1 : 0;
    this.glassShown = how !== 'hidden';
    for (const { object, floor } of this.statics) if (!floor) object.visible = this.glassShown;
  }

  groupOf(shape, index, wall) {
    const own = shape.kind === 'hull' || shape.kind === 'mesh';
    const key = (wall ? 'wall ' : '') + shape.kind + (own ? ' ' + index : '');
    let group = this.groups.get(key);
    if (!group) {
      const m = this.materials;
      const material = wall ? (shape.kind === 'capsule' ? m.wallCapsule : m.wall)
        : shape.kind === 'sphere' ? m.ball : own ? m.flat : shape.kind === 'capsule' ? m.capsule : m.mesh;
      const unit = own ? triangles(shape)
        : units[shape.kind === 'sphere' && wall ? 'ellipsoid' : shape.kind](...ROUND[this.round]);
      group = new Group(this, unit, material);
      this.groups.set(key, group);
      this.scene.add(group.object);
    }
    return group;
  }

  glass(shape) {
    const geometry = cavity(shape), object = new THREE.Group();
    const material = this.make(glsl.glassVertex, glsl.glassFragment,
      { transparent: true, depthWrite: false, side: THREE.DoubleSide },
      { tone: this.shared.glassTone, strength: { value: 1 } });
    object.add(new THREE.Mesh(geometry, material));
    for (const [r, z] of geometry.userData.caps ?? [])
      object.add(new THREE.Mesh(new THREE.CircleGeometry(r, 64).translate(0, 0, z), material));
    const lines = new THREE.LineSegments(rims(shape),
      new THREE.LineBasicMaterial({ color: 0x8fb3d1, transparent: true, opacity: 0.55 }));
    lines.userData.overlay = true;
    object.add(lines);
    object.visible = this.glassShown !== false;
    return object;
  }

  floor() {
    const geometry = new THREE.PlaneGeometry(2, 2);
    const material = this.make(glsl.floorVertex, glsl.floorFragment,
      { transparent: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 },
      { normalUp: { value: new THREE.Vector3(0, 0, 1) } });
    const object = new THREE.Mesh(geometry, material);
    object.renderOrder = -1;
    return object;
  }

  // Who is there: bodies of a frame enter the groups of their shapes.
  arrange(run, list) {
    if (list === this.list && run.shapeVersion === this.shapeVersion) return false;
    this.list = list;
    this.shapeVersion = run.shapeVersion;
    this.round = !software ? 'fine' : list.length > 200 ? 'coarse' : 'plain';
    const members = new Map(), statics = new Map();
    const enter = (shape, index, number, part) => {
      if (!shape) return;
      if (shape.kind === 'compound') {
        shape.parts.forEach((p, i) => enter(p.shape, `${index}.${i}`, number, p));
        return;
      }
      if (CAVITIES.has(shape.kind) || shape.kind === 'half_space') {
        statics.set(`${number} ${index}`, { shape, number, part });
        return;
      }
      const group = this.groupOf(shape, index, run.kind[number] !== BODY_DYNAMIC);
      let rows = members.get(group);
      if (!rows) members.set(group, (rows = []));
      rows.push({ number, size: sizeOf(shape), part });
    };
    for (let i = 0; i < list.length; i++) {
      const shape = run.shape[list[i]];
      enter(run.shapes[shape - 1], shape - 1, list[i], null);
    }
    const skin = this.skinFor(run, list);
    if (skin.length) members.set(this.skinGroup(), skin);
    for (const group of this.groups.values()) {
      group.enter(members.get(group) ?? []);
    }
    const kept = [];
    for (const s of this.statics) {
      const key = s.key;
      if (statics.has(key)) { kept.push(s); statics.delete(key); } else this.scene.remove(s.object);
    }
    for (const [key, { shape, number, part }] of statics) {
      const floor = shape.kind === 'half_space';
      const object = floor ? this.floor() : this.glass(shape);
      this.scene.add(object);
      kept.push({ key, object, number, part, floor });
    }
    this.statics = kept;
    const most = list.reduce((m, n) => Math.max(m, n), -1) + 1;
    if (this.rows.length < most) this.rows = new Int32Array(most);
    return true;
  }

  // Corners of the skins of flexible parts, of triangles whose nodes are all there.
  skinFor(run, list) {
    if (this.skinHeader !== run.header) {
      this.skinHeader = run.header;
      this.skin = skinOf(run.header.solids ?? []);
    }
    return this.skin.filter((face) => face.every((n) => rowOf(list, n) >= 0)).flatMap((face) => face.map((number) => ({ number, size: [0, 0, 0], part: null })));
  }

  skinGroup() {
    let group = this.groups.get('skin');
    if (!group) {
      group = new Group(this, null, this.materials.skin);
      group.faces = true;
      this.groups.set('skin', group);
      this.scene.add(group.object);
    }
    return group;
  }

  // Two frames between which time runs; `value(frame, row, number)` gives what is coloured.
  show(run, now, next, value, kinds) {
    this.kinds = kinds; // values are kinds, between which there is nothing
    this.arrange(run, now.list);
    this.cull(run, now);
    this.fill(run, now, now, 0, value);
    this.fill(run, next, now, 1, value);
    this.now = now;
    this.next = next;
    this.quantum = run.header.quantum;
  }

  fill(run, frame, fallback, which, value) {
    const q = run.header.quantum, rows = this.rows;
    rows.fill(-1);
    for (let i = 0; i < frame.count; i++) if (frame.list[i] < rows.length) rows[frame.list[i]] = i;
    let from = null;
    if (frame.list !== fallback.list) {
      from = new Int32Array(rows.length).fill(-1);
      for (let i = 0; i < fallback.count; i++) from[fallback.list[i]] = i;
    }
    for (const group of this.groups.values()) {
      if (!group.count) continue;
      const x = which ? group.place1 : group.place0, r = which ? group.turn1 : group.turn0, d = group.data;
      const { order, sizes, size } = group;
      for (let k = 0; k < group.count; k++) {
        const m = order ? order[k] : k, number = group.numbers[m];
        size[3 * k] = sizes[3 * m]; size[3 * k + 1] = sizes[3 * m + 1]; size[3 * k + 2] = sizes[3 * m + 2];
        d[3 * k + 2] = group.faces ? group.numbers[k - (k % 3)] : number;
        let f = frame, row = rows[number];
        if (row < 0 && from) { f = fallback; row = from[number]; } // gone in the next frame
        if (row < 0) continue;
        const p = f.place, t = f.turn;
        const qx = t[4 * row + 1] / 32767, qy = t[4 * row + 2] / 32767, qz = t[4 * row + 3] / 32767, qw = t[4 * row] / 32767;
        x[3 * k] = p[3 * row] * q; x[3 * k + 1] = p[3 * row + 1] * q; x[3 * k + 2] = p[3 * row + 2] * q;
        r[4 * k] = qx; r[4 * k + 1] = qy; r[4 * k + 2] = qz; r[4 * k + 3] = qw;
        const part = group.parts[m];
        if (part) this.attach(part, x, 3 * k, r, 4 * k);
        d[3 * k + which] = group.faces && this.kinds ? value(f, rowOf(f.list, group.numbers[k - (k % 3)]), group.numbers[k - (k % 3)]) : value(f, row, number);
      }
      group.send(...(which ? ['place1', 'turn1', 'data', 'size'] : ['place0', 'turn0']));
    }
  }

  // Of very many balls most are hidden behind others. The picture is laid out in cells of a ball's size;
  // a ball is left out where its cell and all cells around it have one that is two balls nearer. What is
  // left is drawn from the front to the back, small ones as flat discs, so that hidden points cost nothing.
  cull(run, frame) {
    const group = this.groups.get('sphere');
    if (!group?.members) return;
    const many = group.members > MANY && this.eye && !this.eye.shadows;
    if (!many) {
      if (group.order || group.far) {
        group.order = null;
        if (group.far) group.setUnit(units.sphere(), this.materials.ball);
        group.far = false;
        group.reserve(group.members);
      }
      return;
    }
    this.shared.pixels.value = this.eye.scale;
    const { matrix, width, height, scale } = this.eye, e = matrix.elements, q = run.header.quantum, n = group.members;
    const rows = this.rows;
    rows.fill(-1);
    for (let i = 0; i < frame.count; i++) rows[frame.list[i]] = i;
    if (!this.depths || this.depths.length < n) {
      this.depths = new Float32Array(n);
      this.cells = new Int32Array(n);
    }
    const { depths, cells } = this;
    let radius = 0, far = 0, seen = 0;
    for (let m = 0; m < n; m += Math.max(1, n >> 10)) radius += group.sizes[3 * m];
    radius /= Math.ceil(n / Math.max(1, n >> 10));
    const x = (i) => frame.place[3 * i] * q, y = (i) => frame.place[3 * i + 1] * q, z = (i) => frame.place[3 * i + 2] * q;
    let middle = 0;
    for (let m = 0; m < n; m++) {
      const i = rows[group.numbers[m]];
      cells[m] = -1;
      if (i < 0) continue;
      const px = x(i), py = y(i), pz = z(i), w = e[3] * px + e[7] * py + e[11] * pz + e[15];
      depths[m] = w;
      if (w <= 0) continue;
      middle += w; seen++;
    }
    middle /= seen || 1;
    const size = Math.max(3, (0.8 * radius * scale) / Math.max(middle, 1e-9));
    const columns = Math.ceil(width / size) + 2, lines = Math.ceil(height / size) + 2;
    const nearest = new Float32Array(columns * lines).fill(Infinity);
    for (let m = 0; m < n; m++) {
      const i = rows[group.numbers[m]], w = depths[m];
      if (i < 0 || w <= 0) continue;
      const px = x(i), py = y(i), pz = z(i);
      const u = (0.5 + (0.5 * (e[0] * px + e[4] * py + e[8] * pz + e[12])) / w) * width;
      const v = (0.5 + (0.5 * (e[1] * px + e[5] * py + e[9] * pz + e[13])) / w) * height;
      const margin = (2 * radius * scale) / w;
      if (u < -margin || v < -margin || u > width + margin || v > height + margin) continue;
      const cx = Math.min(columns - 1, Math.max(0, Math.floor(u / size) + 1)), cy = Math.min(lines - 1, Math.max(0, Math.floor(v / size) + 1));
      const c = (cells[m] = cy * columns + cx);
      if (w < nearest[c]) nearest[c] = w;
    }
    const cover = new Float32Array(columns * lines).fill(Infinity); // the farthest of the nearest around
    for (let cy = 1; cy < lines - 1; cy++)
      for (let cx = 1; cx < columns - 1; cx++) {
        let most = 0;
        for (let dy = -columns; dy <= columns; dy += columns)
          for (let dx = -1; dx <= 1; dx++) most = Math.max(most, nearest[cy * columns + cx + dx + dy]);
        cover[cy * columns + cx] = most;
      }
    const cut = this.shared.cut.value.lengthSq() > 1.5 || this.shared.grow.value !== 1;
    // From the front to the back, by a count in steps of depth: a sort by a function takes longer than all else.
    let least = Infinity, most = 0, kept = 0;
    for (let m = 0; m < n; m++) {
      if (cells[m] < 0) continue;
      if (!cut && depths[m] >= cover[cells[m]] + 3.2 * radius) { cells[m] = -1; continue; }
      if (depths[m] < least) least = depths[m];
      if (depths[m] > most) most = depths[m];
      kept++;
    }
    const STEPS = 512, starts = new Int32Array(STEPS + 1), step = (STEPS - 1) / Math.max(most - least, 1e-30);
    for (let m = 0; m < n; m++) if (cells[m] >= 0) starts[Math.floor((depths[m] - least) * step) + 1]++;
    for (let k = 0; k < STEPS; k++) starts[k + 1] += starts[k];
    const order = new Int32Array(kept);
    for (let m = 0; m < n; m++) if (cells[m] >= 0) order[starts[Math.floor((depths[m] - least) * step)]++] = m;
    group.order = order;
    far = (radius * scale) / Math.max(middle, 1e-9) < 9;
    if (far !== Boolean(group.far)) {
      group.far = far;
      group.setUnit(far ? null : units.sphere(), far ? this.materials.disc : this.materials.ball);
    }
    group.reserve(order.length);
  }

  attach(part, x, i, r, k) {
    const turn = scratch.turn.set(r[k], r[k + 1], r[k + 2], r[k + 3]).normalize();
    const place = scratch.place.set(...part.position).applyQuaternion(turn);
    x[i] += place.x; x[i + 1] += place.y; x[i + 2] += place.z;
    const [w, a, b, c] = part.rotation;
    turn.multiply(scratch.own.set(a, b, c, w));
    r[k] = turn.x; r[k + 1] = turn.y; r[k + 2] = turn.z; r[k + 3] = turn.w;
  }

  // Pose of a body between the two frames; false: it is not there.
  pose(number, mixing, place, turn) {
    const i = this.now ? rowOf(this.now.list, number) : -1;
    if (i < 0) return false;
    let k = this.next.list === this.now.list ? i : rowOf(this.next.list, number);
    const next = k < 0 ? this.now : this.next;
    if (k < 0) k = i;
    const q = this.quantum, a = this.now.place, b = next.place, s = this.now.turn, t = next.turn;
    place.set(a[3 * i], a[3 * i + 1], a[3 * i + 2])
      .lerp(scratch.place.set(b[3 * k], b[3 * k + 1], b[3 * k + 2]), mixing).multiplyScalar(q);
    turn.set(s[4 * i + 1], s[4 * i + 2], s[4 * i + 3], s[4 * i]).normalize()
      .slerp(scratch.turn.set(t[4 * k + 1], t[4 * k + 2], t[4 * k + 3], t[4 * k]).normalize(), mixing);
    return true;
  }

  speeds(number) {
    const i = this.now ? rowOf(this.now.list, number) : -1;
    return i < 0 ? null : { speed: half(this.now.speed[i]), spin: half(this.now.spin[i]) };
  }

  // Glass and floors go where their bodies are.
  settle(mixing, reach, middle) {
    for (const s of this.statics) {
      const { object, number, part, floor } = s;
      if (!this.pose(number, mixing, object.position, object.quaternion)) continue;
      if (part) {
        const [w, a, b, c] = part.rotation;
        object.position.add(scratch.place.set(...part.position).applyQuaternion(object.quaternion));
        object.quaternion.multiply(scratch.own.set(a, b, c, w));
      }
      if (!floor) continue;
      // Without end: drawn around what is seen.
      const up = object.material.uniforms.normalUp.value.set(0, 0, 1).applyQuaternion(object.quaternion);
      const away = scratch.place.copy(middle).sub(object.position);
      const cell = this.shared.cell.value * 5;
      away.addScaledVector(up, -away.dot(up));
      const inverse = scratch.turn.copy(object.quaternion).invert();
      away.applyQuaternion(inverse);
      away.set(Math.round(away.x / cell) * cell, Math.round(away.y / cell) * cell, 0);
      object.position.add(away.applyQuaternion(object.quaternion));
      object.scale.setScalar(1);
      const size = Math.ceil((1.2 * reach) / cell) * cell;
      if (s.size !== size) {
        object.geometry.dispose();
        object.geometry = new THREE.PlaneGeometry(2 * size, 2 * size);
        s.size = size;
      }
    }
  }
}

const scratch = { place: new THREE.Vector3(), turn: new THREE.Quaternion(), own: new THREE.Quaternion() };

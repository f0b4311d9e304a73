// The stage: camera, light, shadows, what is drawn beside the bodies, and picking.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import * as glsl from './shaders.js';
import { software } from './device.js';
import { Bodies, extentOf, reachOf } from './bodies.js';
import { repeated, repeatedIndex, spread } from './copies.js';
import { mapBytes } from './fields.js';
import { BODY_DYNAMIC } from './stream.js';

const PICK = 12; // pixels around the one that is picked: points are drawn where their middle is in the picture
const SHADOW = software ? 1024 : 2048;
const COARSE = 0.5; // pixels of the picture for one of the page, while something moves
const themes = {
  dark: { backdrop: 0x14181d, tone: 0x3b434c, plain: 0x77808a, sky: [0.52, 0.56, 0.62], ground: [0.26, 0.25, 0.24], glass: [0.55, 0.70, 0.85] },
  light: { backdrop: 0xeef1f4, tone: 0xdde2e7, plain: 0x9aa2ab, sky: [0.58, 0.60, 0.64], ground: [0.34, 0.33, 0.31], glass: [0.25, 0.42, 0.58] },
};

function texture(bytes) {
  const t = new THREE.DataTexture(bytes, 256, 1);
  t.minFilter = t.magFilter = THREE.LinearFilter;
  t.needsUpdate = true;
  return t;
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    // Not to be seen through: the page need not be blended with it, which costs a third of a picture without a graphics card.
    const context = canvas.getContext('webgl2', { alpha: false, antialias: !software, depth: true, stencil: false, powerPreference: 'high-performance' });
    this.renderer = new THREE.WebGLRenderer({ canvas, context, antialias: !software });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // the shaders write what is shown
    THREE.ColorManagement.enabled = false;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.addEventListener('change', () => (this.stale = true));
    const v3 = (...x) => ({ value: new THREE.Vector3(...x) });
    const sun = new THREE.Vector3(0.45, -0.55, 0.9).normalize();
    this.nothing = texture(new Uint8Array(1024));
    this.shared = {
      mode: { value: 0 }, mixing: { value: 0 }, cut: { value: new THREE.Vector4(0, 0, 0, 1) },
      sun: { value: sun }, sunColour: v3(0.95, 0.91, 0.84), skyColour: v3(), groundColour: v3(), plain: v3(),
      tone: v3(), glassTone: v3(), backdrop: v3(), middle: v3(), reach: { value: 1 }, cell: { value: 0.1 },
      map: { value: this.nothing }, range: { value: new THREE.Vector4(0, 1, 0, 0) }, selected: { value: -1 },
      pattern: { value: 0.16 }, wallGlass: { value: 0 }, grow: { value: 1 }, pixels: { value: 1 },
      shadowMap: { value: this.nothing }, shadowMatrix: { value: new THREE.Matrix4() }, shadowing: v3(0, 1 / SHADOW, 0),
    };
    this.maps = new Map();
    this.bodies = new Bodies(this.scene, this.shared);
    this.links = this.makeLinks('magma');
    this.joints = new THREE.Group();
    this.rods = this.makeLinks('rods');
    this.scene.add(this.joints);
    this.band = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: 0xffd34d, depthTest: false }));
    this.band.visible = false;
    this.band.frustumCulled = false;
    this.band.renderOrder = 5;
    this.scene.add(this.band);
    this.light = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    this.light.up.set(0, 0, 1);
    this.shadows = true;
    this.pickTarget = new THREE.WebGLRenderTarget(2 * PICK + 1, 2 * PICK + 1);
    this.reach = 1;
    this.middle = new THREE.Vector3();
    this.stale = true;
    this.shadowsStale = true;
    this.setTheme('dark');
  }

  makeShadows() {
    if (this.depth) return;
    this.depth = new THREE.WebGLRenderTarget(SHADOW, SHADOW);
    this.depth.depthTexture = new THREE.DepthTexture(SHADOW, SHADOW, THREE.UnsignedIntType);
    this.depth.depthTexture.minFilter = this.depth.depthTexture.magFilter = THREE.NearestFilter;
  }

  setTheme(name) {
    const theme = themes[name], colour = (c) => new THREE.Color(c);
    const set = (uniform, c) => { const k = colour(c); uniform.value.set(k.r, k.g, k.b); };
    set(this.shared.backdrop, theme.backdrop);
    set(this.shared.tone, theme.tone);
    set(this.shared.plain, theme.plain);
    this.shared.skyColour.value.set(...theme.sky);
    this.shared.groundColour.value.set(...theme.ground);
    this.shared.glassTone.value.set(...theme.glass);
    this.renderer.setClearColor(theme.backdrop, 1);
    this.stale = true;
  }

  setMap(name, least, most) {
    if (!this.maps.has(name)) this.maps.set(name, texture(mapBytes(name)));
    this.shared.map.value = this.maps.get(name);
    this.shared.range.value.set(least, 1 / (most - least), 0, 0);
    this.stale = true;
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, software && this.hasty ? (this.coarse ? COARSE : 1) : 2));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  // Without a graphics card a picture has a pixel for each of the page while something moves, time or the eye, fewer where
  // there are very many bodies (`coarse`), and all that the screen has once all has rested for a moment.
  settleDown(moving, now) {
    this.camera.updateMatrixWorld();
    if (moving || !this.restEye?.equals(this.camera.matrixWorld)) {
      this.restEye = this.camera.matrixWorld.clone();
      this.hastyUntil = now + 250;
    }
    const hasty = now < this.hastyUntil;
    if (hasty === this.hasty) return;
    this.hasty = hasty;
    if (software) this.resize();
  }

  // The box around moving bodies of some frames, and containers near them.
  survey(run, frames) {
    const box = new THREE.Box3(), x = new THREE.Vector3(), q = run.header.quantum;
    const turn = new THREE.Quaternion(), reaches = run.shapes.map(reachOf), low = [[], [], []], high = [[], [], []];
    const stride = Math.max(1, Math.floor((frames.length * frames[0].count) / 50000));
    for (const frame of frames)
      for (let i = 0; i < frame.count; i++) {
        const n = frame.list[i], r = reaches[run.shape[n] - 1] ?? 0, moving = run.kind[n] === BODY_DYNAMIC;
        if (moving ? i % stride : !r) continue;
        x.set(frame.place[3 * i], frame.place[3 * i + 1], frame.place[3 * i + 2]).multiplyScalar(q);
        if (moving) for (let k = 0; k < 3; k++) { low[k].push(x.getComponent(k) - r); high[k].push(x.getComponent(k) + r); }
        else {
          const t = frame.turn, e = extentOf(run.shapes[run.shape[n] - 1], turn.set(t[4 * i + 1], t[4 * i + 2], t[4 * i + 3], t[4 * i]).normalize());
          const half = new THREE.Vector3(...e);
          box.expandByPoint(x.clone().add(half)).expandByPoint(x.clone().sub(half));
        }
      }
    // A few that fly away do not make all others small.
    if (low[0].length) {
      const at = (list, part) => list.sort((a, b) => a - b)[Math.round(part * (list.length - 1))];
      this.moving = new THREE.Box3();
      for (let k = 0; k < 3; k++) {
        this.moving.min.setComponent(k, at(low[k], 0.015));
        this.moving.max.setComponent(k, at(high[k], 0.985));
      }
      box.union(this.moving);
    }
    for (const j of run.header.joints)
      for (const side of ['a', 'b']) if (j[side] < 0) box.expandByPoint(x.set(...j[`anchor_${side}`]));
    // What does not move counts where it is not much larger than what moves.
    if (this.moving && box.getSize(x).length() > 2.2 * this.moving.getSize(new THREE.Vector3()).length()) box.copy(this.moving);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.box = box;
    box.getCenter(this.middle);
    this.radius = Math.max(0.5 * box.getSize(x).length(), 10 * q);
    this.shared.middle.value.copy(this.middle);
    const cell = Math.pow(10, Math.floor(Math.log10(this.radius)));
    this.shared.cell.value = this.radius / cell > 4 ? cell : this.radius / cell > 2 ? cell / 2 : cell / 5;
    this.reach = 7 * this.radius;
    this.shared.reach.value = this.reach;
    this.pattern = true;
    this.joinLight();
  }

  joinLight() {
    const r = this.radius * 1.05, light = this.light;
    Object.assign(light, { left: -r, right: r, top: r, bottom: -r, near: 0, far: 4 * r });
    light.position.copy(this.middle).addScaledVector(this.shared.sun.value, 2 * r);
    light.lookAt(this.middle);
    light.updateMatrixWorld();
    light.updateProjectionMatrix();
    this.shared.shadowMatrix.value.set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1)
      .multiply(light.projectionMatrix).multiply(light.matrixWorldInverse);
    this.shared.shadowing.value.z = (2.5 * r) / SHADOW;
  }

  // The whole run in sight: every corner of the box within the picture.
  frameAll(azimuth = -0.95, elevation = 0.36) {
    const direction = new THREE.Vector3(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation));
    const back = direction.clone(), right = new THREE.Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
    const up = back.clone().cross(right), half = this.box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const ty = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86, tx = ty * this.camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      const c = new THREE.Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      distance = Math.max(distance, c.dot(back) + Math.max(Math.abs(c.dot(right)) / tx, Math.abs(c.dot(up)) / ty));
    }
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(direction, Math.max(distance, this.radius * 0.3));
    this.controls.minDistance = this.radius * 0.01;
    this.controls.maxDistance = this.radius * 30;
    this.controls.update();
    this.stale = true;
  }

  look(from) {
    const views = { front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, Math.PI / 2 - 1e-3], corner: [-0.95, 0.36] };
    this.frameAll(...views[from]);
  }

  orbit(right, up) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new THREE.Spherical().setFromVector3(new THREE.Vector3(offset.x, offset.z, -offset.y));
    s.theta += right; s.phi = Math.min(Math.PI - 0.01, Math.max(0.01, s.phi - up));
    const p = new THREE.Vector3().setFromSpherical(s);
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3(p.x, -p.z, p.y));
    this.controls.update();
    this.stale = true;
  }

  zoom(factor) {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.stale = true;
  }

  setCut(axis, value, flip) {
    const n = [0, 0, 0];
    if (axis === 'x' || axis === 'y' || axis === 'z') n['xyz'.indexOf(axis)] = flip ? -1 : 1;
    this.shared.cut.value.set(...n, axis === 'none' ? 1 : flip ? -value : value);
    this.stale = this.shadowsStale = true;
  }

  // ---- contacts, joints ----------------------------------------------------------------------

  // Rods between points, as one geometry: an instance for each takes a renderer without a graphics card long.
  makeLinks(map) {
    const unit = new THREE.CylinderGeometry(1, 1, 1, software ? 5 : 8, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const material = new THREE.ShaderMaterial({ vertexShader: glsl.linkVertex, fragmentShader: glsl.linkFragment,
      uniforms: { ...this.shared, map: { value: texture(mapBytes(map)) } }, side: THREE.DoubleSide });
    const object = new THREE.Mesh(new THREE.BufferGeometry(), material);
    object.frustumCulled = false;
    object.visible = false;
    this.scene.add(object);
    return { object, unit, room: 0 };
  }

  // `fill` writes a row for each rod: from, to (3 numbers), look (2).
  setLinks(l, count, fill) {
    const corners = l.unit.attributes.position.count;
    if (count > l.room) {
      l.room = Math.ceil(count * 1.25);
      const geometry = new THREE.BufferGeometry();
      geometry.setIndex(repeatedIndex(l.unit, l.room));
      for (const name of ['position', 'normal']) geometry.setAttribute(name, repeated(l.unit.attributes[name], l.room));
      l.rows = {};
      for (const [name, width] of [['from', 3], ['to', 3], ['look', 2]]) {
        geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(l.room * corners * width), width).setUsage(THREE.DynamicDrawUsage));
        l.rows[name] = new Float32Array(l.room * width);
      }
      l.object.geometry.dispose();
      l.object.geometry = geometry;
    }
    l.object.visible = count > 0;
    if (count) {
      fill(l.rows.from, l.rows.to, l.rows.look);
      for (const name of ['from', 'to', 'look']) spread(l.rows[name], l.object.geometry.attributes[name], count, corners);
      l.object.geometry.setDrawRange(0, count * l.unit.index.count);
    }
    this.stale = true;
  }

  // A marker at the anchor of each joint; none where it holds a node of a skin. Rods are drawn as bodies move.
  setJoints(run) {
    const { joints: list, links = [], solids = [] } = run.header, nodes = new Set(solids);
    this.joints.clear();
    this.reaches = run.shapes.map(reachOf);
    this.tied = { run, list, links };
    const size = 0.02 * this.radius;
    const colours = { ball: 0xf2a33a, hinge: 0x4cc3e0, slider: 0x8fd16a, rope: 0xd9c58a, distance: 0xd9c58a, strut: 0xd58fc0 };
    const ball = new THREE.SphereGeometry(0.6 * size, 16, 12), block = new THREE.BoxGeometry(size, size, size);
    const pin = new THREE.CylinderGeometry(0.35 * size, 0.35 * size, 3.2 * size, 16).rotateX(Math.PI / 2);
    const rail = new THREE.BoxGeometry(0.6 * size, 0.6 * size, 4 * size);
    const forms = { ball, distance: ball, rope: ball, strut: ball, point_on_plane: ball, pulley: ball, hinge: pin, universal: pin, gear: pin, differential: pin,
      screw: pin, planar: pin, slider: rail, cylindrical: rail, point_on_line: rail, rack_pinion: rail, cam: rail };
    for (const joint of list) {
      if (nodes.has(joint.a) || nodes.has(joint.b)) continue;
      const color = colours[joint.kind] ?? 0xb8bec5;
      const object = new THREE.Mesh(forms[joint.kind] ?? block, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 }));
      object.renderOrder = 4;
      object.userData = { joint, overlay: true };
      this.joints.add(object);
    }
  }

  // A place that is seen from a body (below 0: the world), between the two frames; null: the body is not there.
  placeOn(body, local, mixing, turn = new THREE.Quaternion()) {
    const place = new THREE.Vector3();
    if (body < 0) turn.identity();
    else if (!this.bodies.pose(body, mixing, place, turn)) return null;
    return place.add(scratch.set(...local).applyQuaternion(turn));
  }

  moveJoints(mixing) {
    const turn = new THREE.Quaternion(), axis = new THREE.Vector3(), up = new THREE.Vector3(0, 0, 1);
    for (const object of this.joints.children) {
      const j = object.userData.joint, place = this.placeOn(j.b, j.anchor_b, mixing, turn);
      object.visible = Boolean(place && this.placeOn(j.a, j.anchor_a, mixing));
      if (!object.visible) continue;
      axis.set(...j.axis_b).applyQuaternion(turn);
      object.position.copy(place);
      object.quaternion.setFromUnitVectors(up, axis);
    }
    this.moveRods(mixing);
  }

  // Ropes, springs and beams, and rods from an anchor to the middle of a body that does not reach it.
  moveRods(mixing) {
    const rods = [], add = (...points) => points.slice(1).forEach((p, i) => p && points[i] && rods.push([points[i], p]));
    const { run, list, links } = this.tied ?? { list: [], links: [] };
    if (this.joints.visible) {
      for (const j of list) {
        const a = this.placeOn(j.a, j.anchor_a, mixing), b = this.placeOn(j.b, j.anchor_b, mixing);
        if (!a || !b) continue;
        if (j.sheave_a) add(a, this.placeOn(j.c, j.sheave_a, mixing), this.placeOn(j.c, j.sheave_b, mixing), b);
        else if (SPANS.has(j.kind)) add(a, b);
        if (HOLDS.has(j.kind)) for (const [n, local, end] of [[j.a, j.anchor_a, a], [j.b, j.anchor_b, b]])
          if (n >= 0 && Math.hypot(...local) > 1.02 * (this.reaches[run.shape[n] - 1] ?? 0)) add(end, this.placeOn(n, [0, 0, 0], mixing));
      }
      for (const [a, ax, ay, az, b, bx, by, bz] of links) add(this.placeOn(a, [ax, ay, az], mixing), this.placeOn(b, [bx, by, bz], mixing));
    }
    if (!rods.length && !this.rods.object.visible) return;
    this.setLinks(this.rods, rods.length, (from, to, look) => rods.forEach(([a, b], i) => {
      a.toArray(from, 3 * i);
      b.toArray(to, 3 * i);
      look[2 * i] = 0.004 * this.radius;
      look[2 * i + 1] = 0.5;
    }));
  }

  // ---- pictures ------------------------------------------------------------------------------

  overlays(visible) {
    this.scene.traverse((o) => { if (o.userData.overlay) o.layers.set(visible ? 0 : 1); });
  }

  drawShadows() {
    const on = this.shadows && this.radius;
    this.shared.shadowing.value.x = on ? 1 : 0;
    if (!on) return;
    this.makeShadows();
    this.shared.shadowMap.value = this.nothing;
    this.shared.mode.value = 2;
    this.overlays(false);
    this.renderer.setRenderTarget(this.depth);
    this.renderer.clear();
    this.renderer.render(this.scene, this.light);
    this.renderer.setRenderTarget(null);
    this.overlays(true);
    this.shared.mode.value = 0;
    this.shared.shadowMap.value = this.depth.depthTexture;
  }

  // For culling: what the eye sees, and how many pixels a metre is at a distance of one. True: it is time to look anew,
  // as the eye has turned by a degree or more, or rests at another place. Culling keeps a margin of more than that.
  tellEye() {
    const { camera } = this, old = this.bodies.eye, now = performance.now();
    camera.updateMatrixWorld();
    const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    const same = old && old.shadows === this.shadows && old.width === size.x && old.height === size.y;
    if (same && matrix.equals(old.matrix)) return false;
    const away = camera.position.distanceTo(this.controls.target), ahead = camera.getWorldDirection(new THREE.Vector3());
    if (!this.lastMatrix?.equals(matrix)) this.movedAt = now;
    this.lastMatrix = matrix;
    if (same && old.place.distanceTo(camera.position) < 0.02 * away && old.ahead.dot(ahead) > 0.9998 && now - this.movedAt < 200) return false;
    this.bodies.eye = { matrix, width: size.x, height: size.y, scale: size.y / 2 / Math.tan((camera.fov * Math.PI) / 360),
      shadows: this.shadows, place: camera.position.clone(), ahead };
    return true;
  }

  draw(mixing) {
    if (this.shared.mixing.value !== mixing) {
      this.shared.mixing.value = mixing;
      this.stale = this.shadowsStale = true;
    }
    this.controls.update();
    if (!this.stale && !this.shadowsStale) return false;
    this.bodies.settle(mixing, this.reach, this.middle);
    this.moveJoints(mixing);
    const away = this.camera.position.distanceTo(this.middle);
    this.camera.near = Math.max(away - 2 * this.radius, 0.002 * this.radius);
    this.camera.near = Math.min(this.camera.near, 0.2 * this.camera.position.distanceTo(this.controls.target));
    this.camera.far = away + 2 * this.reach;
    this.camera.updateProjectionMatrix();
    if (this.shadowsStale) this.drawShadows();
    this.renderer.render(this.scene, this.camera);
    this.stale = this.shadowsStale = false;
    return true;
  }

  // The number of the body at a place of the window; -1: none.
  pick(clientX, clientY) {
    const rect = this.canvas.getBoundingClientRect();
    const x = clientX - rect.left, y = clientY - rect.top;
    const clear = this.renderer.getClearColor(new THREE.Color()), alpha = this.renderer.getClearAlpha();
    this.camera.setViewOffset(rect.width, rect.height, Math.floor(x) - PICK, Math.floor(y) - PICK, 2 * PICK + 1, 2 * PICK + 1);
    this.shared.mode.value = 1;
    this.overlays(false);
    this.renderer.setRenderTarget(this.pickTarget);
    this.renderer.setClearColor(0, 0);
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    const p = new Uint8Array(4);
    this.renderer.readRenderTargetPixels(this.pickTarget, PICK, PICK, 1, 1, p);
    this.renderer.setRenderTarget(null);
    this.renderer.setClearColor(clear, alpha);
    this.overlays(true);
    this.shared.mode.value = 0;
    this.camera.clearViewOffset();
    this.stale = true;
    return p[3] ? p[0] + 256 * p[1] + 65536 * p[2] - 1 : -1;
  }

  // Where a point of the world is on the page, pixels.
  project(place) {
    const p = place.clone().project(this.camera), rect = this.canvas.getBoundingClientRect();
    return { x: rect.left + (0.5 + 0.5 * p.x) * rect.width, y: rect.top + (0.5 - 0.5 * p.y) * rect.height, behind: p.z > 1 };
  }

  // The point under the mouse at the depth of another.
  unproject(clientX, clientY, at) {
    const rect = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((clientX - rect.left) / rect.width) * 2 - 1, 1 - ((clientY - rect.top) / rect.height) * 2), this.camera);
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    return ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, at), new THREE.Vector3());
  }

  setBand(from, to) {
    this.band.visible = Boolean(from);
    if (from) this.band.geometry.setFromPoints([from, to]);
    this.stale = true;
  }
}

// Joints with something between their anchors, and those whose anchor is a place of the body, which a rod must reach.
const SPANS = new Set(['distance', 'rope', 'strut']), HOLDS = new Set([...SPANS, 'fixed', 'ball', 'hinge', 'universal', 'pulley']);
const scratch = new THREE.Vector3();

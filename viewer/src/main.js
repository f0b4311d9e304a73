// The viewer: takes frames from a source, keeps the time, and answers to the reader's hands.
import { Vector3, Quaternion } from 'three';
import css from './style.css';
import { html } from './page.js';
import { FileSource, SocketSource } from './source.js';
import { Stage } from './stage.js';
import { MANY, SHADOWED, software } from './device.js';
import { Plots } from './plots.js';
import { Live } from './live.js';
import { connect } from './hands.js';
import { BODY_DYNAMIC } from './stream.js';
import { fields, probeFields, rangeOf, occurring, cssColour, cssGradient, number, loads, NO_VALUE } from './fields.js';

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Viewer {
  constructor(source) {
    this.source = source;
    this.run = source.run;
    this.time = 0;
    this.playing = false;
    this.speed = 1;
    this.atEnd = source.grows; // a run that goes on is followed while its newest frame is shown
    this.selected = -1;
    this.following = false;
    this.shown = [null, null];
    this.recoloured = false; // other colours are to be drawn
    this.rates = [];
    this.stage = new Stage($('stage'));
    this.plots = new Plots($('plots'), (time) => this.seek(time));
    this.live = new Live(this);
    this.fieldName = 'speed';
    this.begin();
  }

  begin() {
    const run = this.run, first = this.source.frame(this.source.live ? this.source.count - 1 : 0) ?? this.anyFrame();
    const { header } = run;
    document.title = header.title || 'Scree';
    document.querySelector('h1').textContent = header.title || 'A run of Scree';
    $('about').textContent = [header.description, header.remark].filter(Boolean).join(' ');
    run.start = new Float32Array(3 * run.bodies);
    for (let i = 0; i < first.count; i++)
      for (let k = 0; k < 3; k++) run.start[3 * first.list[i] + k] = first.place[3 * i + k] * header.quantum;
    this.stage.resize();
    this.stage.survey(run, this.sample());
    this.stage.setJoints(run);
    this.stage.frameAll();
    this.moving = 0;
    for (let i = 0; i < first.count; i++) this.moving += run.kind[first.list[i]] === BODY_DYNAMIC ? 1 : 0;
    this.stage.shadows = $('shadows').checked = this.moving <= SHADOWED;
    this.stage.coarse = this.moving > 15000;
    this.stage.resize();
    $('pattern').checked = this.moving <= 3000;
    this.stage.shared.pattern.value = $('pattern').checked ? 0.16 : 0;
    this.makeFields();
    this.stage.bodies.setWalls($('walls').value);
    this.describe();
    $('open-plots').disabled = !this.plots.update(run) && !this.source.live;
    this.time = this.source.timeOf(0);
    this.shown = [null, null];
    this.atEnd = this.source.grows;
  }

  anyFrame() { for (let i = 0; i < this.source.count; i++) if (this.source.frame(i)) return this.source.frame(i); return null; }

  // A few frames over the whole run.
  sample(most = 12) {
    const frames = [], n = this.source.count;
    for (let i = 0; i < Math.min(most, n); i++) {
      const frame = this.source.frame(Math.round((i * (n - 1)) / Math.max(1, Math.min(most, n) - 1)));
      if (frame) frames.push(frame);
    }
    return frames.length ? frames : [this.anyFrame()];
  }

  describe() {
    const { header } = this.run, dl = $('run');
    dl.replaceChildren();
    const add = (name, text) => {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name; dd.textContent = text;
      dl.append(dt, dd);
      return dd;
    };
    add('Moving bodies', this.moving.toLocaleString('en'));
    if (!this.source.live) this.frameText = add('Frames', String(this.source.count));
    add('Step', `${number(header.step * 1000)} ms`);
    add('Rounded to', `${number(header.quantum * 1e6)} µm`);
    add('Scree', header.scree);
    this.rateText = document.createElement('dd');
    const dt = document.createElement('dt');
    dt.textContent = 'Pictures a second';
    dl.append(dt, this.rateText);
  }

  // ---- colours -------------------------------------------------------------------------------

  makeFields() {
    const select = $('field'), contacts = this.sample().some((f) => f.contacts) || this.source.live;
    const before = this.fieldName;
    select.replaceChildren();
    this.fields = { ...fields, ...probeFields(this.run) };
    for (const [name, field] of Object.entries(this.fields)) {
      if (field.contacts && !contacts) continue;
      const option = document.createElement('option');
      option.value = name;
      option.textContent = field.label + (field.unit ? `, ${field.unit}` : '');
      select.append(option);
    }
    for (const option of $('links').options) option.disabled = option.value !== 'none' && !contacts;
    if (!contacts) $('links').value = 'none';
    select.value = this.fields[before] ? before : 'speed';
    this.setField(select.value);
  }

  setField(name, least, most) {
    const own = least !== undefined;
    const field = (this.field = this.fields[name]);
    this.fieldName = name;
    if (field.kind) [least, most] = [0, 1];
    else if (least === undefined) [least, most] = rangeOf(field, this.run, this.sample());
    if (!(most > least)) most = least + Math.abs(least || 1) * 1e-3;
    this.range = [least, most];
    this.ownRange = own;
    this.stage.setMap(field.map, least, most);
    for (const id of ['least', 'most', 'auto-range']) $(id).disabled = Boolean(field.kind);
    $('least').value = field.kind ? '' : number(least, 4);
    $('most').value = field.kind ? '' : number(most, 4);
    this.recoloured = true;
    this.drawLegend();
  }

  drawLegend() {
    const legend = $('legend'), { field, range, run } = this;
    legend.hidden = false;
    legend.querySelector('.label').textContent = field.label + (field.unit ? `, ${field.unit}` : '');
    const bar = legend.querySelector('.bar'), ticks = legend.querySelector('.ticks'), list = legend.querySelector('ul');
    bar.hidden = ticks.hidden = Boolean(field.kind);
    list.replaceChildren();
    if (!field.kind) {
      bar.style.background = cssGradient(field.map);
      [0, 0.5, 1].forEach((t, i) => (ticks.children[i].textContent = number(range[0] + t * (range[1] - range[0]))));
      legend.setAttribute('aria-label', `Colours: ${field.label} from ${number(range[0])} to ${number(range[1])} ${field.unit}`);
      return;
    }
    const names = field.names?.(run);
    const seen = names ? occurring(field, run, this.anyFrame()) : [];
    for (const index of seen) {
      const li = document.createElement('li'), dot = document.createElement('i');
      dot.style.background = cssColour('kinds', index);
      li.append(dot, names[index] ?? `${index}`);
      list.append(li);
    }
    legend.setAttribute('aria-label', `Colours: ${field.label}. ${seen.map((i) => names[i]).join(', ')}`);
  }

  // ---- time ----------------------------------------------------------------------------------

  get span() { return [this.source.timeOf(0), this.source.timeOf(this.source.count - 1)]; }

  seek(time, quiet) {
    const [from, to] = this.span;
    this.time = Math.min(to, Math.max(from, time));
    this.atEnd = this.source.grows && this.time >= to;
    if (!quiet) this.say(`${number(this.time)} seconds`);
  }

  frameIndex(time) {
    let a = 0, b = this.source.count - 1;
    while (a < b) {
      const m = (a + b + 1) >> 1;
      if (this.source.timeOf(m) <= time + 1e-12) a = m; else b = m - 1;
    }
    return a;
  }

  stepFrames(n) {
    this.play(false);
    const i = Math.min(this.source.count - 1, Math.max(0, this.frameIndex(this.time) + n));
    this.seek(this.source.timeOf(i));
  }

  play(on) {
    const [from, to] = this.span;
    if (on && this.source.written && this.atEnd) { this.atEnd = false; return; } // it is no longer followed
    if (on && !this.source.grows && this.time >= to - 1e-9) this.time = from;
    if (on && this.source.live && this.live.over) this.atEnd = false, this.time = this.time >= to - 1e-9 ? from : this.time;
    this.playing = on;
    $('play').classList.toggle('on', on);
    $('play').setAttribute('aria-label', on ? 'Stop' : 'Play');
  }

  advance(seconds) {
    const [from, to] = this.span;
    if (this.source.grows && this.atEnd && !this.live.over) this.time = to;
    else if (this.playing) {
      this.time += seconds * this.speed;
      if (this.time >= to) {
        this.time = to;
        if (this.source.grows && !this.live.over) this.atEnd = true;
        else this.play(false);
      }
    }
    if (this.time < from) this.time = from;
    // Each change of the page beside the picture costs as much as the picture where the processor draws it.
    const drawn = performance.now();
    this.unread = (this.unread ?? 0) + 1;
    if (software && this.playing && this.unread < 6 && drawn - (this.clockAt ?? 0) < 1000) return;
    this.clockAt = drawn;
    this.unread = 0;
    const scrub = $('scrub'), part = to > from ? (this.time - from) / (to - from) : 0;
    const place = Math.round(1000 * part);
    if (Number(scrub.value) !== place && document.activeElement !== scrub) scrub.value = place;
    else if (this.playing) scrub.value = place;
    const text = `${this.time.toFixed(to > 100 ? 1 : 3)} s`;
    if (text !== this.clock) {
      $('clock').textContent = this.clock = text;
      scrub.setAttribute('aria-valuetext', `${number(this.time)} of ${number(to)} seconds`);
      this.plotsStale = true;
    }
  }

  // The two frames around the time; false: they are still on their way.
  showTime() {
    const i = this.frameIndex(this.time), k = Math.min(i + 1, this.source.count - 1);
    this.source.want(i);
    const now = this.source.frame(i), next = this.source.frame(k) ?? now;
    if (!now) return this.mixing ?? 0;
    // Of very many bodies those in sight change with the eye.
    const turned = this.moving > MANY && this.stage.tellEye();
    if (this.shown[0] !== now || this.shown[1] !== next || turned || this.recoloured) {
      const { run, field } = this;
      const value = field ? (f, row, n) => (field.walls || run.kind[n] === BODY_DYNAMIC ? field.get(run, f, row, n) : NO_VALUE) : () => NO_VALUE;
      this.stage.bodies.show(run, now, next, value, Boolean(field?.kind));
      this.shown = [now, next];
      this.recoloured = false;
      this.stage.stale = this.stage.shadowsStale = true;
      this.linksStale = true;
    }
    const t0 = now.time, t1 = next.time;
    this.mixing = $('smooth').checked && t1 > t0 ? Math.min(1, Math.max(0, (this.time - t0) / (t1 - t0))) : 0;
    return this.mixing;
  }

  // ---- contacts ------------------------------------------------------------------------------

  showLinks(mixing) {
    const how = $('links').value, now = this.shown[0], c = now?.contacts, stage = this.stage;
    const words = document.querySelector('#legend .links');
    words.hidden = how === 'none' || !c?.count;
    if (words.hidden) { stage.setLinks(stage.links, 0); return; }
    const run = this.run, q = run.header.quantum, rows = new Int32Array(run.bodies).fill(-1);
    for (let i = 0; i < now.count; i++) rows[now.list[i]] = i;
    const force = Float32Array.from({ length: c.count }, (_, i) => Math.hypot(c.force[3 * i], c.force[3 * i + 1], c.force[3 * i + 2]));
    const sorted = Float32Array.from(force).sort(), strong = sorted[Math.floor(0.98 * (sorted.length - 1))] || c.most || 1;
    words.textContent = `${how === 'chains' ? 'Force chains' : 'Forces at contacts'}: the thickest is ${number(strong)} N or more`;
    const diameters = [];
    for (let i = 0; i < now.count && diameters.length < 400; i++)
      if (run.kind[now.list[i]] === BODY_DYNAMIC) diameters.push(run.diameter[now.list[i]]);
    diameters.sort((a, b) => a - b);
    const size = diameters[diameters.length >> 1] || 0.05 * stage.radius;
    const lines = [];
    for (let i = 0; i < c.count; i++) {
      const part = Math.min(1, force[i] / strong);
      if (part < 0.01) continue;
      const at = [c.point[3 * i], c.point[3 * i + 1], c.point[3 * i + 2]];
      const ends = [];
      if (how === 'chains') {
        for (const n of [c.a[i], c.b[i]]) {
          const row = rows[n];
          ends.push(run.kind[n] === BODY_DYNAMIC && row >= 0
            ? [now.place[3 * row] * q, now.place[3 * row + 1] * q, now.place[3 * row + 2] * q] : at);
        }
        lines.push([ends[0], at, part], [at, ends[1], part]);
      } else {
        const l = (1.5 * size * part) / force[i];
        lines.push([at, [0, 1, 2].map((k) => at[k] + l * c.force[3 * i + k]), part]);
      }
    }
    stage.setLinks(stage.links, lines.length, (from, to, look) => lines.forEach(([a, b, part], i) => {
      from.set(a, 3 * i);
      to.set(b, 3 * i);
      look[2 * i] = size * (how === 'chains' ? 0.02 + 0.2 * part : 0.03 + 0.03 * part);
      look[2 * i + 1] = 0.25 + 0.75 * part;
    }));
  }

  // ---- a body --------------------------------------------------------------------------------

  pick(n) {
    this.selected = n;
    this.stage.shared.selected.value = n;
    this.stage.stale = true;
    const there = n >= 0;
    if (!there) this.following = false;
    $('follow').setAttribute('aria-pressed', String(this.following));
    $('no-body').hidden = there;
    $('body').hidden = $('body-row').hidden = !there;
    if (there) {
      this.openPanel(true, true);
      this.readBody();
      this.say(`${this.run.nameOf(n)}, ${number(this.reading?.speed ?? 0)} metres a second`);
    }
  }

  readBody() {
    const n = this.selected, run = this.run, [now] = this.shown;
    if (n < 0 || !now) return;
    const place = new Vector3(), turn = new Quaternion(), dl = $('body');
    const there = this.stage.bodies.pose(n, this.mixing ?? 0, place, turn);
    const rows = [['Name', run.nameOf(n)], ['Number', String(n)]];
    if (there) {
      const { speed, spin } = this.stage.bodies.speeds(n), axis = new Vector3();
      const angle = 2 * Math.acos(Math.min(1, Math.abs(turn.w)));
      axis.set(turn.x, turn.y, turn.z).multiplyScalar(turn.w < 0 ? -1 : 1).normalize();
      this.reading = { place, turn, speed, spin };
      rows.push(['x', `${number(place.x, 4)} m`], ['y', `${number(place.y, 4)} m`], ['z', `${number(place.z, 4)} m`],
        ['Turned', angle > 1e-3 ? `${number((angle * 180) / Math.PI)}° about ${axis.toArray().map((v) => number(v, 2)).join(' ')}` : '0°'],
        ['Speed', `${number(speed)} m/s`], ['Spin', `${number(spin)} rad/s`]);
      if (now.contacts) {
        const l = loads(now, run);
        rows.push(['Contacts', String(l.contacts[n])], ['Their forces', `${number(l.force[n])} N`]);
      }
    } else rows.push(['', 'not there at this time']);
    const dynamic = run.kind[n] === BODY_DYNAMIC;
    rows.push(['Shape', (run.shapes[run.shape[n] - 1]?.kind ?? 'none').replace('_', ' ')]);
    rows.push(dynamic ? ['Mass', `${number(run.mass[n])} kg`] : ['Kind', run.kind[n] === 1 ? 'fixed' : 'moved']);
    if (Number.isFinite(run.diameter[n]) && run.diameter[n] > 0) rows.push(['Diameter', `${number(run.diameter[n])} m`]);
    rows.push(['Material', run.header.materials[run.material[n]]?.name ?? '']);
    for (const [name, unit, value] of run.probesOf(n, this.time)) rows.push([name, `${number(value)} ${unit}`]);
    if (dl.children.length !== 2 * rows.length)
      dl.replaceChildren(...rows.flatMap(() => [document.createElement('dt'), document.createElement('dd')]));
    rows.forEach(([a, b], i) => {
      dl.children[2 * i].textContent = a;
      dl.children[2 * i + 1].textContent = b;
    });
  }

  nextBody(by) {
    const list = this.shown[0]?.list;
    if (!list?.length) return;
    let i = list.indexOf(this.selected);
    for (let k = 0; k < list.length; k++) {
      i = (i + by + list.length) % list.length;
      if (this.run.kind[list[i]] === BODY_DYNAMIC) return this.pick(list[i]);
    }
  }

  find(text) {
    const list = this.shown[0]?.list ?? [], want = text.trim();
    for (const n of list) if (this.run.nameOf(n) === want || String(n) === want) return this.pick(n);
    for (const n of list) if (this.run.nameOf(n).includes(want)) return this.pick(n);
    this.say('There is no such body.');
    this.note(`There is no body '${want}'.`);
  }

  // Everything in sight; of a live run as it is now.
  fit() {
    this.stage.survey(this.run, this.source.live ? [this.shown[0] ?? this.anyFrame()] : this.sample());
    this.stage.frameAll();
    this.stage.shadowsStale = true;
  }

  // ---- the page ------------------------------------------------------------------------------

  say(text) { $('say').textContent = text; }

  note(text, seconds = 5) {
    $('note').textContent = text;
    $('note').hidden = false;
    clearTimeout(this.noteTimer);
    if (seconds) this.noteTimer = setTimeout(() => ($('note').hidden = true), 1000 * seconds);
  }

  openPanel(open, softly) {
    if (softly && matchMedia('(max-width: 720px)').matches && $('panel').hidden) { this.note(this.bodyLine()); return; }
    $('panel').hidden = !open;
    $('open-panel').setAttribute('aria-expanded', String(open));
  }

  bodyLine() {
    const n = this.selected, s = this.stage.bodies.speeds(n);
    return `${this.run.nameOf(n)}: ${number(s?.speed ?? NaN)} m/s, ${number(this.run.mass[n])} kg`;
  }

  openPlots(open) {
    $('plots').hidden = !open;
    $('open-plots').setAttribute('aria-expanded', String(open));
    this.plotsStale = true;
    requestAnimationFrame(() => this.stage.resize());
  }

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    this.stage.setTheme(name);
    this.plotsStale = true;
  }

  tick(now) {
    const seconds = Math.min(0.25, (now - (this.last ?? now)) / 1000);
    this.last = now;
    if (this.source.count) {
      const before = this.time;
      this.advance(seconds);
      this.stage.settleDown(this.time !== before || this.playing, now);
      const mixing = this.showTime();
      if (this.linksStale) { this.showLinks(mixing); this.linksStale = false; }
      if (this.following) this.follow(mixing);
      if (this.stage.draw(mixing)) {
        this.rates.push(now);
        while (this.rates[0] < now - 1000) this.rates.shift();
      }
      if (this.plotsStale && !$('plots').hidden) { this.plots.draw(this.time); this.plotsStale = false; }
      if (now - (this.read ?? 0) > 100) {
        this.read = now;
        if (!$('panel').hidden) {
          this.readBody();
          if (this.rates.length > 2 && now - (this.rated ?? 0) > 1000) { this.rated = now; this.rateText.textContent = String(this.rates.length); }
        }
        this.live.update();
      }
    }
    requestAnimationFrame((t) => this.tick(t));
  }

  follow(mixing) {
    const place = new Vector3();
    if (!this.stage.bodies.pose(this.selected, mixing, place, new Quaternion())) return;
    const shift = place.sub(this.stage.controls.target);
    if (shift.lengthSq() === 0) return;
    this.stage.controls.target.add(shift);
    this.stage.camera.position.add(shift);
    this.stage.stale = true;
  }
}

async function start() {
  const style = document.createElement('style');
  style.textContent = css;
  document.head.append(style);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light';
  document.documentElement.classList.toggle('software', software); // no blurred glass: it costs more than 100,000 balls
  const inside = document.getElementById('scree-run');
  const page = document.createElement('div');
  page.innerHTML = html;
  document.body.append(...page.childNodes);
  try {
    let source;
    if (inside) {
      source = new FileSource();
      await source.open(inside.textContent, (part) => (document.querySelector('#wait progress').value = part));
      inside.remove();
    } else {
      source = new SocketSource();
      const address = new URL('ws', location.href);
      address.protocol = 'ws:';
      await source.open(address.href);
    }
    const viewer = (window.scree = new Viewer(source));
    connect(viewer, SPEEDS, dark);
    $('wait').hidden = true;
    if (!source.grows && !matchMedia('(prefers-reduced-motion: reduce)').matches) viewer.play(true);
    requestAnimationFrame((t) => viewer.tick(t));
  } catch (error) {
    $('wait').querySelector('p').textContent = `The run cannot be shown: ${error.message}`;
    $('wait').querySelector('progress').hidden = true;
    console.error(error);
  }
}
start();

// A live run: its state, and commands to it.
import { number, rangeOf } from './fields.js';

const $ = (id) => document.getElementById(id);

export class Live {
  constructor(viewer) {
    this.viewer = viewer;
    this.pulling = false;
    this.ready = false;
    if (!viewer.source.changed) return;
    viewer.source.changed((kind) => this.heard(kind));
    if (!viewer.source.live) return;
    this.connect();
  }

  get state() { return this.viewer.run.state; }
  get over() { return Boolean(this.viewer.source.closed || this.state?.over); }
  get canPull() { return this.viewer.source.live && this.viewer.run.header.changeable && !this.over; }

  send(...command) { this.viewer.source.send(...command); }

  connect() {
    const { header } = this.viewer.run, on = (id, action) => ($(id).onclick = action);
    this.ready = true;
    $('live-section').hidden = $('live-mark').hidden = false;
    $('pull').hidden = !header.changeable;
    on('pause', () => this.toggle());
    on('single', () => this.send('step', 1));
    on('restart', () => this.send('restart'));
    $('pace').onchange = () => this.send('pace', Number($('pace').value));
    const gravity = [...$('gravity').querySelectorAll('input')];
    gravity.forEach((input, i) => (input.value = number(header.gravity[i], 5)));
    on('set-gravity', () => this.send('gravity', ...gravity.map((input) => Number(input.value) || 0)));
    $('restart').disabled = !header.changeable;
    for (const element of $('gravity').querySelectorAll('input, button')) element.disabled = !header.changeable;
    this.makeMaterials(header);
    this.makeMotors(header);
  }

  row(title, value, action, changeable) {
    const set = document.createElement('fieldset'), legend = document.createElement('legend');
    const input = document.createElement('input'), button = document.createElement('button');
    set.className = 'two';
    legend.textContent = title;
    Object.assign(input, { type: 'number', step: 'any', value: number(value, 4), disabled: !changeable });
    input.setAttribute('aria-label', title);
    button.textContent = 'Set';
    button.disabled = !changeable;
    button.onclick = () => action(Number(input.value) || 0);
    set.append(legend, input, button);
    return set;
  }

  makeMaterials(header) {
    $('materials').replaceChildren(...header.materials.slice(0, 8).map((m, i) =>
      this.row(`Friction of ${m.name}`, m.friction, (mu) => this.send('material', i, mu), header.changeable)));
  }

  makeMotors(header) {
    const motors = header.joints.flatMap((j) => j.motors.map(([[k, , value], unit]) => ({ j, k, value, unit }))).slice(0, 24);
    $('motors').replaceChildren(...motors.map(({ j, k, value, unit }) =>
      this.row(`Motor of ${j.kind} ${j.index}${k ? `.${k}` : ''}, ${unit}`, value, (x) => this.send('motor', j.index, k, x), header.changeable)));
  }

  toggle() { this.send(this.state?.paused ? 'go' : 'pause'); }
  setPulling(on) {
    this.pulling = on;
    $('pull').setAttribute('aria-pressed', String(on));
    $('stage').classList.toggle('pulling', on);
    this.viewer.say(on ? 'Pulling bodies.' : 'Not pulling.');
  }
  pull(n, local, target) { this.send('pull', n, local.x, local.y, local.z, target.x, target.y, target.z); }
  release() { this.send('release'); }

  heard(kind) {
    const { viewer } = this, { run } = viewer;
    if (kind === 'restart') { this.again = true; return; }
    if (kind === 'F' && this.again) {
      this.again = false;
      viewer.begin();
      if (viewer.source.live) this.connect();
    }
    if (kind === 'F' && viewer.source.live && 3 * run.bodies > viewer.run.start.length) {
      const more = new Float32Array(3 * run.bodies), from = run.start.length, q = run.header.quantum;
      const f = viewer.source.frame(viewer.source.count - 1); // bodies that have come start where they are first seen
      more.set(run.start);
      for (let i = 0; f && i < f.count; i++)
        for (let k = 0; k < 3; k++) if (3 * f.list[i] >= from) more[3 * f.list[i] + k] = f.place[3 * i + k] * q;
      run.start = more;
    }
    if (kind === 'P' && run.tables.size !== this.tableCount) {
      this.tableCount = run.tables.size;
      viewer.makeFields();
    }
    if (kind === 'E') viewer.note(run.notes[run.notes.length - 1], 8);
    if (kind === 'S' || kind === 'P') { if (viewer.plots.update(run)) $('open-plots').disabled = false; viewer.plotsStale = true; }
    if (kind === 'closed') viewer.note('The run has ended, or its server was stopped. What was seen can still be played.', 0);
  }

  // Colours keep up with a run whose values are not known beforehand.
  widen() {
    const { viewer } = this, { field, range } = viewer, now = performance.now();
    if (viewer.ownRange || field.kind || now - (this.widened ?? 0) < 1000 || !viewer.atEnd) return;
    this.widened = now;
    const frame = viewer.source.frame(viewer.source.count - 1), [least, most] = rangeOf(field, viewer.run, [frame]);
    const first = viewer.source.count < 3;
    const low = first ? least : Math.min(range[0], least), high = first ? most : Math.max(range[1], most);
    if (high > range[1] * 1.1 + 1e-12 || low < range[0] - 0.1 * (range[1] - range[0]) || (range[1] === 1 && range[0] === 0 && most < 0.5 && most > 0)) {
      viewer.setField(viewer.fieldName, low, range[1] === 1 && range[0] === 0 ? most : high);
      viewer.ownRange = false;
    }
  }

  // A recording that a run writes to: is its newest frame shown?
  updateWritten() {
    const { viewer, state } = this;
    if (!viewer.source.changed || (!viewer.source.grows && !this.written)) return;
    this.written = true;
    const on = viewer.source.grows, mark = $('live-mark');
    mark.hidden = false;
    mark.classList.toggle('over', !on);
    mark.querySelector('.word').textContent = !on ? 'ended' : viewer.atEnd ? 'being written' : 'looking back';
    if (!viewer.playing) {
      $('play').classList.toggle('on', on && viewer.atEnd);
      $('play').setAttribute('aria-label', 'Play');
    }
    if (state) viewer.frameText.textContent = String(viewer.source.count);
  }

  update() {
    const { viewer, state } = this;
    if (!viewer.source.live) { this.updateWritten(); return; }
    viewer.source.contacts = $('links').value !== 'none' || Boolean(viewer.field?.contacts) || viewer.selected >= 0;
    const halted = state?.paused, over = this.over;
    $('live-mark').classList.toggle('halted', Boolean(halted && !over));
    $('live-mark').classList.toggle('over', over);
    const word = over ? 'ended' : viewer.atEnd ? (halted ? 'paused' : 'live') : 'looking back';
    document.querySelector('#live-mark .word').textContent = word;
    $('pause').textContent = halted ? 'Go on' : 'Pause';
    for (const id of ['pause', 'single']) $(id).disabled = over;
    if (!viewer.playing) {
      const on = viewer.atEnd && !over && !halted;
      $('play').classList.toggle('on', on);
      $('play').setAttribute('aria-label', on ? 'Pause the run' : 'Play');
    }
    if (!state) return;
    this.widen();
    if (document.activeElement !== $('pace')) $('pace').value = String(state.pace);
    $('live-state').textContent = `${number(state.time, 4)} s of ${number(state.duration, 4)} s, step ${state.steps}, ` +
      `${state.contacts} contacts, R ${number(state.residual, 2)}`;
  }
}

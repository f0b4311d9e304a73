// What the reader's hands do: buttons, keys, the mouse and fingers on the stage.
import { Vector3, Quaternion } from 'three';
import { BODY_DYNAMIC } from './stream.js';

const $ = (id) => document.getElementById(id);

export function connect(viewer, speeds, dark) {
  const { stage } = viewer;
  const on = (id, event, action) => $(id).addEventListener(event, action);

  // ---- time
  speeds.forEach((s) => {
    const option = document.createElement('option');
    option.value = s;
    option.textContent = `${s} ×`;
    option.selected = s === 1;
    $('speed').append(option);
  });
  // Short runs are slowed, so that something is to be seen.
  const [from, to] = viewer.span;
  if (!viewer.source.live && to - from < 2.5) $('speed').value = to - from < 0.8 ? 0.1 : 0.25;
  viewer.speed = Number($('speed').value);
  on('speed', 'change', () => (viewer.speed = Number($('speed').value)));
  on('play', 'click', () => (viewer.source.live && !viewer.live.over && viewer.atEnd ? viewer.live.toggle() : viewer.play(!viewer.playing)));
  on('back', 'click', () => viewer.stepFrames(-1));
  on('forward', 'click', () => viewer.stepFrames(1));
  on('scrub', 'input', () => {
    const [a, b] = viewer.span;
    viewer.play(false);
    viewer.seek(a + (Number($('scrub').value) / 1000) * (b - a), true);
  });

  // ---- panels
  on('open-panel', 'click', () => viewer.openPanel($('panel').hidden));
  document.querySelector('#panel .close').addEventListener('click', () => viewer.openPanel(false));
  on('open-plots', 'click', () => viewer.openPlots($('plots').hidden));
  on('home', 'click', () => viewer.fit());
  const theme = () => viewer.setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  on('theme', 'click', theme);
  dark.addEventListener('change', () => viewer.setTheme(dark.matches ? 'dark' : 'light'));
  viewer.setTheme(document.documentElement.dataset.theme);
  if (matchMedia('(min-width: 1100px)').matches) {
    viewer.openPanel(true);
    if (!$('open-plots').disabled) viewer.openPlots(true);
  }

  // ---- settings
  on('field', 'change', () => viewer.setField($('field').value));
  for (const id of ['least', 'most'])
    on(id, 'change', () => viewer.setField(viewer.fieldName, Number($('least').value), Number($('most').value)));
  on('auto-range', 'click', () => viewer.setField(viewer.fieldName));
  const bodies = () => {
    stage.shared.grow.value = { full: 1, small: 0.35, hidden: 0 }[$('bodies').value];
    stage.stale = stage.shadowsStale = true;
  };
  on('bodies', 'change', bodies);
  // Chains run inside the bodies: these make room.
  on('links', 'change', () => {
    viewer.linksStale = true;
    if ($('links').value === 'chains' && $('bodies').value === 'full') $('bodies').value = 'small';
    if ($('links').value === 'none' && $('bodies').value === 'small') $('bodies').value = 'full';
    bodies();
  });
  on('walls', 'change', () => { stage.bodies.setWalls($('walls').value); stage.stale = stage.shadowsStale = true; });
  on('shadows', 'change', () => { stage.shadows = $('shadows').checked; stage.shadowsStale = true; });
  on('pattern', 'change', () => { stage.shared.pattern.value = $('pattern').checked ? 0.16 : 0; stage.stale = true; });
  on('joints', 'change', () => { stage.joints.visible = $('joints').checked; stage.stale = true; });
  const cut = () => {
    const axis = $('cut').value, k = 'xyz'.indexOf(axis);
    if (k < 0) return stage.setCut('none', 0, false);
    const a = stage.box.min.getComponent(k), b = stage.box.max.getComponent(k);
    stage.setCut(axis, a + (Number($('cut-at').value) / 1000) * (b - a), near !== $('cut-flip').checked);
  };
  // What is on the reader's side goes, as seen when the plane was chosen.
  let near = false;
  on('cut', 'input', () => {
    const k = 'xyz'.indexOf($('cut').value);
    if (k >= 0) near = stage.camera.position.getComponent(k) < stage.middle.getComponent(k);
  });
  for (const id of ['cut', 'cut-at', 'cut-flip']) on(id, 'input', cut);
  for (const button of document.querySelectorAll('[data-look]'))
    button.addEventListener('click', () => stage.look(button.dataset.look));

  // ---- a body
  on('find', 'submit', (e) => { e.preventDefault(); viewer.find($('find-name').value); });
  on('unpick', 'click', () => viewer.pick(-1));
  const follow = () => {
    viewer.following = viewer.selected >= 0 && !viewer.following;
    $('follow').setAttribute('aria-pressed', String(viewer.following));
  };
  on('follow', 'click', follow);

  // ---- the stage: a click picks, a pull moves a body of a live run
  const canvas = $('stage');
  let down = null, pulled = null;
  const end = () => {
    if (pulled) { viewer.live.release(); stage.setBand(null); }
    pulled = null;
    stage.controls.enabled = true;
  };
  canvas.addEventListener('pointerdown', (e) => {
    down = { x: e.clientX, y: e.clientY };
    if (e.button || !viewer.live.canPull || !(e.shiftKey || viewer.live.pulling)) return;
    const n = stage.pick(e.clientX, e.clientY);
    if (n < 0 || viewer.run.kind[n] !== BODY_DYNAMIC) return;
    const place = new Vector3(), turn = new Quaternion();
    if (!stage.bodies.pose(n, viewer.mixing ?? 0, place, turn)) return;
    const point = stage.unproject(e.clientX, e.clientY, place);
    pulled = { n, local: point.clone().sub(place).applyQuaternion(turn.invert()), point };
    stage.controls.enabled = false;
    e.stopImmediatePropagation();
    canvas.setPointerCapture(e.pointerId);
    viewer.pick(n);
  }, { capture: true });
  canvas.addEventListener('pointermove', (e) => {
    if (!pulled) return;
    const place = new Vector3(), turn = new Quaternion();
    if (!stage.bodies.pose(pulled.n, viewer.mixing ?? 0, place, turn)) return end();
    const hook = pulled.local.clone().applyQuaternion(turn).add(place);
    const target = stage.unproject(e.clientX, e.clientY, hook);
    if (!target) return;
    viewer.live.pull(pulled.n, pulled.local, target);
    stage.setBand(hook, target);
  });
  canvas.addEventListener('pointerup', (e) => {
    const still = down && Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5;
    if (!pulled && still && e.button === 0) viewer.pick(stage.pick(e.clientX, e.clientY));
    end();
    down = null;
  });
  canvas.addEventListener('pointercancel', end);
  on('pull', 'click', () => viewer.live.setPulling(!viewer.live.pulling));

  // ---- keys
  const turns = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
  const cycle = (id) => { const s = $(id); do s.selectedIndex = (s.selectedIndex + 1) % s.options.length; while (s.options[s.selectedIndex].disabled); s.dispatchEvent(new Event('change')); s.dispatchEvent(new Event('input')); };
  const keys = {
    ' ': () => $('play').click(), ',': () => viewer.stepFrames(-1), '.': () => viewer.stepFrames(1),
    Home: () => viewer.seek(viewer.span[0]), End: () => viewer.seek(viewer.span[1]),
    '[': () => faster(-1), ']': () => faster(1), n: () => viewer.nextBody(1), b: () => viewer.nextBody(-1),
    f: follow, c: () => cycle('links'), x: () => cycle('cut'), s: () => $('open-panel').click(), p: () => $('open-plots').click(),
    t: theme, h: () => viewer.fit(), g: () => viewer.live.canPull && viewer.live.setPulling(!viewer.live.pulling),
    Escape: () => viewer.pick(-1), '?': () => { viewer.openPanel(true); $('keys').open = true; $('keys').scrollIntoView({ block: 'end' }); },
  };
  const faster = (by) => {
    const s = $('speed');
    s.selectedIndex = Math.min(s.options.length - 1, Math.max(0, s.selectedIndex + by));
    viewer.speed = Number(s.value);
    viewer.say(`${s.value} times`);
  };
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.target === canvas) {
      if (turns[e.key]) { stage.orbit(...turns[e.key]); e.preventDefault(); return; }
      if (e.key === '+' || e.key === '=') return stage.zoom(0.9);
      if (e.key === '-') return stage.zoom(1.1);
    }
    if (typing || (e.target.tagName === 'BUTTON' && e.key === ' ')) return;
    const action = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!action) return;
    e.preventDefault();
    action();
  });
  new ResizeObserver(() => { stage.resize(); stage.draw(viewer.mixing ?? 0); }).observe(canvas);
  new ResizeObserver(() => (viewer.plotsStale = true)).observe($('plots'));
}

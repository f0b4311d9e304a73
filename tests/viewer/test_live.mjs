// Live runs: what the reader does changes the run; `scree view` shows a recording frame by frame.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { drawn, launch, open, PATIENCE, place, scene, scree, SCREE } from './browser.mjs';

let browser;
const running = [];

// Starts the command and waits for the address that it prints.
function start(...args) {
  return new Promise((done, fail) => {
    const child = spawn(SCREE, args, { cwd: place, env: { ...process.env, OMP_NUM_THREADS: '1', NO_COLOR: '1' } });
    let err = '', out = '';
    const run = { child, err: () => err, out: () => out, end: new Promise((ended) => child.on('exit', (code) => { ended(code); fail(new Error(err)); })) };
    running.push(run);
    child.stdout.on('data', (d) => (out += d));
    child.stderr.on('data', (d) => {
      err += d;
      const match = /open (http\S+) in a browser/.exec(err);
      if (match) { run.address = match[1]; done(run); }
    });
  });
}
const stop = async (run) => { run.child.kill('SIGINT'); return run.end; };

before(async () => {
  browser = await launch();
  scene('thousand.yaml', `
title: a thousand spheres
step: 5 ms
duration: 1e5 s # longer than any test
solver: {tolerance_residual: 0.1, iteration_limit: 30}
bodies:
  - {name: box, kind: fixed, shape: {box_container: {size: [1.2, 1.2, 2], open: top}}, position: [0, 0, 1]}
  - name: grain
    lattice: {count: [10, 10, 10], origin: [-0.495, -0.495, 0.06], pitch: [0.11, 0.11, 0.11]}
    shape: {sphere: {radius: 0.05}}
`);
  scene('mill.yaml', `
title: a motor and a ball
step: 2 ms
duration: 1e5 s
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, position: [0, 0, 1]}
  - {name: ball, shape: {sphere: {radius: 0.1}}, density: 1000, position: [1.5, 0, 0.1]}
joints:
  - {kind: hinge, bodies: [world, arm], anchor: [0, 0, 1], axis: [0, 0, 1], motor: {kind: speed, value: 1, limit: 100}}
probes:
  - {name: ball, kind: body, body: ball}
  - {name: energy, kind: energy}
`);
});
after(async () => {
  await browser.close();
  for (const run of running) run.child.kill('SIGKILL');
});

const state = (page) => page.evaluate(() => ({ ...scree.run.state, frames: scree.source.count }));
const until = (page, what, arg) => page.waitForFunction(what, arg);
const height = (page) => page.evaluate(() => {
  const f = scree.source.frame(scree.source.count - 1), q = scree.run.header.quantum;
  let sum = 0, n = 0;
  for (let i = 0; i < f.count; i++) if (scree.run.kind[f.list[i]] === 0) { sum += f.place[3 * i + 2] * q; n++; }
  return sum / n;
});

test('a run of a thousand spheres is live: pause, one step, gravity, looking back, restart', async () => {
  const run = await start('run', 'thousand.yaml', '--view');
  const { page, faults } = await open(browser, run.address);
  await until(page, () => scree.source.count > 5 && scree.run.state.time > 0.05 && scree.shown[0]?.count);
  // What is shown stays known while other colours are on their way.
  assert.equal(await page.evaluate(() => { scree.setField('speed'); return scree.shown[0].count; }), 1001);
  await page.locator('#open-panel').click();
  await page.locator('#pause').click();
  await until(page, () => scree.run.state.paused);
  const halted = await state(page);
  await page.waitForTimeout(300);
  assert.equal((await state(page)).steps, halted.steps);
  await page.locator('#single').click();
  await until(page, (n) => scree.run.state.steps === n + 1, halted.steps);
  // Small balls are drawn as points, hidden ones not at all; the one nearest to the eye is under the mouse.
  const nearest = await page.evaluate(() => {
    const s = scree.stage, f = scree.shown[0], q = scree.run.header.quantum, p = s.camera.position.clone();
    let best = -1, least = Infinity;
    for (let i = 0; i < f.count; i++) {
      if (scree.run.kind[f.list[i]] !== 0) continue;
      p.set(f.place[3 * i] * q, f.place[3 * i + 1] * q, f.place[3 * i + 2] * q);
      if (p.distanceTo(s.camera.position) < least) { least = p.distanceTo(s.camera.position); best = i; }
    }
    p.set(f.place[3 * best] * q, f.place[3 * best + 1] * q, f.place[3 * best + 2] * q);
    const at = s.project(p);
    return { number: f.list[best], picked: s.pick(at.x, at.y), points: Boolean(s.bodies.groups.get('sphere').far), drawn: s.bodies.groups.get('sphere').count };
  });
  assert.equal(nearest.picked, nearest.number, JSON.stringify(nearest));
  assert.ok(nearest.points && nearest.drawn < 1000, JSON.stringify(nearest));
  const low = await height(page);
  const inputs = page.locator('#gravity input');
  await inputs.nth(2).fill('30');
  await page.locator('#set-gravity').click();
  await page.locator('#pause').click();
  await until(page, () => !scree.run.state.paused);
  // They rise: in the frames, which come after the run's state.
  for (const end = Date.now() + PATIENCE; (await height(page)) <= low + 0.2;) {
    assert.ok(Date.now() < end, 'they rise');
    await new Promise((done) => setTimeout(done, 20));
  }
  await page.locator('#scrub').fill('0');
  await until(page, () => document.querySelector('#live-mark .word').textContent === 'looking back');
  await page.locator('#scrub').blur();
  // A paused run waits at its start; one that goes on may be far again before anyone looks.
  await page.locator('#pause').click();
  await until(page, () => scree.run.state.paused);
  await page.locator('#restart').click();
  await until(page, () => scree.run.state.steps === 0 && scree.run.state.time === 0);
  await page.locator('#pause').click();
  await until(page, () => scree.source.count > 2);
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await stop(run), 7);
});

test('pulling a body and turning a motor change the run', async () => {
  const run = await start('run', 'mill.yaml', '--view');
  const { page, faults } = await open(browser, run.address);
  await until(page, () => scree.source.count > 3);
  const where = () => page.evaluate(() => {
    const p = new scree.stage.middle.constructor();
    scree.stage.bodies.pose(2, scree.mixing ?? 0, p, scree.stage.camera.quaternion.clone());
    return { z: p.z, ...scree.stage.project(p) };
  });
  await page.keyboard.press('g');
  const from = await where();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) { await page.mouse.move(from.x, from.y - 12 * i); await drawn(page); }
  await until(page, () => { const p = new scree.stage.middle.constructor(); scree.stage.bodies.pose(2, 0, p, scree.stage.camera.quaternion.clone()); return p.z > 0.2; });
  const lifted = await where();
  assert.ok(Math.abs(lifted.x - from.x) < 40 && lifted.y < from.y - 20, `${JSON.stringify([from, lifted])}`);
  await page.mouse.up();
  await until(page, () => { const p = new scree.stage.middle.constructor(); scree.stage.bodies.pose(2, 0, p, scree.stage.camera.quaternion.clone()); return p.z < 0.12; });
  await page.evaluate(() => scree.openPanel(true));
  const motor = page.locator('#motors fieldset').first();
  await motor.locator('input').fill('-3');
  await motor.locator('button').click();
  // Probes of a live run: in the panel of the body that they watch, in the plots, as colours.
  await page.evaluate(() => scree.pick(2));
  await until(page, () => scree.run.tables.get('ball')?.rows > 3 && /ball: z/.test(document.getElementById('body').textContent));
  await until(page, () => [...document.getElementById('field').options].some((o) => o.value.startsWith('energy.')));
  await page.evaluate(() => scree.openPlots(true));
  await until(page, () => [...document.querySelectorAll('figcaption strong')].some((t) => t.textContent === 'ball, m'));
  await until(page, () => Math.abs(scree.stage.bodies.speeds(1).spin - 3) < 0.05);
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await stop(run), 7);
  assert.match(run.err(), /nothing was recorded/);
});

test('a recorded run is not changed by hand, and ends as without a view', async () => {
  scree('run', 'mill.yaml', '--duration', '1', '--out', 'plain.h5');
  const run = await start('run', 'mill.yaml', '--duration', '1', '--out', 'seen.h5', '--view', '--json');
  const { page, faults } = await open(browser, run.address);
  await page.evaluate(() => { scree.source.send('gravity', 0, 0, 5); scree.source.send('restart'); });
  await until(page, () => scree.run.notes.some((n) => /recorded/.test(n)));
  await until(page, () => scree.run.state.over);
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await stop(run), 0);
  const hash = JSON.parse(run.out().trim().split('\n').pop()).state_hash;
  assert.equal(JSON.parse(scree('run', 'mill.yaml', '--duration', '1', '--json')).state_hash, hash);
});

test('scree view shows a recording', async () => {
  const run = await start('view', 'plain.h5');
  const { page, faults } = await open(browser, run.address);
  assert.equal(await page.evaluate(() => scree.source.count), 61);
  await page.keyboard.press('End');
  await until(page, () => scree.shown[0]?.index === 60);
  await page.keyboard.press('Home');
  await until(page, () => scree.shown[0]?.index === 0);
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await stop(run), 0);
});

test('scree view follows a recording that a run still writes', async () => {
  const writer = spawn(SCREE, ['run', 'thousand.yaml', '--out', 'growing.h5', '--threads', '1'], { cwd: place, env: { ...process.env, OMP_NUM_THREADS: '1' } });
  running.push({ child: writer });
  let run;
  while (!run && writer.exitCode === null) run = await start('view', 'growing.h5').catch(() => new Promise((later) => setTimeout(later, 100, null)));
  const { page, faults } = await open(browser, run.address);
  const first = await page.evaluate(() => scree.source.count);
  await until(page, (n) => scree.source.count > n + 5 && scree.shown[0]?.index > n, first);
  await until(page, () => document.querySelector('#live-mark .word').textContent === 'being written');
  // Looking back stays where it is; the end of the slider follows again.
  await page.keyboard.press('Home');
  await until(page, () => scree.shown[0]?.index === 0 && !scree.atEnd);
  const then = await page.evaluate(() => scree.source.count);
  await until(page, (n) => scree.source.count > n, then);
  assert.equal(await page.evaluate(() => scree.shown[0].index), 0);
  await page.keyboard.press('End');
  await until(page, (n) => scree.shown[0]?.index > n, then);
  const ended = new Promise((done) => writer.on('exit', done));
  writer.kill('SIGINT');
  await ended;
  await until(page, () => document.querySelector('#live-mark .word').textContent === 'ended');
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(await stop(run), 0);
});

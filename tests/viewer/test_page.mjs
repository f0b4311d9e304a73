// The page that `scree export --html` writes: opens from the disk, plays, and shows what was recorded.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { drawn, launch, open, pixels, place, scene, scree, table } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
  scene('six.yaml', `
title: six bodies <b>&
description: the text of a stranger <img src=x onerror=alert(1)>
step: 5 ms
duration: 0.5 s
recording: {every: 20 ms}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: glass, kind: fixed, shape: {cylinder_container: {radius: 3, length: 3}}, position: [0, 0, 1.5]}
  - {name: ball, shape: {sphere: {radius: 0.2}}, position: [0, 0, 1], velocity: [1, 0, 0]}
  - {name: block, shape: {box: {size: [0.4, 0.3, 0.2]}}, position: [1.5, 0.5, 0.6], angular: [1, 2, 3]}
  - {name: pill, shape: {capsule: {radius: 0.1, length: 0.4}}, position: [-1.5, 0, 0.8], angular: [3, 0, 0]}
  - {name: can, shape: {cylinder: {radius: 0.15, length: 0.4}}, position: [0, 1.5, 0.5]}
  - {name: hat, shape: {cone: {radius: 0.2, height: 0.4}}, position: [0, -1.5, 0.5]}
  - {name: egg, shape: {ellipsoid: {radii: [0.1, 0.15, 0.3]}}, position: [-1, -1, 0.9]}
probes:
  - {name: ball, kind: body, body: ball}
`);
  // What is between bodies: a rope over two sheaves, a spring, a rod, and a soft block that a body stands on.
  scene('ties.yaml', `
title: ties
step: 1 ms
duration: 0.4 s
recording: {every: 20 ms}
bodies:
  - {name: floor, kind: fixed, shape: {half_space: {}}}
  - {name: load, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 3, position: [1, 0, 1]}
  - {name: weight, shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 2, position: [2, 0, 1]}
  - {name: bob, shape: {sphere: {radius: 0.1}}, position: [-1, 0, 1.2]}
flexible:
  - {name: pad, kind: block, lower: [-0.2, -0.2, 0.01], upper: [0.2, 0.2, 0.41], cells: [2, 2, 2], young: 1e6, poisson: 0.3, density: 1000, rayleigh: 5 ms, node_radius: 1 cm}
joints:
  - {name: rope, kind: pulley, bodies: [load, weight], anchor: [1, 0, 1.1], anchor_b: [2, 0, 1.1], sheaves: [[1, 0, 2], [2, 0, 2]]}
  - {name: rail, kind: slider, bodies: [world, load], anchor: [1, 0, 3], axis: [0, 0, 1]}
  - {name: rod, kind: hinge, bodies: [world, bob], anchor: [-1.6, 0, 1.8], axis: [0, 1, 0]}
probes:
${['load', 'weight', 'bob'].map((b) => `  - {name: ${b}, kind: body, body: ${b}}`).join('\n')}
`);
  scree('run', 'ties.yaml', '--out', 'ties.h5');
  scree('export', 'ties.h5', '--html', 'ties.html');
  scree('export', 'ties.h5', '--format', 'csv', '--what', 'bodies', '--out', 'ties');
  scree('run', 'six.yaml', '--out', 'six.h5');
  scree('export', 'six.h5', '--format', 'csv', '--what', 'bodies', '--out', 'six');
});
after(() => browser.close());

const address = (name) => 'file://' + join(place, name);
const rows = (run = 'six') => table(readFileSync(join(place, `${run}_bodies.csv`), 'utf8'));

test('the size is what is said, and thinning makes it smaller', () => {
  const said = JSON.parse(scree('export', 'six.h5', '--html', 'six.html', '--json'));
  assert.equal(said.bytes, statSync(join(place, 'six.html')).size);
  assert.equal(said.frames, 26);
  const less = JSON.parse(scree('export', 'six.h5', '--html', 'less.html', '--frames', '5', '--bodies', '3', '--no-contacts', '--json'));
  assert.equal(less.frames, 5);
  assert.equal(less.bodies, 5); // floor and glass stay
  assert.ok(less.bytes < said.bytes);
});

test('it opens from the disk, plays, scrubs, and is quiet', async () => {
  const { page, faults } = await open(browser, address('six.html'));
  assert.equal(await page.title(), 'six bodies <b>&');
  assert.equal(await page.locator('#about').textContent(), 'the text of a stranger <img src=x onerror=alert(1)>');
  assert.equal(await page.locator('#about img').count(), 0);
  // So slow that it cannot come to the end, where it would stop by itself, before the second key.
  await page.evaluate(() => { scree.speed = 1e-3; });
  await page.keyboard.press('Space');
  await page.waitForFunction(() => scree.time > 0);
  await page.keyboard.press('Space');
  assert.equal(await page.evaluate(() => scree.playing), false);
  const stopped = await page.evaluate(() => scree.time);
  await drawn(page);
  assert.equal(await page.evaluate(() => scree.time), stopped);
  await page.locator('#scrub').fill('1000');
  await drawn(page);
  assert.equal(await page.locator('#clock').textContent(), '0.500 s');
  await page.locator('#scrub').blur();
  await page.keyboard.press('Home');
  await drawn(page);
  assert.equal(await page.locator('#clock').textContent(), '0.000 s');
  await page.locator('#open-plots').click();
  await drawn(page);
  const titles = await page.locator('figcaption strong').allTextContents();
  for (const title of ['Energy, J', 'Residual', 'Contacts', 'ball, m']) assert.ok(titles.includes(title), `${title} in ${titles}`);
  for (const name of ['spin', 'height', 'start', 'way', 'x', 'y', 'energy', 'size', 'mass', 'material', 'shape', 'force', 'contacts', 'ball.z']) {
    await page.evaluate((n) => scree.setField(n), name);
    await drawn(page);
  }
  await page.evaluate(() => scree.seek(scree.source.timeOf(25)));
  await page.keyboard.press('c');
  await drawn(page);
  assert.match(await page.locator('#legend .links').textContent(), /^Force chains: the thickest is [\d.e-]+ N or more$/);
  await page.keyboard.press('?');
  assert.ok(await page.locator('#keys dl').isVisible());
  await page.keyboard.press('s');
  for (const key of ['c', 'c', 'x', 't', 's', 's', 'n', 'f', 'p']) await page.keyboard.press(key);
  await drawn(page);
  assert.deepEqual(faults, []);
  await page.close();
});

// The projection is computed here from the recording and the camera's numbers alone.
function projector(c) {
  const sub = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((x) => x / Math.hypot(...a));
  const forward = unit(sub(c.target, c.eye)), right = unit(cross(forward, [0, 0, 1])), up = cross(right, forward);
  const scale = c.height / 2 / Math.tan((c.field * Math.PI) / 360);
  return (x) => {
    const d = sub(x, c.eye), depth = dot(d, forward);
    return [c.left + c.width / 2 + (scale * dot(d, right)) / depth, c.top + c.height / 2 - (scale * dot(d, up)) / depth];
  };
}

test('bodies are where the recording says, in the picture and under the mouse', async () => {
  const { page, faults } = await open(browser, address('six.html'));
  await page.evaluate(() => { scree.stage.shadows = false; scree.openPlots(false); scree.openPanel(false); scree.setField('body'); });
  for (const frame of [0, 13, 25]) {
    await page.evaluate((i) => scree.seek(scree.source.timeOf(i)), frame);
    await drawn(page);
    const camera = await page.evaluate(() => {
      const s = scree.stage, r = s.canvas.getBoundingClientRect();
      return { eye: s.camera.position.toArray(), target: s.controls.target.toArray(), field: s.camera.fov, left: r.left, top: r.top, width: r.width, height: r.height };
    });
    const project = projector(camera);
    const bodies = rows().filter((r) => Number(r.frame) === frame && /dynamic/i.test(r.Kind));
    assert.equal(bodies.length, 6);
    const at = bodies.map((r) => project([Number(r.x), Number(r.y), Number(r.z)]));
    const shown = await pixels(page, at);
    await page.evaluate(() => { scree.stage.shared.grow.value = 0; scree.stage.stale = true; });
    await drawn(page);
    const empty = await pixels(page, at);
    await page.evaluate(() => { scree.stage.shared.grow.value = 1; scree.stage.stale = true; });
    await drawn(page);
    for (let i = 0; i < bodies.length; i++) {
      const difference = Math.max(...shown[i].map((v, k) => Math.abs(v - empty[i][k])));
      assert.ok(difference > 20, `frame ${frame}, body ${bodies[i].Body}: nothing at ${at[i]}: ${shown[i]} and ${empty[i]}`);
      const picked = await page.evaluate(([x, y]) => scree.stage.pick(x, y), at[i]);
      assert.equal(picked, Number(bodies[i].Body), `frame ${frame} at ${at[i]}`);
    }
  }
  // A click picks, and the panel says what the recording says.
  const last = rows().filter((r) => Number(r.frame) === 25 && r.Body === '2')[0];
  const spot = await page.evaluate(() => { const p = new scree.stage.middle.constructor(); scree.stage.bodies.pose(2, 0, p, scree.stage.camera.quaternion.clone()); return scree.stage.project(p); });
  await page.mouse.click(spot.x, spot.y);
  await drawn(page);
  assert.equal(await page.evaluate(() => scree.selected), 2);
  const text = await page.locator('#body').textContent();
  assert.match(text, /ball/);
  const speed = Math.hypot(...['x', 'y', 'z'].map((k) => Number(last[`Velocity_${k}`])));
  // What its probe measured is there, and the probe's column colours this body alone.
  assert.match(text, /ball: z/);
  const probed = await page.evaluate(() => scree.run.probesOf(2, 0.5).find(([name]) => name === 'ball: z')[2]);
  assert.ok(Math.abs(probed - Number(last.z)) < 1e-5, `${probed} and ${last.z}`);
  const coloured = await page.evaluate(() => {
    scree.setField('ball.z');
    const f = scree.source.frame(25);
    return [...f.list].map((n, row) => scree.field.get(scree.run, f, row, n)).filter((v) => v > -1e29);
  });
  assert.equal(coloured.length, 1);
  assert.ok(Math.abs(coloured[0] - Number(last.z)) < 1e-5);
  const read = await page.evaluate(() => scree.reading.speed);
  assert.ok(Math.abs(read - speed) < 2e-3 * speed + 1e-6, `${read} and ${speed}`);
  assert.deepEqual(faults, []);
  await page.close();
});

test('it works on a phone, and in the light', async () => {
  const { page, faults } = await open(browser, address('six.html'), { width: 390, height: 844, hasTouch: true, isMobile: true, colorScheme: 'light' });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await page.locator('#open-panel').tap();
  const panel = await page.locator('#panel').boundingBox();
  assert.ok(panel.width <= 390 && panel.y > 200);
  await page.locator('#panel .close').tap();
  await page.locator('#play').tap();
  await page.waitForFunction(() => scree.time > 0.01);
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select')].filter((e) =>
    !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.title)).map((e) => e.outerHTML));
  assert.deepEqual(unnamed, []);
  assert.deepEqual(faults, []);
  await page.close();
});

test('ropes, rods and soft parts are where the recording says, and long plots are drawn at once', async () => {
  const { page, faults } = await open(browser, address('ties.html'), { width: 1280, height: 720 });
  assert.ok((await page.locator('figure').count()) > 12);
  await page.screenshot(); // fails by the page's limit where plots take minutes
  await page.evaluate(() => scree.seek(scree.source.timeOf(10)));
  await drawn(page);
  const found = await page.evaluate(() => {
    const { rods, bodies } = scree.stage, { from, to } = rods.rows, n = rods.object.geometry.drawRange.count / rods.unit.index.count;
    const skin = bodies.groups.get('skin');
    return { n, rods: Array.from({ length: n }, (_, i) => [...from.slice(3 * i, 3 * i + 3), ...to.slice(3 * i, 3 * i + 3)]),
      corners: skin.count, numbers: [...skin.numbers.slice(0, skin.count)], places: [...skin.place0.slice(0, 3 * skin.count)] };
  });
  const at = {};
  for (const r of rows('ties').filter((x) => Number(x.frame) === 10)) at[r.Body] = ['x', 'y', 'z'].map((k) => Number(r[k]));
  const near = (a, b, what) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 2e-3, `${what}: ${a} and ${b}`));
  // load 1, weight 2, bob 3: boxes do not turn, so that their anchors are 0.1 m above their middles.
  assert.equal(found.n, 4);
  const above = (n) => [at[n][0], at[n][1], at[n][2] + 0.1];
  near(found.rods[0], [...above(1), 1, 0, 2], 'rope');
  near(found.rods[1], [1, 0, 2, 2, 0, 2], 'rope');
  near(found.rods[2], [2, 0, 2, ...above(2)], 'rope');
  near(found.rods[3], [-1.6, 0, 1.8, ...at[3]], 'rod');
  assert.equal(found.corners, 3 * 48); // a block of 2 x 2 x 2 cells has 24 squares outside
  found.numbers.forEach((n, i) => near(found.places.slice(3 * i, 3 * i + 3), at[n], `node ${n}`));
  assert.deepEqual(faults, []);
  await page.close();
});

test('bodies that come and go are in every frame where the recording has them', async () => {
  scene('flow.yaml', `
step: 4 ms
duration: 1 s
recording: {every: 40 ms}
solver: {tolerance_residual: 0.1}
bodies:
  - {name: chute, kind: fixed, shape: {box: {size: [1, 0.3, 0.02]}}, rotation: {axis: [0, 1, 0], angle: 30 deg}}
emitters:
  - {rate: 60, region: {cylinder: {center: [-0.3, 0, 0.45], radius: 0.08, height: 0.1}}, body: {shape: {sphere: {radius: 2 cm}}, density: 2500}}
drains:
  - {lower: [-9, -9, -9], upper: [9, 9, -0.1]}
`);
  scree('run', 'flow.yaml', '--out', 'flow.h5');
  scree('export', 'flow.h5', '--html', 'flow.html');
  scree('export', 'flow.h5', '--format', 'csv', '--what', 'bodies', '--out', 'flow');
  const { page, faults } = await open(browser, address('flow.html'));
  const shown = await page.evaluate(() => Array.from({ length: scree.source.count }, (_, i) => {
    const f = scree.source.frame(i), q = scree.run.header.quantum;
    return Array.from(f.list, (n, k) => [scree.run.place[n], ...[0, 1, 2].map((c) => f.place[3 * k + c] * q)]);
  }));
  const recorded = rows('flow'), quantum = await page.evaluate(() => scree.run.header.quantum);
  assert.equal(recorded.length, shown.flat().length);
  assert.ok(shown.some((f, i) => i && f.length > shown[i - 1].length) && shown.some((f, i) => i && f.length < shown[i - 1].length));
  for (const r of recorded) {
    const found = shown[Number(r.frame)].find((b) => b[0] === Number(r.Body));
    assert.ok(found, `frame ${r.frame} has no body ${r.Body}`);
    assert.ok(Math.hypot(found[1] - r.x, found[2] - r.y, found[3] - r.z) < 0.87 * quantum, `${found} and ${JSON.stringify(r)}`);
  }
  for (const index of [3, 12, 24]) { // each is drawn from its first frame to its last
    await page.evaluate((i) => scree.seek(scree.source.timeOf(i)), index);
    await drawn(page);
    assert.equal(await page.evaluate(() => scree.stage.bodies.groups.get('sphere').count), shown[index].length - 1);
  }
  assert.deepEqual(faults, []);
  await page.close();
});

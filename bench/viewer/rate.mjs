// What a picture of very many bodies costs in a browser without a graphics card: CPU time of all its processes.
//
//   tests/viewer/run once (it brings playwright-core); then
//   scree run settle --set n=100000 --duration 0.6 --out big.h5; scree export big.h5 --html big.html --no-contacts
//   SCREE_BROWSER=chromium node bench/viewer/rate.mjs big.html [WIDTHxHEIGHT]
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
const { chromium } = createRequire(new URL('../../tests/viewer/package.json', import.meta.url))('playwright-core');

const [file, size = '1280x720'] = process.argv.slice(2), [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({ executablePath: process.env.SCREE_BROWSER, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
const page = await browser.newPage({ viewport: { width, height } });
await page.goto('file://' + resolve(file));
await page.waitForFunction(() => document.getElementById('wait')?.hidden, null, { timeout: 180000 });
await page.evaluate(() => scree.play(false));

// Of this process's children, and theirs: ticks of 10 ms.
function cpu() {
  const parents = new Map(), ticks = new Map();
  for (const pid of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const rest = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      parents.set(pid, rest[1]);
      ticks.set(pid, Number(rest[11]) + Number(rest[12]));
    } catch { /* it has ended */ }
  }
  let sum = 0;
  for (const pid of ticks.keys()) {
    let at = pid;
    while (at && at !== '0' && at !== String(process.pid)) at = parents.get(at);
    if (at === String(process.pid) && pid !== at) sum += ticks.get(pid);
  }
  return sum / 100;
}

async function measure(name, move) {
  await page.evaluate(move);
  // By a number of pictures, the first of which warm it up: a busy machine draws few in a given time.
  const reach = (n) => page.waitForFunction((most) => window.pictures >= most, n, { timeout: 300000, polling: 300 });
  await page.evaluate(() => (window.pictures = 0));
  await reach(20);
  const before = cpu(), start = performance.now();
  await page.evaluate(() => (window.pictures = window.spent = 0));
  await reach(80);
  const pictures = await page.evaluate(() => window.pictures), wall = (performance.now() - start) / 1000, spent = cpu() - before;
  const page_ms = await page.evaluate(() => window.spent / Math.max(1, window.pictures));
  console.log(`${name}: ${((1000 * spent) / pictures).toFixed(1)} ms of CPU time a picture (${page_ms.toFixed(1)} ms of wall time in the page's own code), ` +
    `${(pictures / wall).toFixed(1)} pictures a second as the machine is, ${((2 * pictures) / spent).toFixed(1)} on two free cores`);
}
await page.evaluate(() => {
  window.pictures = 0; window.spent = 0;
  const tick = scree.tick;
  scree.tick = function (now) {
    const start = performance.now(), draw = scree.stage.draw;
    scree.stage.draw = function (m) { const drew = draw.call(this, m); if (drew) { window.pictures++; } return drew; };
    tick.call(this, now);
    scree.stage.draw = draw;
    window.spent += performance.now() - start;
  };
});
await measure('turning the eye', () => { window.pictures = window.spent = 0; clearInterval(window.turning); (function turn() { scree.stage.orbit(0.01, 0); window.turning = requestAnimationFrame(turn); })(); });
await measure('playing, a tenth of a frame a picture', () => { cancelAnimationFrame(window.turning); scree.play(true); scree.speed = 0; let time = 0;
  (function next() { const [from, to] = scree.span; time += 0.1 * (to - from) / (scree.source.count - 1); if (time >= to) time = from; scree.seek(time, true); window.turning = requestAnimationFrame(next); })(); });
await measure('playing, a new frame each picture', () => { cancelAnimationFrame(window.turning); let i = 0;
  (function next() { i = (i + 1) % (scree.source.count - 1); scree.seek(scree.source.timeOf(i), true); window.turning = requestAnimationFrame(next); })(); });
await browser.close();

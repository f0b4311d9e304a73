// A browser for all tests, the command, and pixels of pictures.
import { chromium } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SCREE = process.env.SCREE;
export const place = process.cwd();
// Milliseconds: for what hangs, not for what is slow on a busy machine.
export const PATIENCE = 300000;

export const scree = (...args) =>
  execFileSync(SCREE, args, { cwd: place, env: { ...process.env, OMP_NUM_THREADS: '1' }, timeout: PATIENCE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

export function scene(name, text) {
  writeFileSync(join(place, name), text);
  return name;
}

export const launch = () => chromium.launch({
  executablePath: process.env.SCREE_BROWSER,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

// A page whose errors are kept; `faults` must stay empty.
export async function open(browser, address, { width = 520, height = 360, ...more } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'dark', reducedMotion: 'reduce', ...more });
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !/GPU stall|swiftshader|Automatic fallback/i.test(m.text())) faults.push(m.text()); });
  page.on('pageerror', (e) => faults.push(e.stack));
  page.on('request', (r) => { if (!/^(file|data|blob|http:\/\/127\.0\.0\.1)/.test(r.url())) faults.push('asks for ' + r.url()); });
  await page.goto(address);
  await page.waitForFunction(() => document.getElementById('wait')?.hidden);
  return { page, faults };
}

// Two pictures later, what was asked for is drawn.
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

// Colours of a screenshot at some pixels.
export async function pixels(page, points) {
  const shot = (await page.screenshot()).toString('base64');
  return page.evaluate(async ([data, list]) => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), g = canvas.getContext('2d', { willReadFrequently: true });
    g.drawImage(bitmap, 0, 0);
    return list.map(([x, y]) => [...g.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3));
  }, [shot, points]);
}

// Rows of a CSV file as objects; the names without units.
export function table(text) {
  const [head, ...rows] = text.trim().split('\n');
  const names = head.split(',').map((n) => n.replace(/ ?\[.*\]/, ''));
  return rows.map((row) => Object.fromEntries(row.split(',').map((v, i) => [names[i], v])));
}

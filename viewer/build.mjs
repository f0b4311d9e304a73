// Bundles the page and writes it as a C source: node build.mjs OUT.c [OUT.js]
// The library holds the page packed (gzip), so that it needs no file at run time.
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const result = await build({
  entryPoints: [join(here, 'src/main.js')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome100', 'firefox113', 'safari16.4'],
  loader: { '.css': 'text', '.glsl': 'text' },
  legalComments: 'eof',
  charset: 'utf8',
  write: false,
  logLevel: 'warning',
});
const script = Buffer.from(result.outputFiles[0].contents);
// Inside a page the script must not end the element that holds it.
const safe = Buffer.from(script.toString('utf8').replaceAll('</script', '<\\/script'));
const assets = [
  ['index.html', 'text/html; charset=utf-8', readFileSync(join(here, 'src/index.html'))],
  ['viewer.js', 'text/javascript; charset=utf-8', safe],
];
let text = '/* Made by viewer/build.mjs. */\n#include "view/view.h"\n';
assets.forEach(([, , data], i) => {
  const packed = gzipSync(data, { level: 9 });
  const rows = [];
  for (let k = 0; k < packed.length; k += 24) rows.push([...packed.subarray(k, k + 24)].join(','));
  text += `static const unsigned char asset${i}[] = {\n${rows.join(',\n')}};\n`;
});
text += 'const view_asset view_assets[] = {\n';
assets.forEach(([name, type], i) => {
  text += `    {"${name}", "${type}", asset${i}, sizeof asset${i}},\n`;
});
text += '    {0}};\n';
writeFileSync(process.argv[2], text);
if (process.argv[3]) writeFileSync(process.argv[3], safe);

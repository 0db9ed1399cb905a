// Puts the page together: node assemble.mjs ROOT FOLDER_OF_WASM FOLDER_OF_REPORT OUTPUT
// Modules become one script (they import each other by name only), the WebAssembly and the report's Vega are
// compressed, and the page may load nothing: its policy names its own scripts by their hashes.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [root, built, report, output] = process.argv.slice(2);
const read = (path) => readFileSync(path, 'utf8');
const importLine = /^import [^;]*?from '([^']*)';\n/gm;

/// The text of a module after those that it imports, each once.
function bundled(file, seen = new Set()) {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = read(file);
  const before = [...text.matchAll(importLine)].map(([, name]) => bundled(join(dirname(file), name), seen)).join('');
  return `${before}${text.replace(importLine, '').replace(/^export /gm, '')}\n`;
}

const script = bundled(`${root}/src/web/page/whatif.js`);
const worker = bundled(`${root}/src/web/page/worker.js`);
// As the report has them; empty where npm was missing when it was built.
const vega = existsSync(`${report}/charts.js`) ? read(`${report}/charts.js`) : '';
const charts = readdirSync(`${root}/plots`).filter((file) => file.endsWith('.vl.json')).sort();
const specs = Object.fromEntries(charts.map((file) => [file.replace('.vl.json', ''), JSON.parse(read(`${root}/plots/${file}`))]));
const glue = read(`${built}/feedrate.js`);
const theme = read(`${root}/src/report/page/theme.js`);
for (const text of [script, worker, glue, theme]) {
  if (text.includes('</script')) throw new Error('a script holds the end of a script');
}
// What is compiled into the page, with its terms, as the machine that builds it has them.
const terms = [
  ['feedrate', `${root}/LICENSE`],
  ['fmt', '/usr/share/doc/libfmt-dev/copyright'],
  ['JSON for Modern C++ (nlohmann)', '/usr/share/doc/nlohmann-json3-dev/copyright'],
  ['Emscripten, with musl, LLVM\'s libc++, libc++abi and compiler-rt', '/usr/share/doc/emscripten/copyright'],
];
if (vega !== '') terms.push(['Vega, Vega-Lite and vega-embed, with what they are made of', `${report}/notices.txt`]);
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const parts = {
  csp: `default-src 'none'; style-src 'unsafe-inline'; worker-src blob:; script-src 'wasm-unsafe-eval' `
    + [theme, glue, vega, script].map(hash).join(' '),
  version: /version = "([^"]+)"/.exec(read(`${root}/src/base/version.hpp`))[1],
  style: read(`${root}/src/report/page/page.css`) + read(`${root}/src/web/page/whatif.css`),
  theme,
  given: '[]',
  classes: vega === '' ? 'no-charts' : '',
  vega: vega === '' ? '' : gzipSync(vega, { level: 9 }).toString('base64'),
  specs: JSON.stringify(specs).replaceAll('<', '\\u003c'),
  worker,
  notices: escaped(terms.map(([name, file]) => `${name}\n\n${read(file).trim()}\n`).join('\n\n')),
  engine: gzipSync(readFileSync(`${built}/feedrate.wasm`), { level: 9 }).toString('base64'),
  glue,
  script,
};
const page = read(`${root}/src/web/page/whatif.html`).replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} KiB, of them ${(parts.engine.length / 1024).toFixed(0)} KiB simulator and data`);

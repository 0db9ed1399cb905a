// Puts the page together: node assemble.mjs ROOT FOLDER_OF_WASM OUTPUT
// Modules become one script (they import each other by name only), the WebAssembly is compressed, and
// the page may load nothing: its policy names its own scripts by their hashes.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [root, built, output] = process.argv.slice(2);
const read = (path) => readFileSync(path, 'utf8');
const modules = ['plots/numbers.js', 'src/web/page/json_text.js', 'src/web/page/sliders.js', 'src/web/page/engine.js',
  'src/web/page/results.js', 'src/web/page/whatif.js'];
const script = modules.map((file) => read(`${root}/${file}`).replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, ''))
  .join('\n');
const glue = read(`${built}/feedrate.js`);
const theme = read(`${root}/src/report/page/theme.js`);
for (const text of [script, glue, theme]) {
  if (text.includes('</script')) throw new Error('a script holds the end of a script');
}
// What is compiled into the page, with its terms, as the machine that builds it has them.
const terms = [
  ['feedrate', `${root}/LICENSE`],
  ['fmt', '/usr/share/doc/libfmt-dev/copyright'],
  ['JSON for Modern C++ (nlohmann)', '/usr/share/doc/nlohmann-json3-dev/copyright'],
  ['Emscripten, with musl, LLVM\'s libc++, libc++abi and compiler-rt', '/usr/share/doc/emscripten/copyright'],
];
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const parts = {
  csp: `default-src 'none'; style-src 'unsafe-inline'; script-src 'wasm-unsafe-eval' ${[theme, glue, script].map(hash).join(' ')}`,
  version: /version = "([^"]+)"/.exec(read(`${root}/src/base/version.hpp`))[1],
  style: read(`${root}/src/report/page/page.css`) + read(`${root}/src/web/page/whatif.css`),
  theme,
  given: '[]',
  notices: escaped(terms.map(([name, file]) => `${name}\n\n${read(file).trim()}\n`).join('\n\n')),
  engine: gzipSync(readFileSync(`${built}/feedrate.wasm`), { level: 9 }).toString('base64'),
  glue,
  script,
};
const page = read(`${root}/src/web/page/whatif.html`).replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} KiB, of them ${(parts.engine.length / 1024).toFixed(0)} KiB simulator and data`);

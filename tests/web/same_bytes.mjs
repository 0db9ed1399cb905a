// The page's simulator gives the bytes that the program prints: all shipped scenarios, on another host,
// event by event, and with drawn settings.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { questions } from './cases.mjs';
import { engineOf } from './engine.mjs';

const [page, feedrate, sources, drawn = '6', only = ''] = process.argv.slice(2);
const execute = promisify(execFile);
const engine = await engineOf(page);

/** What the program prints, null where it refuses the question. */
async function printed(words) {
  try {
    const { stdout } = await execute(feedrate, ['run', ...words, '--format', 'json'], { cwd: sources, maxBuffer: 1 << 28 });
    return stdout;
  } catch (error) {
    if (error.code === 2) return null;
    throw error;
  }
}

function firstDifference(a, b) {
  const [x, y] = [a.split('\n'), b.split('\n')];
  const at = x.findIndex((line, i) => line !== y[i]);
  const from = Math.max(0, [...x[at]].findIndex((c, i) => c !== y[at]?.[i]) - 60);
  return `line ${at + 1}:\n  program: ${x[at].slice(from, from + 140)}\n  page:    ${(y[at] ?? '').slice(from, from + 140)}`;
}

let [same, refused, wrong] = [0, 0, 0];
let milliseconds = 0;
for (const { name, words, request } of questions(sources, Number(drawn))) {
  if (!name.includes(only)) continue;
  const wanted = await printed(words);
  const began = performance.now();
  const got = engine.ask(request);
  milliseconds += performance.now() - began;
  const isError = JSON.parse(got).kind === 'error';
  if (wanted === null ? isError : wanted === got) {
    if (wanted === null) ++refused; else ++same;
  } else {
    ++wrong;
    console.log(`${name}: ${wanted === null ? 'the page answers what the program refuses' : isError ? got.slice(0, 400) : firstDifference(wanted, got)}`);
  }
}
console.log(`${same} answers with the same bytes, ${refused} refused by both, ${wrong} unlike`);
console.error(`${(milliseconds / (same + refused + wrong)).toFixed(1)} ms each in the page's simulator, event by event included`);
process.exit(wrong === 0 && same > 100 ? 0 : 1);

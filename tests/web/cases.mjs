// Questions that both are asked: the words of the command line, and the same as a request.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const host = 'scenarios/hosts/epyc_vm_2_cores.json';

// A generator of its own, so that a failure can be asked for again.
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Settings that most scenarios take: numbers that no one wrote down before. */
function drawnSettings(draw) {
  const whole = (least, most) => Math.floor(least + (most - least + 1) * draw());
  const all = {
    num_workers: whole(0, 24), batch_size: whole(1, 700), prefetch_factor: whole(1, 9), instances: whole(1, 40),
    '/dataset/size_cv': draw(), '/loader/contention': draw() / 20, '/loader/oversubscription': draw() / 5,
    '/cluster/step_cv': draw() / 3, '/loader/read_cv': draw() / 2,
  };
  return Object.fromEntries(Object.entries(all).filter(() => draw() < 0.5));
}

/** Each: {name, words, request}; `words` follow `feedrate run`. */
export function questions(sources, drawn) {
  const shipped = readdirSync(join(sources, 'scenarios')).filter((f) => f.endsWith('.json')).sort().map((f) => `scenarios/${f}`);
  const made = [];
  for (const file of shipped) {
    const text = readFileSync(join(sources, file), 'utf8');
    const ask = (name, words, rest) => made.push({ name: `${file}${name}`, words: [file, ...words], request: JSON.stringify({ file, ...rest }) });
    ask('', [], { scenario: text });
    ask(' --host', ['--host', host], { scenario: text, host: readFileSync(join(sources, host), 'utf8') });
    ask(' --exact', ['--exact'], { scenario: text, options: { exact: true } });
    for (let i = 0; i < drawn; ++i) {
      const set = drawnSettings(random(shipped.indexOf(file) * 1000 + i));
      const words = Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      ask(` ${words.join(' ')}`, words, { scenario: text, set });
    }
  }
  return made;
}

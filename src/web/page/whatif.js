// The page: a scenario as text, sliders that write into it, and what the simulator says of it.
import { gpuTimeRows, pointRows, stageRows } from '../../../plots/rows.js';
import { adviceLines } from './advice.js';
import { startBackground } from './background.js';
import { startControls } from './controls.js';
import { startEngine, unpacked } from './engine.js';
import { explained, placesIn, pointerAt, withValue } from './json_text.js';
import { startPictures } from './pictures.js';
import { showAdvice, showPoints, showProblems, showResult } from './results.js';
import { slidersFor } from './sliders.js';

const byId = (id) => document.getElementById(id);
const editor = byId('scenario');
const places = Object.fromEntries(['headline', 'glance', 'figures', 'stages', 'bill', 'remarks'].map((id) => [id, byId(id)]));

const state = { engine: null, schema: null, scenarios: [], chosen: 0, start: null, last: null, points: null, sliders: [],
  controls: null, pictures: null, background: null };

const request = (text, rest = {}) => {
  const { file, host } = state.scenarios[state.chosen];
  return JSON.stringify({ scenario: text, file, ...(host && { host }), ...rest });
};

/// The text with settings in it, {KEY: VALUE} as for --set: with "measured_on", where they move numbers to another
/// machine. What no scenario can be is written all the same, at its pointer; the answer says what is wrong.
function withSettings(text, set) {
  const edits = JSON.parse(state.engine.edits(request(text, { set })));
  const written = Object.keys(edits).length > 0 ? edits : set;
  return Object.entries(written).reduce((now, [pointer, value]) => withValue(now, pointer, JSON.stringify(value)), text);
}

function ask(text) {
  const began = performance.now();
  const bytes = state.engine.ask(request(text));
  return { bytes, document: JSON.parse(bytes), ms: performance.now() - began };
}

// --- what the text says, shown -----------------------------------------------------------------

const lines = (text) => text.split('\n').length;

function drawGutter(problems) {
  const wrong = new Set(problems.map((p) => p.line));
  const gutter = byId('gutter');
  const rows = Array.from({ length: lines(editor.value) }, (_, i) => {
    const line = document.createElement('span');
    line.textContent = wrong.has(i + 1) ? `▸${i + 1}` : `${i + 1}`;
    line.className = wrong.has(i + 1) ? 'wrong' : '';
    return line;
  });
  gutter.replaceChildren(...rows);
  gutter.scrollTop = editor.scrollTop;
}

function toLine(line) {
  const offset = editor.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  editor.focus();
  editor.setSelectionRange(offset, offset);
  editor.scrollTop = (line - 4) * parseFloat(getComputedStyle(editor).lineHeight);
}

function run() {
  const text = editor.value;
  endLater();
  const answer = ask(text);
  const { error, result } = answer.document;
  document.documentElement.dataset.answer = error ? 'error' : 'result';
  byId('problems').hidden = !error;
  editor.setAttribute('aria-invalid', String(Boolean(error)));
  byId('answer').classList.toggle('stale', Boolean(error));
  drawGutter(error?.problems ?? []);
  byId('headline').classList.toggle('bad', Boolean(error));
  if (error) {
    const one = error.problems.length === 1;
    const [first] = error.problems;
    byId('headline').textContent = first ? `${first.line > 0 ? `Line ${first.line}: ` : ''}${first.key} ${first.message}` : error.message;
    byId('problems_title').textContent = `${error.problems.length || 1} ${one ? 'problem' : 'problems'}; the figures are those of the last scenario without any`;
    showProblems(byId('problem_list'), error, toLine);
    return;
  }
  state.last = answer;
  state.start ??= { text, result };
  showResult(places, result, state.start.result);
  byId('json').textContent = answer.bytes;
  byId('took').textContent = `simulated in ${answer.ms < 10 ? answer.ms.toFixed(1) : Math.round(answer.ms)} ms`;
  drawPipeline(result);
  askLater(text, result);
}

const drawPipeline = (result) => state.pictures?.show({ stages: () => stageRows(result), gpu_time: () => gpuTimeRows(result) });

// At most one run a frame, however fast one drags or types.
let pending = false;
function changed() {
  keepInAddress();
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; run(); });
}

// --- what takes longer: asked of the worker when nothing changes for a while -------------------------

const idleTime = 400;  // ms
let idle = 0;

function out(id, note) {
  byId(id).setAttribute('aria-busy', 'true');
  byId(`${id}_note`).textContent = note;
}

function done(id, note = '') {
  byId(id).setAttribute('aria-busy', 'false');
  byId(`${id}_note`).textContent = note;
}

function endLater() {
  clearTimeout(idle);
  state.background?.end();
  document.documentElement.dataset.later = 'none';
  out('scaling', 'Waits for a scenario without problems.');
  out('advice', 'Waits for a scenario without problems.');
}

function askLater(text, result) {
  document.documentElement.dataset.later = 'waiting';
  out('scaling', 'Simulated as soon as nothing changes.');
  out('advice', 'Simulated as soon as nothing changes.');
  idle = setTimeout(async () => {
    if (await scale(text, result) && await advise(text, result)) document.documentElement.dataset.later = 'done';
  }, idleTime);
}

/// The answer to what is asked; null where it was ended. What went wrong is an answer too.
async function askBehind(text, rest) {
  try {
    const bytes = await state.background.ask(request(text, rest));
    return bytes === null ? null : JSON.parse(bytes);
  } catch (error) {
    return { error: { message: error.message, problems: [] } };
  }
}

const errorWords = ({ message, problems }) => (problems.length > 0 ? `${problems[0].key} ${problems[0].message}` : message);

/// What the report sweeps where nothing is asked for: instances in doublings around the scenario's own number, times
/// efficiencies where it states one, because a stated efficiency holds at no other number.
function pointsAround(text, own) {
  const last = Math.max(16, 2 * own);
  const first = last > 4096 ? Math.ceil(own / 4) : 1;
  const doublings = Array.from({ length: 11 }, (_, i) => first * 2 ** i).filter((n) => n <= last);
  const each = (values) => [...new Set(values)].filter(Number.isFinite).sort((a, b) => a - b);
  const efficiency = placesIn(text).places.get('/job/efficiency')?.value;
  return { instances: each([own, ...doublings]),
    ...(efficiency != null && { efficiency: each([0.5, 0.6, 0.7, 0.8, 0.9, 1, Number(efficiency)]) }) };
}

async function scale(text, result) {
  out('scaling', 'The scenario is simulated with other numbers of instances …');
  const answer = await askBehind(text, { ask: 'sweep', vary: pointsAround(text, result.instances), options: { mean: true } });
  if (answer === null) return false;
  const points = (answer.points ?? []).filter((point) => point.result !== null);
  done('scaling', answer.error ? errorWords(answer.error) : '');
  showPoints(byId('points'), points);
  state.points = points;
  await drawScaling(points);
  return true;
}

function drawScaling(points) {
  const rows = (size) => pointRows(points, null, size);
  return state.pictures?.show({ scaling_time: rows, scaling_cost: rows, pareto: rows });
}

async function advise(text, result) {
  out('advice', 'The remedies are simulated …');
  const answer = await askBehind(text, { ask: 'advise' });
  if (answer === null) return false;
  const priced = result.cost.compute_usd > 0 || result.cost.hour_value_usd > 0;
  const lines = answer.error ? [] : adviceLines(answer, priced);
  showAdvice(byId('advice_lines'), lines, (set) => rewrite(withSettings(editor.value, set)));
  const none = lines.length === 0 ? 'No remedy that could be simulated saves enough to be worth it.'
    : 'As feedrate advise: effort in brackets, then the time of the job and the change of its cost.';
  done('advice', answer.error ? errorWords(answer.error) : none);
  return true;
}

/// Another text than the one that was typed or slid: the controls follow it.
function rewrite(text) {
  editor.value = text;
  drawControls();
  changed();
}

function drawControls() {
  drawSliders();
  state.controls.show(placesIn(editor.value).places);
}

// --- sliders -----------------------------------------------------------------------------------

function drawSliders() {
  const { places: found } = placesIn(editor.value);
  state.sliders = slidersFor(found, state.schema);
  byId('sliders').replaceChildren(...state.sliders.map((one, i) => {
    const field = document.createElement('div');
    field.className = 'knob';
    const label = Object.assign(document.createElement('label'), { htmlFor: `slider_${i}`, textContent: one.label });
    label.title = explained(state.schema, one.pointer)?.description ?? '';
    const shown = Object.assign(document.createElement('output'), { textContent: one.text(one.now) + (one.stated ? '' : ' (default)') });
    shown.htmlFor = `slider_${i}`;
    const input = Object.assign(document.createElement('input'), { type: 'range', id: `slider_${i}`, min: one.least, max: one.most, step: one.step });
    input.value = one.now;
    input.setAttribute('aria-valuetext', one.text(one.now));
    input.dataset.pointer = one.pointer;
    input.addEventListener('input', () => {
      const position = Number(input.value);
      editor.value = withSettings(editor.value, { [one.pointer]: JSON.parse(one.json(position)) });
      shown.textContent = one.text(position);
      input.setAttribute('aria-valuetext', one.text(position));
      changed();
    });
    field.append(label, shown, input);
    return field;
  }));
}

// --- help for the key under the cursor ---------------------------------------------------------

function showHelp() {
  const { places: found } = placesIn(editor.value);
  const pointer = pointerAt(found, editor.selectionStart);
  const about = explained(state.schema, pointer);
  byId('help_key').textContent = pointer || 'scenario';
  if (!about) {
    byId('help_text').textContent = 'feedrate knows no such key here.';
    return;
  }
  const types = [about.type].flat().filter((t) => t && t !== 'null').map((t) => (t === 'integer' ? 'whole number' : t === 'string' ? 'text' : t));
  const kind = about.enum ? about.enum.filter((v) => v !== null).join(' | ')
    : about.examples ? `such as ${about.examples.map((e) => JSON.stringify(e)).join(', ')}` : types.join(' or ');
  const range = about.minimum !== undefined && about.maximum !== undefined ? `, ${about.minimum} to ${about.maximum}` : '';
  const keys = about.properties ? ` Keys: ${Object.keys(about.properties).join(', ')}.` : '';
  byId('help_text').textContent = `${about.description ?? ''}${about.description ? ' — ' : ''}${kind}${range}.${keys}`;
}

// --- the address: the whole scenario in it -------------------------------------------------------

const toBase64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function packedState() {
  const whole = JSON.stringify({ file: state.scenarios[state.chosen].file, text: editor.value, start: state.start?.text });
  return toBase64(await through(new TextEncoder().encode(whole), new CompressionStream('deflate-raw')));
}

async function readAddress() {
  if (location.hash.length < 3) return null;
  try {
    const bytes = await through(fromBase64(location.hash.slice(1)), new DecompressionStream('deflate-raw'));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    byId('status').textContent = 'The address holds a state that cannot be read; the page begins anew.';
    return null;
  }
}

let waiting = 0;
function keepInAddress() {
  clearTimeout(waiting);
  waiting = setTimeout(async () => history.replaceState(null, '', `#${await packedState()}`), 300);
}

// --- what the buttons do -------------------------------------------------------------------------

async function copied(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    byId('status').textContent = `${what} copied.`;
  } catch {
    byId('status').textContent = `The browser does not let this page copy; the ${what.toLowerCase()} can be selected by hand.`;
  }
}

function begin(text, startText = text) {
  state.start = null;
  if (startText !== text) {
    editor.value = startText;
    run();
  }
  editor.value = text;
  run();
  drawControls();
  showHelp();
}

function choose(index) {
  state.chosen = index;
  begin(state.scenarios[index].text);
  history.replaceState(null, '', location.pathname + location.search);
}

function listen() {
  editor.addEventListener('input', () => { drawControls(); drawGutter([]); changed(); });
  editor.addEventListener('scroll', () => { byId('gutter').scrollTop = editor.scrollTop; });
  for (const event of ['keyup', 'click', 'focus']) editor.addEventListener(event, showHelp);
  byId('examples').addEventListener('change', (e) => choose(Number(e.target.value)));
  byId('reset').addEventListener('click', () => rewrite(state.start?.text ?? editor.value));
  byId('pin').addEventListener('click', () => { state.start = null; drawControls(); changed(); byId('status').textContent = 'Compared with this scenario from now on.'; });
  byId('copy').addEventListener('click', () => copied(editor.value, 'Scenario'));
  byId('copy_link').addEventListener('click', async () => { history.replaceState(null, '', `#${await packedState()}`); copied(location.href, 'Link'); });
  byId('copy_json').addEventListener('click', () => copied(state.last?.bytes ?? '', 'Answer'));
  const theme = byId('theme');
  const dark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const name = () => { theme.textContent = dark() ? 'Light colours' : 'Dark colours'; };
  theme.addEventListener('click', () => {
    document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
    try { localStorage.setItem('feedrate-theme', document.documentElement.dataset.theme); } catch { /* no storage for files */ }
    name();
  });
  name();
  theme.hidden = false;
}

// --- start ---------------------------------------------------------------------------------------

/// What the program that wrote the page said of its scenarios must be what this one says.
function checkAgainstProgram() {
  const told = state.scenarios.filter((s) => s.answer);
  const differing = told.filter((s) => state.engine.ask(JSON.stringify({ scenario: s.text, file: s.file, ...(s.host && { host: s.host }) })) !== s.answer);
  document.documentElement.dataset.agrees = String(differing.length === 0);
  if (!told.length) return;
  byId('agreement').textContent = differing.length
    ? `This page’s simulator and the program that wrote the page disagree about ${differing.map((s) => s.file).join(', ')}: one of them is older than the other.`
    : 'This page’s simulator gives the same bytes as the program that wrote the page.';
  byId('agreement').classList.toggle('bad', differing.length > 0);
}

/// Vega is a script of the page's policy; without it (a build without npm) there are tables and no charts.
async function loadCharts() {
  const packed = byId('vega').textContent.trim();
  if (packed === '') return null;
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpacked(packed));
  document.head.append(script);
  return startPictures(JSON.parse(byId('specs').textContent));
}

async function main() {
  const given = JSON.parse(byId('given').textContent);
  const program = await unpacked(byId('engine').textContent.trim());
  state.engine = await startEngine(globalThis.feedrateModule, program);
  state.background = startBackground(byId('glue').textContent + byId('worker').textContent, program);
  const selects = { machine: byId('machine'), region: byId('region'), purchase: byId('purchase') };
  state.controls = startControls(selects, state.engine, (pointer, value) => rewrite(withSettings(editor.value, { [pointer]: value })));
  state.schema = JSON.parse(state.engine.schema());
  const shipped = state.engine.files().filter((f) => /^scenarios\/[^/]+\.json$/.test(f));
  state.scenarios = [...given, ...shipped.map((file) => ({ file, text: state.engine.file(file) }))];
  const options = state.scenarios.map((s, i) => new Option(i < given.length ? s.file : s.file.replace(/^scenarios\/|\.json$/g, ''), i));
  const groups = [['This page’s', options.slice(0, given.length)], ['Shipped examples', options.slice(given.length)]];
  byId('examples').append(...groups.filter(([, all]) => all.length).map(([label, all]) => {
    const group = Object.assign(document.createElement('optgroup'), { label });
    group.append(...all);
    return group;
  }));
  const first = given.length ? 0 : Math.max(0, shipped.indexOf('scenarios/caltech256_p3.json'));
  const kept = await readAddress();
  const known = kept ? state.scenarios.findIndex((s) => s.file === kept.file) : -1;
  state.chosen = known >= 0 ? known : first;
  byId('examples').value = String(state.chosen);
  listen();
  checkAgainstProgram();
  begin(kept?.text ?? state.scenarios[state.chosen].text, kept?.start ?? kept?.text ?? state.scenarios[state.chosen].text);
  // The answer does not wait for Vega.
  state.pictures = await loadCharts();
  if (state.last) await drawPipeline(state.last.document.result);
  if (state.points) await drawScaling(state.points);
  document.documentElement.dataset.ready = 'true';
  // For whoever asks from a console, and for tests.
  globalThis.feedrate = state.engine;
}

main().catch((error) => {
  byId('headline').textContent = `The simulator does not start in this browser: ${error.message}. It needs WebAssembly with exceptions and DecompressionStream (Chromium 95, Firefox 113, Safari 16.4, or later).`;
  document.documentElement.dataset.ready = 'failed';
});

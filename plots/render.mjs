// node render.mjs SPECIFICATION THEME <RESULT.json >CHART.svg
// Draws a Vega-Lite specification with the rows of a result as its named data. Exit status: 2 the
// input does not fit, 3 the pinned packages are missing; the last line on standard error says why.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { withScales } from './pareto_layout.js';
import { datasets } from './rows.js';
import { chartConfig, palettes } from './theme.js';

function fail(status, message) {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}

function packages() {
  const require = createRequire(import.meta.url);
  try {
    return { vega: require('vega'), vegaLite: require('vega-lite') };
  } catch (error) {
    return fail(error.code === 'MODULE_NOT_FOUND' ? 3 : 1, String(error.message).split('\n')[0]);
  }
}

function parsed(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(2, `${name}: ${error.message}`);
  }
}

// What the specification asks for, or every name that there is.
function rowsFor(spec, document, path) {
  const rows = datasets(document);
  const name = spec.data?.name;
  if (!(name in rows)) {
    fail(2, `${path}: /data/name: expected one of ${Object.keys(rows).join(', ')}, got ${JSON.stringify(name)}`);
  }
  if (rows[name].length === 0) {
    const needs = { points: 'a sweep (feedrate sweep … --format json)', break_even: 'a sweep over instances',
      timeline: 'a trace (feedrate run … --trace FILE)' };
    fail(2, `${path}: nothing to draw: this chart needs ${needs[name] ?? 'a result (feedrate run … --format json)'}`);
  }
  return { name, rows: rows[name] };
}

const [path, theme] = process.argv.slice(2);
const { vega, vegaLite } = packages();
const spec = parsed(readFileSync(path, 'utf8'), path);
const { name, rows } = rowsFor(spec, parsed(readFileSync(0, 'utf8'), 'the result'), path);
const palette = palettes[theme];
const config = { ...chartConfig(palette, rows), background: palette.paper };
let svg;
try {
  const logger = vega.logger(vega.Error);
  const compiled = vegaLite.compile({ ...withScales(spec, rows), datasets: { [name]: rows } }, { config, logger });
  svg = await new vega.View(vega.parse(compiled.spec), { renderer: 'none', logger }).toSVG();
} catch (error) {
  fail(2, `${path}: ${String(error.message).split('\n')[0]}`);
}
process.stdout.write(`${svg}\n`);

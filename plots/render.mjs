// node render.mjs SPECIFICATION THEME <RESULT.json >CHART.svg
// Draws a Vega-Lite specification with the rows of a result as its named data; a stranger may have
// written it, so it loads nothing else. Exit status: 2 the input does not fit, 3 the pinned packages
// are missing; the last line on standard error says why.
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
  } catch {
    // What is no JSON may be any file, so nothing of it is quoted.
    return fail(2, `${name}: expected JSON, got another text`);
  }
}

// Vega's loader, but for what it would fetch or have whoever opens the chart fetch: those are kept in
// `refused`, for Vega draws on without them. Links and images that are part of the specification stay.
function ownDataOnly(vega, refused) {
  const loader = vega.loader();
  const refuse = (url) => {
    refused.push(String(url));
    return Promise.reject(new Error('refused'));
  };
  const sanitize = (url, options) => (options?.context === 'href' || String(url).startsWith('data:')
    ? vega.loader().sanitize(url, options) : refuse(url));
  return Object.assign(loader, { load: refuse, http: refuse, file: refuse, sanitize });
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
const refused = [];
let svg;
try {
  const logger = vega.logger(vega.Error);
  const compiled = vegaLite.compile({ ...withScales(spec, rows), datasets: { [name]: rows } }, { config, logger });
  const loader = ownDataOnly(vega, refused);
  svg = await new vega.View(vega.parse(compiled.spec), { renderer: 'none', logger, loader }).toSVG();
} catch (error) {
  fail(2, `${path}: ${String(error.message).split('\n')[0]}`);
}
if (refused.length > 0) {
  fail(2, `${path}: expected a chart of the result's data and its own values, got one that loads ${JSON.stringify(refused[0])}`);
}
process.stdout.write(`${svg}\n`);

// The page's own work: colours, charts, and the value of an hour. Every number that changes here is
// computed as feedrate computes it (plots/rows.js) and written as feedrate writes it (plots/numbers.js).
import { count, duration, money, number } from '../../../plots/numbers.js';
import { bestPoints, breakEvenRows, gpuTimeRows, isPricedTeam, pointRows, stageRows, sweepBreakEven, timelineRows, totalCost }
  from '../../../plots/rows.js';
import { scaleTypes, withScales } from '../../../plots/pareto_layout.js';
import { chartConfig } from '../../../plots/theme.js';

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const specs = JSON.parse(byId('specs').textContent);
const views = new Map();

// Colours are the page's own variables: a picture follows the theme, and paper, without being redrawn.
const names = ['paper', 'ink', 'soft', 'line', 'busy', 'waiting', 'alert', 'accent'];
const colours = Object.fromEntries(names.map((name) => [name, `var(--${name})`]));
colours.series = Array.from({ length: 12 }, (_, i) => `var(--series-${i})`);

// A chart's size on the screen.
const sizeOf = (figure) =>
  ({ width: figure.querySelector('.chart').clientWidth, height: specs[figure.dataset.chart].height });

function rowsOf(figure, hourValue, size = sizeOf(figure)) {
  switch (figure.dataset.chart) {
    case 'stages': return stageRows(data.result);
    case 'gpu_time': return gpuTimeRows(data.result);
    case 'break_even': return breakEvenRows(data.points, hourValue);
    case 'timeline': return timelineRows(data.timeline[Number(figure.dataset.section)], data.stages);
    default: return pointRows(data.points, hourValue, size);
  }
}

async function drawChart(figure, hourValue) {
  const { vega, vegaLite, vegaEmbed } = window;
  const spec = specs[figure.dataset.chart];
  const rows = rowsOf(figure, hourValue);
  const place = figure.querySelector('.chart');
  const config = chartConfig(colours, rows, place.clientWidth);
  const compiled = vegaLite.compile({ ...withScales(spec, rows), datasets: { [spec.data.name]: rows } }, { config, logger: vega.logger(vega.Error) });
  const { view } = await vegaEmbed(place, compiled.spec, {
    mode: 'vega', actions: false, renderer: 'svg', ast: true, logLevel: vega.Error,
    tooltip: { disableDefaultStyle: true },
  });
  const picture = place.querySelector('svg');
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', figure.querySelector('h3').textContent);
  // One picture with one name: what Vega calls its marks is for pictures that are read mark by mark.
  picture.firstElementChild.setAttribute('aria-hidden', 'true');
  views.get(figure)?.view.finalize();
  views.set(figure, { view, name: spec.data.name, scales: scaleTypes(spec, rows) });
}

async function drawCharts(hourValue) {
  if (!window.vegaEmbed) return;
  for (const figure of document.querySelectorAll('figure[data-chart]')) await drawChart(figure, hourValue);
  document.documentElement.dataset.drawn = innerWidth;
}

// A window of another width, or a telephone turned round: names and ticks are laid out anew.
function prepareResize(hourValueNow) {
  let waiting = 0;
  window.addEventListener('resize', () => {
    clearTimeout(waiting);
    if (String(innerWidth) === document.documentElement.dataset.drawn) return;
    waiting = setTimeout(() => drawCharts(hourValueNow()), 120);
  });
}

async function redraw(hourValue) {
  for (const [figure, { view, name, scales }] of views) {
    if (!['points', 'break_even'].includes(name)) continue;
    const rows = rowsOf(figure, hourValue);
    if (scaleTypes(specs[figure.dataset.chart], rows) !== scales) {
      await drawChart(figure, hourValue);
      continue;
    }
    await view.change(name, window.vega.changeset().remove(() => true).insert(rows)).runAsync();
  }
}

const setting = ({ set }) => Object.entries(set).map(([key, value]) => `${key} = ${value}`).join(', ') || 'as written';

function bestWords({ fastest, cheapest }, hourValue) {
  const hours = (result) => (hourValue > 0 ? ` (${money(totalCost(result, hourValue))} including the value of the hours)` : '');
  const outcome = ({ result }) => `${duration(result.time.total_s)}, ${money(result.cost.money_usd)}${hours(result)}`;
  const [first, second] = [data.points[fastest], data.points[cheapest]];
  return fastest === cheapest
    ? `${setting(first)} is both the fastest and the cheapest of ${data.points.length} ${data.points.length === 1 ? 'point' : 'points'}: ${outcome(first)}.`
    : `Fastest: ${setting(first)} (${outcome(first)}). Cheapest: ${setting(second)} (${outcome(second)}).`;
}

const neverPay = 'More instances cost more than the fewest, whatever their efficiency.';
const hourIsWorthNothing = 'Give an hour a value to see the efficiency above which more instances pay off.';

function breakEvenWords(hourValue) {
  const least = sweepBreakEven(data.points, hourValue);
  const words = least.map(({ instances, efficiency }, i) =>
    `${efficiency === null ? 'never' : number(efficiency)} for ${count(instances)}${i === 0 ? ' instances' : ''}`);
  if (!(hourValue > 0)) return data.points.some(isPricedTeam) ? hourIsWorthNothing : '';
  if (least.length === 0) return '';
  if (least.every(({ efficiency }) => efficiency === null)) return neverPay;
  return `Break-even efficiency S*: ${words.join(', ')}. Above it they cost less than the fewest.`;
}

function write(id, text) {
  const place = byId(id);
  if (place && place.textContent !== text) place.textContent = text;
}

// What 90 % of the draws cost in all is known at the value of an hour that they were drawn with, and where hours are
// worth nothing; elsewhere nothing is said.
function totalBand(hourValue) {
  const { bands } = data.result;
  if (!bands) return '';
  const own = Number(byId('hour_exact').defaultValue);
  const band = hourValue === own ? bands.total_usd : hourValue === 0 ? bands.money_usd : null;
  if (band === null) return '';
  const [low, high] = [money(band[0]), money(band[2])];
  return low === high ? '' : `${low} to ${high}`;
}

function writeNumbers(hourValue) {
  const total = totalCost(data.result, hourValue);
  write('figure_total', money(total));
  write('figure_total_band', totalBand(hourValue));
  write('figure_total_remark', `at ${money(hourValue)} an hour`);
  write('bill_total_band', totalBand(hourValue));
  write('bill_hours', money(total - data.result.cost.money_usd));
  write('bill_hour', `${number(hourValue)} USD/h`);
  write('bill_total', money(total));
  byId('hour').setAttribute('aria-valuetext', `${money(hourValue)} an hour`);
  if (data.points.length === 0) return;
  const best = bestPoints(data.points, hourValue);
  write('best', bestWords(best, hourValue));
  write('break_even', breakEvenWords(hourValue));
  for (const row of document.querySelectorAll('.points tbody tr')) {
    const index = Number(row.dataset.index);
    const marks = [[best.fastest === index, 'fastest'], [best.cheapest === index, 'cheapest'],
      [best.front.includes(index), 'Pareto']].filter(([holds]) => holds).map(([, word]) => word);
    row.classList.toggle('marked', best.fastest === index || best.cheapest === index);
    row.querySelector('.total').textContent = money(totalCost(data.points[index].result, hourValue));
    row.querySelector('.marks').textContent = marks.join(', ');
  }
}

function prepareSlider() {
  const [range, exact] = [byId('hour'), byId('hour_exact')];
  if (range.dataset.fixed === 'true') return null;
  range.disabled = exact.disabled = false;
  const step = Number(range.dataset.step);
  let redrawn = Promise.resolve();
  const change = (hourValue) => {
    writeNumbers(hourValue);
    redrawn = redrawn.then(() => redraw(hourValue));
  };
  range.addEventListener('input', () => {
    const value = Number((Math.round(Number(range.value) / step) * step).toPrecision(12));
    exact.value = value;
    change(value);
  });
  exact.addEventListener('input', () => {
    const value = Number(exact.value);
    if (exact.value === '' || !Number.isFinite(value) || value < 0) return;
    range.value = value;
    change(value);
  });
  return Number(exact.value);
}

function prepareTheme() {
  const button = byId('theme');
  const isDark = () => document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const name = () => { button.textContent = isDark() ? 'Light colours' : 'Dark colours'; };
  button.hidden = false;
  button.addEventListener('click', () => {
    const chosen = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem('feedrate-theme', chosen); } catch { /* not kept */ }
    name();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
  name();
}

// On paper, A4 or Letter less the margins, pictures have its width; the one beside the bill (page.css) has half of it.
const widthOfPaper = 690;
const besideBill = { width: 325, height: 150 };

function preparePrint(hourValueNow) {
  const fit = (paperSize) => {
    for (const [figure, { view, name }] of views) {
      const size = paperSize(figure);
      view.change(name, window.vega.changeset().remove(() => true).insert(rowsOf(figure, hourValueNow(), size)));
      if (typeof size.height === 'number') view.height(size.height);
      view.width(size.width).run();
    }
  };
  window.addEventListener('beforeprint', () => {
    const isSheet = document.querySelector('main [open]') === null;
    fit((figure) => (isSheet && figure.dataset.chart === 'pareto' ? besideBill : { ...sizeOf(figure), width: widthOfPaper }));
  });
  window.addEventListener('afterprint', () => fit(sizeOf));
}

prepareTheme();
const hourValue = prepareSlider();
const hourValueNow = () => (hourValue === null ? null : Number(byId('hour_exact').value));
preparePrint(hourValueNow);
if (hourValue !== null) writeNumbers(hourValue);
await drawCharts(hourValue);
prepareResize(hourValueNow);

// The report's charts, drawn anew from each answer: its specifications, rows, and colours.
import { withScales } from '../../../plots/pareto_layout.js';
import { chartConfig } from '../../../plots/theme.js';

// The page's own variables: a picture follows the theme without being redrawn.
const chartColours = Object.fromEntries(['paper', 'ink', 'soft', 'line', 'busy', 'waiting', 'alert', 'accent']
  .map((name) => [name, `var(--${name})`]));
chartColours.series = Array.from({ length: 12 }, (_, i) => `var(--series-${i})`);

async function drawPicture(figure, spec, rows) {
  const { vega, vegaLite, vegaEmbed } = globalThis;
  const place = figure.querySelector('.chart');
  const config = chartConfig(chartColours, rows, place.clientWidth);
  const compiled = vegaLite.compile({ ...withScales(spec, rows), datasets: { [spec.data.name]: rows } }, { config, logger: vega.logger(vega.Error) });
  const { view } = await vegaEmbed(place, compiled.spec, {
    mode: 'vega', actions: false, renderer: 'svg', ast: true, logLevel: vega.Error, tooltip: { disableDefaultStyle: true },
  });
  const picture = place.querySelector('svg');
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', figure.querySelector('h3').textContent);
  // One picture with one name: what Vega says of each mark has no name of its own.
  picture.firstElementChild.setAttribute('aria-hidden', 'true');
  return view;
}

/// {show({CHART: rows of its size, …})}: draws the figures of those charts, the last rows only where they come faster
/// than pictures are drawn. The rows are a function of {width, height} in pixels. Resolves when all is drawn.
export function startPictures(specs) {
  const shown = new Map();  // chart → {view, rows}
  const wanted = new Map();
  let drawing = Promise.resolve();
  const next = async () => {
    const [first] = wanted;
    if (!first) return;
    const [chart, rowsOf] = first;
    wanted.delete(chart);
    const figure = document.querySelector(`figure[data-chart="${chart}"]`);
    const rows = rowsOf({ width: figure.querySelector('.chart').clientWidth, height: specs[chart].height });
    figure.hidden = rows.length === 0;
    if (rows.length > 0) {
      shown.get(chart)?.view.finalize();
      shown.set(chart, { view: await drawPicture(figure, specs[chart], rows), rowsOf });
    }
    await next();
  };
  const show = (rowsByChart) => {
    for (const [chart, rowsOf] of Object.entries(rowsByChart)) {
      wanted.delete(chart);
      wanted.set(chart, rowsOf);
    }
    drawing = drawing.then(next);
    return drawing;
  };
  // A window of another width, or a telephone turned round.
  let waiting = 0;
  let width = innerWidth;
  globalThis.addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => show(Object.fromEntries([...shown].map(([chart, { rowsOf }]) => [chart, rowsOf]))), 120);
  });
  return { show };
}

// How charts look. Specifications say what is drawn; colours and fonts come from here, so that one
// specification serves light, dark and print.

const sans = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif';

/** Colours for the config of a picture that stands alone. The page's own are in page.css. */
export const palettes = {
  light: {
    paper: '#ffffff', ink: '#1b2530', soft: '#55616e', line: '#dfe4e9', busy: '#14706b', waiting: '#8b97a3',
    alert: '#b4380f', accent: '#1f5fae',
    series: ['#1f5fae', '#b4380f', '#14706b', '#8a5a00', '#7a3f98', '#55616e', '#1f7899', '#a83266', '#4c7a1c', '#4a48b0',
      '#7d4a35', '#6b6400'],
  },
  dark: {
    paper: '#12171d', ink: '#e7ecf1', soft: '#a4b0bc', line: '#2c3640', busy: '#4fb8ae', waiting: '#8b97a3',
    alert: '#ff8a5c', accent: '#7ab2f5',
    series: ['#7ab2f5', '#ff8a5c', '#4fb8ae', '#e0b04c', '#c79be6', '#a4b0bc', '#74cbe8', '#f08db6', '#a5cf6a', '#a9a8ff',
      '#d6a48c', '#d2d36b'],
  },
};

// As many names beside each other as fit, on paper too.
function legendColumns(rows, width) {
  const letters = Math.max(...rows.map(({ stage, series }) => (series ?? stage ?? '').length));
  return Math.max(1, Math.floor((Math.min(width, 700) - 90) / (34 + 7 * letters)));
}

/** A Vega-Lite config of these colours for these rows; `width` for pictures that no page gives a width. */
export function chartConfig(colours, rows, width = 640) {
  const text = { font: sans, fontSize: 12, color: colours.ink };
  return {
    background: 'transparent', font: sans, padding: { left: 4, top: 4, right: 10, bottom: 4 },
    view: { stroke: null, continuousWidth: width, continuousHeight: 220 },
    axis: {
      labelColor: colours.soft, titleColor: colours.soft, labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 'normal', gridColor: colours.line, domain: false, ticks: false, labelPadding: 6,
      titlePadding: 8, tickCount: 5, labelOverlap: 'greedy', labelSeparation: 6, labelLimit: 160,
    },
    axisX: { domain: true, domainColor: colours.line },
    axisXQuantitative: { labelOverlap: 'parity', labelSeparation: 8, tickCount: width < 480 ? 3 : 6 },
    legend: {
      labelColor: colours.ink, titleColor: colours.soft, labelFontSize: 12, orient: 'top',
      symbolStrokeWidth: 3, columnPadding: 14, offset: 6, columns: legendColumns(rows, width), labelLimit: 240,
      titleFontWeight: 'normal', titleFontSize: 12, titleOrient: 'left',
    },
    // Shapes tell series apart where colours do not. A diamond means break-even or bottleneck, never a series.
    range: {
      category: colours.series,
      symbol: ['circle', 'square', 'triangle-up', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'],
    },
    text,
    mark: { color: colours.accent },
    line: { strokeWidth: 2 },
    point: { filled: true, size: 55, opacity: 1 },
    style: {
      busy: { color: colours.busy },
      waiting: { color: colours.waiting },
      alert: { color: colours.alert, stroke: colours.ink, strokeWidth: 1.5 },
      pace: { color: colours.busy, stroke: colours.ink, strokeWidth: 1.5 },
      soft: { color: colours.soft },
      'on-bar': { color: colours.paper },
      halo: { color: colours.paper, stroke: colours.paper, strokeWidth: 4, fontWeight: 'bold' },
      strong: { color: colours.ink, fontWeight: 'bold' },
      reference: { color: colours.ink, strokeDash: [4, 3], strokeWidth: 1 },
      front: { color: colours.ink, strokeWidth: 1.25, strokeDash: [2, 2] },
      headroom: { color: colours.waiting, strokeWidth: 2 },
      hollow: { fill: colours.paper, strokeWidth: 1.5 },
    },
  };
}

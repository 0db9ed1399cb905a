// An answer as a person reads it, beside that of the start.
import { count, duration, money, number, percent, rate } from '../../../plots/numbers.js';

const element = (name, text = '', attributes = {}) => {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const stageName = (stage) => (stage === 'gpu' ? 'GPU' : stage.replaceAll('_', ' '));

// Less is better, higher is better, or neither.
const figures = [
  ['Time', (r) => r.time.total_s, duration, -1, 'total_s'],
  ['Epoch', (r) => r.time.epoch_s, duration, -1, 'epoch_s'],
  ['Cost', (r) => r.cost.money_usd, money, -1, 'money_usd'],
  ['Total cost', (r) => r.cost.total_usd, money, -1, 'total_usd'],
  ['Samples per second', (r) => r.throughput_samples_per_s, rate, 1, 'throughput_samples_per_s'],
  ['GPU busy', (r) => r.gpu_busy, percent, 1, 'gpu_busy'],
];

function change(now, before, better) {
  if (before === now || !Number.isFinite(before) || !Number.isFinite(now)) return ['as at the start', ''];
  if (before === 0) return ['', ''];
  const share = now / before - 1;
  if (Math.abs(share) < 5e-4) return ['as at the start', ''];
  const text = share > 1 ? `${number(now / before)} times the start` : `${percent(Math.abs(share))} ${share > 0 ? 'more' : 'less'} than at the start`;
  return [text, share * better > 0 ? 'good' : 'bad'];
}

export function bottleneckWords(result) {
  const b = result.bottleneck;
  if (!b || !b.stage) return 'No bottleneck: no stage’s doubled speed would save time.';
  const gain = b.gain_if_twice_as_fast;
  return `Bottleneck: ${stageName(b.stage)}. Twice as fast there, the job would take ${percent(gain)} less time.`;
}

function figureTiles(result, before) {
  return figures.map(([name, of, written, better, band]) => {
    const tile = element('div');
    tile.append(element('dt', name), element('dd', of(result) == null ? '–' : written(of(result))));
    const range = result.bands?.[band];
    const between = element('dd', range ? `${written(range[0])} to ${written(range[2])}` : ' ', { class: 'range' });
    if (range) between.title = 'nine of ten draws of the uncertain inputs lie between';
    const [text, tone] = change(of(result), of(before), better);
    tile.append(between, element('dd', text || ' ', { class: `change ${tone}` }));
    return tile;
  });
}

function row(cells, attributes = {}) {
  const made = element('tr', '', attributes);
  cells.forEach((cell, i) => made.append(cell instanceof Node ? cell : element(i === 0 ? 'th' : 'td', cell, i === 0 ? { scope: 'row' } : { class: 'right' })));
  return made;
}

function stageTableRows(result) {
  return result.stages.map((s) => {
    const busy = element('td', '', { class: 'right busy' });
    if (s.utilization != null) {
      const bar = element('span', '', { class: 'bar', 'aria-hidden': 'true' });
      const fill = element('span');
      fill.style.setProperty('--share', Math.min(1, s.utilization));
      bar.append(fill);
      busy.append(bar);
    }
    busy.append(s.utilization == null ? '–' : percent(s.utilization));
    const marked = result.bottleneck?.stage === s.stage;
    return row([stageName(s.stage), s.capacity_samples_per_s == null ? '–' : count(Math.round(s.capacity_samples_per_s)), busy,
      duration(s.stall_s), money(s.idle_gpu_usd)], marked ? { class: 'marked' } : {});
  });
}

const billRows = (cost) => cost.lines.map((line) => row([line.what, line.quantity, line.price, money(line.amount_usd)]));

export function showResult(places, result, before) {
  places.headline.textContent = `${result.instances} × ${result.instance ?? 'instance'}: ${duration(result.time.total_s)}, ${money(result.cost.money_usd)}. ${bottleneckWords(result)}`;
  places.glance.textContent = `${duration(result.time.total_s)} · ${money(result.cost.money_usd)} · GPU busy ${percent(result.gpu_busy)}`;
  places.figures.replaceChildren(...figureTiles(result, before));
  places.stages.replaceChildren(...stageTableRows(result));
  places.bill.replaceChildren(...billRows(result.cost), row(['cost', '', '', money(result.cost.money_usd)], { class: 'sum' }));
  const remarks = [...result.caveats.map((c) => (typeof c === 'string' ? c : c.text ?? JSON.stringify(c))), ...result.remarks];
  places.remarks.replaceChildren(...(remarks.length ? remarks : ['none']).map((text) => element('li', text)));
}

export function showPoints(place, points) {
  const named = (set) => Object.entries(set).map(([key, value]) => (key === 'instances' ? value : `${key} ${value}`)).join(', ');
  place.replaceChildren(...points.map(({ set, result: r }) => row([named(set), duration(r.time.total_s), money(r.cost.money_usd),
    money(r.cost.total_usd), r.gpu_busy == null ? '–' : percent(r.gpu_busy), r.bottleneck?.stage ? stageName(r.bottleneck.stage) : 'none'])));
}

const settingWords = (set) => Object.entries(set).map(([key, value]) => `${key}=${value}`).join(', ');

/// `apply(set)` is told which settings are asked for.
export function showAdvice(place, lines, apply) {
  place.replaceChildren(...lines.map(({ text, set }) => {
    const item = element('li');
    const button = element('button', 'Apply', { type: 'button', class: 'link', 'aria-label': `Apply: ${text}` });
    button.addEventListener('click', () => apply(set));
    item.append(element('span', text), ' ', element('code', settingWords(set)), ' ', button);
    return item;
  }));
}

export function showProblems(place, error, onLine) {
  const problems = error.problems.length ? error.problems : [{ message: error.message }];
  place.replaceChildren(...problems.map((p) => {
    const item = element('li');
    if (p.line > 0) {
      const jump = element('button', `line ${p.line}`, { type: 'button', class: 'link' });
      jump.addEventListener('click', () => onLine(p.line));
      item.append(jump, ' ');
    }
    if (p.key) item.append(element('code', p.key), ' ');
    item.append(p.message);
    return item;
  }));
}

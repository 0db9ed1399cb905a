// From the JSON of `run`, `sweep` and `run --trace` to the rows that the charts name as their data.
// Used by the report's page and, under Node, by `feedrate plot`.
import { duration, money, percent, rate } from './numbers.js';
import { placedNames } from './pareto_layout.js';

const secondsPerHour = 3600;
const timeUnits = [[86400, 'days'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'us']];

// One unit for a whole axis: the largest in which the longest time is at least 2.
function timeUnit(longest) {
  const [seconds, name] = timeUnits.find(([size]) => longest >= 2 * size) ?? timeUnits.at(-1);
  return { seconds, name };
}

function role(stage, result) {
  if (stage !== result.bottleneck.stage) return 'stage';
  return stage === 'gpu' ? 'pace' : 'bottleneck';
}

const roleLabel = { stage: '', pace: 'sets the pace', bottleneck: 'bottleneck' };

/** What each stage could carry alone, beside what the job gets. */
export function stageRows(result) {
  return result.stages
    .filter((row) => row.capacity_samples_per_s !== null)
    .map((row, order) => {
      const words = roleLabel[role(row.stage, result)];
      return {
        stage: row.stage, order,
        capacity: row.capacity_samples_per_s,
        job: result.throughput_samples_per_s,
        utilization: row.utilization,
        role: role(row.stage, result),
        label: rate(row.capacity_samples_per_s) + (words === '' ? '' : ` · ${words}`),
        job_label: `job: ${rate(result.throughput_samples_per_s)}/s`,
      };
    });
}

/** One GPU's time: its own work, then what it waits for, longest first. */
export function gpuTimeRows(result) {
  const total = result.time.total_s;
  const waits = result.stages
    .filter((row) => row.stall_s > 0)
    .map((row) => ({ part: row.stage, seconds: row.stall_s,
      kind: row.stage === result.bottleneck.stage ? 'bottleneck' : 'waiting' }))
    .sort((a, b) => b.seconds - a.seconds);
  return [{ part: 'busy', seconds: result.gpu_busy_s, kind: 'busy' }, ...waits].map((row, order) => ({
    ...row,
    order,
    share: row.seconds / total,
    label: `${percent(row.seconds / total)} · ${duration(row.seconds)}`,
  }));
}

/** The value of an hour that a result was made with, in USD/h. */
export function valueOfHour(result) {
  const { hour_value_usd: value } = result.cost;
  return value > 0 ? (value / result.time.total_s) * secondsPerHour : 0;
}

/** money + hours × value of an hour; null: the value that the result was made with. */
export function totalCost(result, hourValue) {
  if (hourValue === null) return result.cost.money_usd + result.cost.hour_value_usd;
  return result.cost.money_usd + result.time.total_s * (hourValue / secondsPerHour);
}

/** The whole bill as a function of the epochs' parallel efficiency: what does not shrink with them is as it was
 * simulated, all else is paid for as long as they would take. src/study/scale_out.cpp says the same. */
function costByEfficiency({ time, cost, efficiency }, hourValue) {
  const epochs = time.total_s - time.startup_s - time.staging_s;
  const shareOf = (all) => (all > 0 ? epochs / all : 0);
  const hours = hourValue === null ? cost.hour_value_usd : time.total_s * (hourValue / secondsPerHour);
  const ofEpochs = Math.min(1, shareOf(cost.billed_time_s)) * (cost.compute_usd + cost.auxiliary_usd)
    + shareOf(time.total_s) * (cost.storage_usd + hours);
  const fixed = cost.money_usd + hours - ofEpochs;
  const atOne = efficiency * ofEpochs;
  return {
    at: (share) => fixed + atOne / share,
    efficiencyFor: (total) => (total > fixed && atOne <= total - fixed ? atOne / (total - fixed) : null),
  };
}

/** Whether a point has several instances that cost something to keep: S* can be said of it. */
export const isPricedTeam = ({ result }) => result.instances > 1 && result.cost.billed_time_s > 0;

/** The point with the fewest instances that differs from `point` in nothing else; null where it is that one. */
function fewest(points, point) {
  const alike = (other) => Object.entries(point.set)
    .every(([key, value]) => /(^|[./])instances$/.test(key) || other.set[key] === value);
  const least = points.filter(alike).reduce((a, b) => (b.result.instances < a.result.instances ? b : a), point);
  return least.result.instances < point.result.instances ? least : null;
}

/** S* of each number of instances beside the fewest of the sweep, ascending; null: they never pay. None where no
 * hour has a value. */
export function sweepBreakEven(points, hourValue) {
  if (!(hourValue > 0)) return [];
  const found = new Map();
  for (const point of points.filter(isPricedTeam)) {
    const few = fewest(points, point);
    if (few === null || point.result.efficiency === null || found.has(point.result.instances)) continue;
    const total = totalCost(few.result, hourValue);
    found.set(point.result.instances, costByEfficiency(point.result, hourValue).efficiencyFor(total));
  }
  return [...found].sort(([a], [b]) => a - b).map(([instances, efficiency]) => ({ instances, efficiency }));
}

/** Indices of the fastest and the cheapest point, and of those that no other beats in both. */
export function bestPoints(points, hourValue) {
  const keys = points.map(({ result }, index) =>
    ({ index, time: result.time.total_s, cost: totalCost(result, hourValue) }));
  const by = (first, second) => (a, b) => a[first] - b[first] || a[second] - b[second] || a.index - b.index;
  const byTime = [...keys].sort(by('time', 'cost'));
  const cheapest = [...keys].sort(by('cost', 'time'))[0].index;
  const front = [];
  let least = Infinity;
  for (const key of byTime) {
    if (key.cost < least) front.push(key.index);
    least = Math.min(least, key.cost);
  }
  return { fastest: byTime[0].index, cheapest, front };
}

// The key along the axis: `instances` where it varies, else the one with the most values.
function axisKey(points) {
  const values = new Map();
  for (const { set } of points) {
    for (const [key, value] of Object.entries(set)) {
      values.set(key, (values.get(key) ?? new Set()).add(value));
    }
  }
  const varied = [...values].sort((a, b) => b[1].size - a[1].size).map(([key]) => key);
  return values.get('instances')?.size > 1 ? 'instances' : varied[0] ?? '';
}

// The keys of a sweep that have more than one value, in the order in which they are set.
function variedKeys(points) {
  return Object.keys(points[0].set).filter((key) => new Set(points.map(({ set }) => set[key])).size > 1);
}

/** What a point is called on a chart, where the sweep is over machines or how they are rented: all of it, and what comes
 * first of that. */
function namesOf(varied, set) {
  const rented = /(^|[./])(instance|purchase|region)$/;
  if (!varied.some((key) => rented.test(key))) return [];
  const parts = varied.map((key) => (rented.test(key) ? set[key] : `${key} = ${set[key]}`));
  return [parts.join(', '), parts[0]];
}

// The names on a chart: of the fastest and the cheapest, then of the rest of the Pareto front.
function chartNames(rows, points, size) {
  const varied = variedKeys(points);
  const named = rows.filter(({ best, pareto }) => best !== '' || pareto)
    .map(({ index, best }) => ({ index, must: best !== '',
      texts: best === '' ? namesOf(varied, points[index].set)
        : [...namesOf(varied, points[index].set).map((name) => `${name}: ${best}`), best] }))
    .sort((a, b) => Number(b.must) - Number(a.must));
  return new Map(placedNames(rows, named, size).map(({ index, text, align, dx, dy }) =>
    [index, { label: text, label_align: align, label_dx: dx, label_dy: dy }]));
}

/** A row a point of a sweep: `x` along the axis, `series` for what else varies; names where a chart of this size has room
 * for them. */
export function pointRows(points, hourValue, size = { width: 640, height: 230 }) {
  if (points.length === 0) return [];
  const key = axisKey(points);
  const unit = timeUnit(Math.max(...points.map(({ result }) => result.time.total_s)));
  const best = bestPoints(points, hourValue);
  const front = new Set(best.front);
  const order = [...new Set(points.map(({ set }) => set[key]))];
  const seriesOf = (set) => Object.entries(set).filter(([name]) => name !== key).map(([, value]) => value).join(', ');
  const rows = points.map(({ set, result }, index) => {
    const marks = [[best.fastest, 'fastest'], [best.cheapest, 'cheapest']].filter(([i]) => i === index);
    const words = marks.map(([, word]) => word).join(' and ');
    const cost = totalCost(result, hourValue);
    return {
      key, x: set[key] ?? 'as written', order: order.indexOf(set[key]), index,
      series: seriesOf(set),
      setting: Object.entries(set).map(([name, value]) => `${name} = ${value}`).join(', ') || 'as written',
      total_s: result.time.total_s, time: result.time.total_s / unit.seconds, time_unit: unit.name,
      money: result.cost.money_usd, total: cost,
      pareto: front.has(index),
      best: words,
      time_text: duration(result.time.total_s), total_text: money(cost),
    };
  });
  const names = chartNames(rows, points, size);
  return rows.map((row) => ({ ...row, ...(names.get(row.index) ?? { label: '' }) }));
}

/** Total cost against the fewest instances'. A line for each number of instances: by their efficiency. A mark for each
 * point: as simulated. */
export function breakEvenRows(points, hourValue) {
  if (hourValue === null) return [];
  const several = points.filter((point) => isPricedTeam(point) && point.result.efficiency !== null
    && point.result.cost.compute_usd > 0 && fewest(points, point) !== null);
  const sizes = [...new Set(several.map(({ result }) => result.instances))].sort((a, b) => a - b);
  const rows = [];
  for (const [i, instances] of sizes.entries()) {
    const first = several.find((point) => point.result.instances === instances);
    const total = totalCost(fewest(points, first).result, hourValue);
    const cost = costByEfficiency(first.result, hourValue);
    const series = String(instances);
    const relativeAt = (efficiency) => cost.at(efficiency) / total;
    for (let percentage = 20; percentage <= 100; percentage += 2) {
      rows.push({ series, instances, efficiency: percentage / 100, relative: relativeAt(percentage / 100), kind: 'line' });
    }
    const least = cost.efficiencyFor(total);
    if (least !== null) {
      rows.push({ series, instances, efficiency: least, relative: 1, kind: 'break-even', label: percent(least) });
    }
    // Each line's a bit lower: they do not meet.
    const nameAt = Math.min(0.9, Math.max(0.22, relativeAt(1) / (2.3 - 1.1 * i / sizes.length)));
    rows.push({ series, instances, efficiency: nameAt, relative: relativeAt(nameAt), kind: 'name' });
    for (const point of several.filter((other) => other.result.instances === instances)) {
      const relative = totalCost(point.result, hourValue) / totalCost(fewest(points, point).result, hourValue);
      rows.push({ series, instances, efficiency: point.result.efficiency, relative, kind: 'point' });
    }
  }
  return rows;
}

/** Spans of one section of the timeline: {tracks: [{name, spans: [[begin_s, end_s, stage, waiting, batch]]}]}.
 * `stages`: all names as a sample meets them; each keeps its colour, whichever of them a section has. */
export function timelineRows(section, stages) {
  const unit = timeUnit(section.length_s);
  const works = new Set(section.tracks.flatMap(({ spans }) => spans.filter((span) => !span[3]).map((span) => span[2])));
  const shared = { unit: unit.name, length: section.length_s / unit.seconds, all_stages: stages,
    stages: stages.filter((stage) => works.has(stage)) };
  return section.tracks.flatMap(({ name, spans }, order) =>
    spans.map(([begin, end, stage, waiting, batch]) => ({
      track: name, order, stage, batch, kind: waiting ? 'waiting' : 'work',
      begin: begin / unit.seconds, end: end / unit.seconds, middle: (begin + end) / 2 / unit.seconds, ...shared,
      label: `${waiting ? 'waits for ' : ''}${stage}, ${duration(end - begin)}`,
    })));
}

// The last section of a trace (a later epoch, where there is one) as timelineRows takes it.
function lastSection(events) {
  const pid = Math.max(...events.map((event) => event.pid));
  const own = events.filter((event) => event.pid === pid);
  const spans = own.filter(({ ph }) => ph === 'X');
  const origin = Math.min(...spans.map(({ ts }) => ts));
  const seconds = (us) => (us - origin) / 1e6;
  const tracks = own.filter(({ ph, name }) => ph === 'M' && name === 'thread_name').map(({ tid, args }) => ({
    name: args.name,
    spans: spans.filter((span) => span.tid === tid).map(({ name, cat, ts, dur, args: of }) =>
      [seconds(ts), seconds(ts + dur), name.replace(/^waiting for /, ''), cat === 'waiting', of?.batch ?? null]),
  }));
  const length = Math.max(0, ...tracks.flatMap((track) => track.spans.map(([, end]) => end)));
  return { length_s: length, tracks };
}

/** Everything that charts can be made of in a document of `feedrate … --format json`. */
export function datasets(document) {
  const points = (document.points ?? []).filter(({ result }) => result !== null);
  const first = document.result ?? points[0]?.result;
  const hourValue = first ? valueOfHour(first) : 0;
  return {
    stages: document.result ? stageRows(document.result) : [],
    gpu_time: document.result ? gpuTimeRows(document.result) : [],
    points: pointRows(points, null),
    break_even: breakEvenRows(points, hourValue),
    timeline: document.traceEvents?.length > 0 ? timelineRows(lastSection(document.traceEvents), document.otherData?.stages ?? []) : [],
  };
}

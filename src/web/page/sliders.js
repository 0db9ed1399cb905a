// Which numbers of a scenario get a slider, and how far each goes.
import { explained, keysOf } from './json_text.js';

// In this order; what stands before "…" of a list is each of its members.
const wanted = [
  ['/loader/num_workers', 'steps'], ['/loader/prefetch_factor', 'steps'], ['/loader/batch_size', 'doubles'],
  ['/loader/fetch_threads', 'steps'], ['/cluster/instances', 'doubles'], ['/cluster/gpus_per_instance', 'steps'],
  ['/preprocess/*/cpu', 'factor'], ['/job/step/per_sample', 'factor'], ['/job/step', 'factor'],
  ['/dataset/bytes_per_sample', 'factor'], ['/dataset/samples_per_object', 'doubles'], ['/dataset/samples', 'factor'],
  ['/source/connections', 'doubles'], ['/source/bandwidth', 'factor'], ['/source/first_byte_latency', 'factor'],
  ['/source/requests_per_second', 'factor'], ['/disk/bandwidth', 'factor'], ['/disk/iops', 'factor'],
  ['/cluster/network', 'factor'], ['/job/epochs', 'steps'], ['/job/steps', 'factor'], ['/job/efficiency', 'share'],
  ['/job/accumulate', 'doubles'], ['/job/value_of_hour', 'factor'],
];
// These are offered even where the scenario leaves them to their defaults.
const always = { '/loader/num_workers': 0, '/loader/prefetch_factor': 2, '/cluster/instances': 1 };
export const mostSliders = 12;

const quantity = /^\s*([0-9.]+(?:e[-+]?\d+)?)(.*)$/i;

function matches(pointer, pattern) {
  const a = keysOf(pointer);
  const b = keysOf(pattern);
  return a.length === b.length && b.every((key, i) => key === '*' || key === a[i]);
}

const rounded = (x) => Number(x.toPrecision(3));

/// Each: {pointer, label, stated, now: position, least, most, step, json(position), text(position)}
function slider(pointer, kind, value, schema) {
  const found = explained(schema, pointer);
  if (!found) return null;
  const parts = typeof value === 'string' ? quantity.exec(value) : null;
  const number = parts ? Number(parts[1]) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  const unit = parts ? parts[2] : '';
  // The schema's bounds are those of a number; of a quantity with its unit they are those of the 0 that needs none.
  const within = (x) => (parts ? Math.max(x, 0) : Math.min(Math.max(x, found.minimum ?? 0), found.maximum ?? Infinity));
  const whole = typeof value === 'number' && Number.isInteger(number) && [found.type].flat().includes('integer');
  const json = (x) => (parts ? JSON.stringify(`${x}${unit}`) : String(x));
  const text = (x) => `${x}${unit}`;
  if (kind === 'steps' || (kind === 'share' && !parts)) {
    const most = kind === 'share' ? 1 : Math.max(16, 4 * number);
    const step = kind === 'share' ? 0.01 : 1;
    const at = (position) => within(kind === 'share' ? Number(position.toFixed(2)) : position);
    return { now: number, least: kind === 'share' ? 0.01 : within(0), most: within(most), step, json: (p) => json(at(p)), text: (p) => text(at(p)) };
  }
  if (!(number > 0)) return null;
  // Positions are powers: of two, or of what ten steps make of two.
  const per = kind === 'doubles' && !parts ? 1 : 10;
  const reach = kind === 'doubles' && !parts ? 5 : 30;
  const at = (position) => {
    const x = number * 2 ** (position / per);
    return within(position === 0 ? number : whole ? Math.max(1, Math.round(per === 1 ? x : rounded(x))) : rounded(x));
  };
  const below = whole ? Math.max(-reach, -Math.floor(Math.log2(number) * per)) : -reach;
  return { now: 0, least: below, most: reach, step: 1, json: (p) => json(at(p)), text: (p) => text(at(p)) };
}

export function slidersFor(places, schema) {
  const found = [];
  const nameOf = (pointer) => {
    const keys = keysOf(pointer);
    if (keys[0] !== 'preprocess') return keys.at(-1) === 'per_sample' ? 'step, per sample' : keys.slice(1).join(' ').replaceAll('_', ' ');
    const operation = places.get(`/preprocess/${keys[1]}/operation`)?.value ?? `operation ${Number(keys[1]) + 1}`;
    return `${operation}: CPU time`;
  };
  for (const [pattern, kind] of wanted) {
    const stated = [...places].filter(([pointer, place]) => matches(pointer, pattern) && place.open === '');
    const rows = stated.map(([pointer, place]) => [pointer, place.value, true]);
    if (!rows.length && pattern in always) rows.push([pattern, always[pattern], false]);
    for (const [pointer, value, isStated] of rows) {
      const made = slider(pointer, kind, value, schema);
      if (made && found.length < mostSliders) found.push({ pointer, label: nameOf(pointer), stated: isStated, ...made });
    }
  }
  return found;
}

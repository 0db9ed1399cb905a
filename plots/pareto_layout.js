// How a chart of times and costs is laid out: its axes by what the data span, and where there is room for names.

// From here on a linear axis presses most points into a corner.
const wideSpan = 10;
// Pixels between the ends of a logarithmic axis and the points nearest to them.
const padding = 14;

/** 'log' where these values span more than a decade, else 'linear'. */
function scaleType(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0 && most / least > wideSpan ? 'log' : 'linear';
}

// 1, 2, 5 of each decade that a time or an amount may have; an axis shows those in its domain.
const decadeTicks = Array.from({ length: 22 }, (_, i) => 10 ** (i - 9))
  .flatMap((unit) => [1, 2, 5].map((digit) => Number((digit * unit).toPrecision(1))));

// The channels whose scale a specification, which may be anyone's, leaves to the data.
function asked(spec) {
  const channels = spec.usermeta?.logarithmic_where_wide;
  return Array.isArray(channels) ? channels.filter((channel) => spec.encoding?.[channel]?.field !== undefined) : [];
}

/** The types of the axes for which a specification leaves them to the data, as one text: what it is compiled for. */
export function scaleTypes(spec, rows) {
  return asked(spec).map((channel) => scaleType(rows.map((row) => row[spec.encoding[channel].field]))).join(' ');
}

/** The specification with these axes: logarithmic where `usermeta.logarithmic_where_wide` names the channel and the
 * data span more than a decade, as written otherwise. */
export function withScales(spec, rows) {
  if (asked(spec).length === 0) return spec;
  const encoding = { ...spec.encoding };
  for (const channel of asked(spec)) {
    const { field, axis } = encoding[channel];
    if (scaleType(rows.map((row) => row[field])) === 'linear') continue;
    encoding[channel] = { ...encoding[channel], scale: { type: 'log', zero: false, nice: false, padding },
      axis: { ...axis, values: decadeTicks, tickCount: decadeTicks.length, labelOverlap: 'greedy', labelBound: 8 } };
  }
  return { ...spec, encoding };
}

const beside = 75;  // the axis and the margins
const letterWidth = 7.3;
const lineHeight = 14;

// Where a value lies along an axis of this length.
function place(values, length) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (scaleType(values) === 'linear') return (value) => (most > 0 ? (value / most) * length : 0);
  return (value) => padding + (Math.log(value / least) / Math.log(most / least)) * (length - 2 * padding);
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const around = ({ x, y }, radius) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });

// Where a name may stand beside its point. No point lies below and left of the front.
const offsets = [
  { align: 'right', dx: -8, dy: 12 }, { align: 'right', dx: -10, dy: 0 }, { align: 'center', dx: 0, dy: 17 },
  { align: 'left', dx: 10, dy: 0 }, { align: 'left', dx: 8, dy: -11 }, { align: 'left', dx: 8, dy: 11 },
  { align: 'right', dx: -8, dy: -11 }, { align: 'center', dx: 0, dy: -16 },
];

function boxOf({ align, dx, dy }, { x, y }, text) {
  const width = letterWidth * text.length;
  const left = x + dx - (align === 'right' ? width : align === 'center' ? width / 2 : 0);
  return { left, right: left + width, top: y + dy - lineHeight / 2, bottom: y + dy + lineHeight / 2 };
}

// Points along the line that joins these, near enough to each other that no name stands between two.
function along(points) {
  const near = 8;
  return points.slice(1).flatMap((to, i) => {
    const from = points[i];
    const pieces = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / near);
    return Array.from({ length: pieces }, (_, piece) => piece / pieces)
      .map((share) => ({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }));
  });
}

/** Where the names of points stand in a chart of this width, and of this height of its plot: [{index, text, align, dx,
 * dy}] of those that there is room for. `named`: [{index, texts, must}], the more important first, each with shorter texts
 * for less room; one that must stand may lie over others. */
export function placedNames(rows, named, { width, height }) {
  if (rows.length === 0) return [];
  const inner = Math.max(100, width - beside);
  const across = place(rows.map((row) => row.time), inner);
  const up = place(rows.map((row) => row.total), height);
  const points = rows.map((row) => ({ x: across(row.time), y: height - up(row.total), front: row.pareto }));
  const front = points.filter((point) => point.front).sort((a, b) => a.x - b.x);
  const kept = front.map((point) => around(point, 5));
  const covered = [...points.map((point) => around(point, 4)), ...along(front).map((point) => around(point, 1))];
  const taken = [];
  const placed = [];
  for (const { index, texts, must } of named) {
    const choices = texts.map((text) => offsets.map((offset) => ({ text, offset, box: boxOf(offset, points[index], text) }))
      .filter(({ box }) => box.left >= -4 && box.right <= inner && box.top >= -8 && box.bottom <= height)
      .filter(({ box }) => must || ![...taken, ...kept].some((other) => overlap(box, other)))
      .map((choice) => ({ ...choice,
        cost: covered.filter((other) => overlap(choice.box, other)).length
          + 100 * [...taken, ...kept].filter((other) => overlap(choice.box, other)).length }))
      .sort((a, b) => a.cost - b.cost));
    const best = choices.find((of) => of.length > 0)?.[0];
    if (best === undefined) continue;
    taken.push(best.box);
    placed.push({ index, text: best.text, ...best.offset });
  }
  return placed;
}

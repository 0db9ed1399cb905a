// JSON as text with places: where each value of a document stands, and a value put in its place
// without touching the rest. What is being typed is often no JSON yet: all up to the mistake counts.

const escaped = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (key) => key.replaceAll('~1', '/').replaceAll('~0', '~');

export const keysOf = (pointer) => pointer.split('/').slice(1).map(unescaped);

/// {places: Map of JSON pointer → {start, end, from, value, open}, at: where it stops being JSON, or null}
export function placesIn(text) {
  const places = new Map();
  let at = 0;
  const blank = () => { while (at < text.length && ' \t\r\n'.includes(text[at])) ++at; };
  const broken = () => { throw new SyntaxError(String(at)); };
  const token = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) broken();
    at += found[0].length;
    return JSON.parse(found[0]);
  };
  const string = () => token(/"(?:[^"\\\u0000-\u001f]|\\.)*"/y);
  const members = (place, close, one) => {
    ++at;
    for (let first = true; ; first = false) {
      blank();
      if (text[at] === close) { ++at; return; }
      if (!first) { if (text[at] !== ',') broken(); ++at; blank(); }
      one();
    }
  };
  const value = (pointer, from) => {
    const place = { start: at, end: Infinity, from, value: undefined, open: '' };
    places.set(pointer, place);
    if (text[at] === '{') {
      place.open = '{';
      members(place, '}', () => {
        const begin = at;
        const key = string();
        blank();
        if (text[at] !== ':') broken();
        ++at;
        blank();
        value(`${pointer}/${escaped(key)}`, begin);
      });
    } else if (text[at] === '[') {
      place.open = '[';
      let i = 0;
      members(place, ']', () => value(`${pointer}/${i++}`, at));
    } else if (text[at] === '"') {
      place.value = string();
    } else {
      place.value = token(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y);
    }
    place.end = at;
  };
  try {
    blank();
    value('', at);
    blank();
    return { places, at: at < text.length ? at : null };
  } catch {
    return { places, at };
  }
}

/// The innermost value whose key or text holds the character at `offset`; '' for the document.
export function pointerAt(places, offset) {
  let best = '';
  let length = Infinity;
  for (const [pointer, place] of places) {
    const size = place.end - place.from;
    if (place.from <= offset && offset <= place.end && (size < length || best === '')) [best, length] = [pointer, size];
  }
  return best;
}

/// `text` with `json` at `pointer`; sections that are not there yet are made.
export function withValue(text, pointer, json) {
  const { places } = placesIn(text);
  const there = places.get(pointer);
  if (there) return text.slice(0, there.start) + json + text.slice(there.end);
  const keys = pointer.split('/').slice(1);
  let inside = '';
  while (keys.length > 1 && places.has(`${inside}/${keys[0]}`)) inside += `/${keys.shift()}`;
  const section = places.get(inside);
  if (section?.open !== '{' || !Number.isFinite(section.end)) return text;
  const names = keys.map(unescaped).map((key) => JSON.stringify(key));
  const made = names.slice(1).reduceRight((rest, name) => `{${name}: ${rest}}`, json);
  const last = [...places].filter(([p]) => p.startsWith(`${inside}/`) && !p.slice(inside.length + 1).includes('/')).at(-1);
  const own = `${names[0]}: ${made}`;
  if (!last) return `${text.slice(0, section.start + 1)}${own}${text.slice(section.start + 1)}`;
  const line = /\n[ \t]*$/.exec(text.slice(0, last[1].from));
  return `${text.slice(0, last[1].end)},${line ? line[0] : ' '}${own}${text.slice(last[1].end)}`;
}

/// What the JSON Schema says of the value at `pointer`; null where it knows no such key.
export function explained(schema, pointer) {
  let now = schema;
  for (const key of keysOf(pointer)) {
    const named = now.properties?.[key];
    const listed = /^\d+$/.test(key) ? now.items : undefined;
    const any = typeof now.additionalProperties === 'object' ? now.additionalProperties : undefined;
    now = named ?? listed ?? any;
    if (!now) return null;
  }
  return now;
}

// Numbers as people read them: what src/report/numbers.cpp prints, digit for digit. The page must not
// change a number's look when it computes it anew (tests/browser compares the two).

// Exact ties go to the even digit, as in C++; toFixed alone rounds them up.
function fixed(value, decimals) {
  const spare = Math.min(40, 100 - decimals);
  const exact = Math.abs(value).toFixed(decimals + spare);
  const kept = exact.slice(0, exact.length - spare).replace(/\.$/, '');
  const isTie = /^50*$/.test(exact.slice(exact.length - spare));
  if (!isTie || Number(kept.at(-1)) % 2 === 1) return value.toFixed(decimals);
  return (value < 0 ? '-' : '') + kept;
}

// Digits after the point that leave `significant` digits, judged on the rounded value.
function decimals(value, significant) {
  if (value === 0) return 0;
  const magnitude = Math.abs(value);
  let exponent = Math.floor(Math.log10(magnitude));
  const scale = 10 ** (significant - 1 - exponent);
  if (Math.round(magnitude * scale) >= 10 ** significant) ++exponent;
  return Math.max(0, significant - 1 - exponent);
}

const significant = (value, digits) => fixed(value, decimals(value, digits));
const withThousands = (digits) => digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

export function number(value) {
  if (!Number.isFinite(value)) return '-';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-6 || magnitude >= 1e15)) {
    return value.toExponential(2).replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return significant(value, 3);
}

export function count(value) {
  if (!Number.isFinite(value)) return '-';
  return value === Math.round(value) && Math.abs(value) < 1e15 ? withThousands(value.toFixed(0)) : number(value);
}

export function duration(s) {
  if (!Number.isFinite(s)) return '-';
  if (s < 0) return `-${duration(-s)}`;
  if (s === 0) return '0 s';
  if (s < 1e-3) return `${number(s * 1e6)} us`;
  if (s < 1) return `${number(s * 1e3)} ms`;
  if (s < 59.95) return `${number(s)} s`;
  if (s < 3599.5) {
    const whole = Math.round(s);
    const rest = whole % 60;
    return `${Math.floor(whole / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
  }
  return s < 360000 ? `${number(s / 3600)} h` : `${number(s / 86400)} days`;
}

export function money(dollars) {
  if (!Number.isFinite(dollars)) return '-';
  const sign = dollars < 0 ? '-' : '';
  const size = Math.abs(dollars);
  if (size === 0) return '$0.00';
  if (size < 1e-4) return `${sign}<$0.0001`;
  if (size < 0.1) return `${sign}$${significant(size, 2)}`;
  return `${sign}$${withThousands(fixed(size, 2))}`;
}

export function percent(share) {
  if (!Number.isFinite(share)) return '-';
  const p = share * 100;
  if (p === 0) return '0 %';
  if (Math.abs(p) < 0.05) return p > 0 ? '<0.1 %' : '>-0.1 %';
  if (p < 100 && p >= 99.95) return '<100 %';
  const whole = Math.abs(p) >= 9.95 && (Math.abs(p) < 99 || p === 100);
  return `${fixed(p, whole ? 0 : 1)} %`;
}

export function rate(r) {
  if (r >= 999.5e6) return `${number(r * 1e-9)} G`;
  if (r >= 999.5e3) return `${number(r * 1e-6)} M`;
  if (r >= 9999.5) return `${number(r * 1e-3)} k`;
  return r >= 999.5 ? count(Math.round(r)) : number(r);
}

// The advice as `feedrate advise` prints it in short: a line for each of the first remedies.
import { duration, money, percent } from '../../../plots/numbers.js';

const mostRemedies = 5;

function effort(hours) {
  if (hours < 0.25) return 'minutes';
  if (hours < 1) return 'half an hour';
  if (hours < 1.5) return 'an hour';
  if (hours < 8) return `${hours} hours`;
  return hours < 12 ? 'a day' : `${hours / 8} days`;
}

const signed = (dollars) => (dollars > 0 ? '+' : '') + money(dollars);

function outcome({ after, saved_usd: saved, pays }, priced) {
  return `${duration(after.total_s)}${priced ? `, ${signed(saved === 0 ? 0 : -saved)}` : ''}`
    + (pays === null ? '' : `; saves in ${percent(pays)} of draws`);
}

/// [{text, set}, …], at last what the best do together. `priced`: whether the job's hours have a price; else remedies
/// save time alone.
export function adviceLines(advice, priced) {
  const first = advice.remedies.filter((row) => row.standing === 'advised').slice(0, mostRemedies)
    .map((row) => ({ text: `${row.change} (${effort(row.effort_h)}): ${outcome(row, priced)}`, set: row.set }));
  const together = advice.together
    ? [{ text: `${advice.together.numbers.join('+')} together: ${outcome(advice.together, priced)}`, set: advice.together.set }] : [];
  return [...first, ...together];
}

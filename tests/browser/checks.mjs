// What must hold for a report, whatever the scenario.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { money, number } from '../../plots/numbers.js';
import { bestPoints } from '../../plots/rows.js';

const mostBytes = 1_500_000;
const wide = { width: 1600, height: 1000 };

/** Every chart has marks, and a table of the same section behind it. */
export async function charts(page) {
  const found = await page.$$eval('figure[data-chart]', (figures) => figures.map((figure) => ({
    name: figure.dataset.chart,
    marks: figure.querySelectorAll('[class*="mark-"][class*="role-mark"] :is(path, line, text)').length,
    shown: figure.querySelector('svg')?.getBoundingClientRect().width ?? 0,
    table: figure.closest('section').querySelector('details table, table') !== null,
  })));
  assert.ok(found.length >= 2, 'at least two charts');
  for (const chart of found) {
    assert.ok(chart.marks > 0, `${chart.name} has marks`);
    assert.ok(chart.shown > 200, `${chart.name} is ${chart.shown} px wide`);
    assert.ok(chart.table, `${chart.name} has a table behind it`);
  }
}

const numbersOf = (page) => page.evaluate(() => ({
  figures: ['figure_total', 'figure_total_remark', 'bill_hour', 'bill_hours', 'bill_total', 'best', 'break_even',
    'figure_total_band', 'bill_total_band']
    .map((id) => document.getElementById(id)?.textContent ?? null),
  points: [...document.querySelectorAll('.points tbody tr')].map((row) => row.textContent),
  marked: [...document.querySelectorAll('.points tbody tr')].map((row) => row.className),
}));

/** Without JavaScript the page says the same, digit for digit: feedrate's numbers are the page's. */
export async function withoutScript(page, still, report) {
  assert.ok(statSync(report).size < mostBytes, `${statSync(report).size} bytes`);
  await still.show(report, wide, 'light');
  assert.deepEqual(await numbersOf(page), await numbersOf(still));
  still.quiet();
}

/** Names, headings, labels: what a screen reader needs. */
export async function structure(page) {
  const problems = await page.evaluate(() => {
    const found = [];
    const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 90)}`);
    const named = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim() !== '';
    if (!document.documentElement.lang) found.push('no language');
    for (const tag of ['main', 'header', 'footer', 'h1']) {
      if (document.querySelectorAll(tag).length !== 1) found.push(`not one ${tag}`);
    }
    let level = 0;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
      const next = Number(heading.tagName[1]);
      if (next > level + 1) say('heading skips a level', heading);
      level = next;
    }
    for (const svg of document.querySelectorAll('svg')) {
      if (!svg.getAttribute('aria-label') || !svg.getAttribute('role')) say('picture without a name', svg);
    }
    for (const element of document.querySelectorAll('button, summary, a')) if (!named(element)) say('no name', element);
    for (const input of document.querySelectorAll('input')) if (input.labels.length === 0) say('no label', input);
    for (const table of document.querySelectorAll('table')) if (!named(table.caption)) say('no caption', table);
    for (const cell of document.querySelectorAll('th')) if (!cell.scope) say('no scope', cell);
    for (const [id, elements] of Map.groupBy(document.querySelectorAll('[id]'), (element) => element.id)) {
      if (elements.length > 1 && !elements[0].closest('svg')) found.push(`id ${id} twice`);
    }
    for (const section of document.querySelectorAll('section')) {
      const label = section.getAttribute('aria-labelledby');
      if (label && !document.getElementById(label)) found.push(`no heading ${label}`);
    }
    return found;
  });
  assert.deepEqual(problems, []);
}

/** WCAG AA: 4.5 : 1 for text, 3 : 1 where it is large. */
export async function contrast(page) {
  const low = await page.evaluate(() => {
    const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const paperBehind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const paper = getComputedStyle(document.body).backgroundColor;
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.checkVisibility() || element.closest('script, noscript, .hidden')) continue;
      const style = getComputedStyle(element);
      const inPicture = element.closest('svg');
      const colour = inPicture ? style.fill : style.color;
      if (inPicture && colour === paper) continue;  // written on a bar
      const [a, b] = [luminance(channels(colour)), luminance(paperBehind(element))].sort((x, y) => y - x);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < (large ? 3 : 4.5)) found.add(`${ratio.toFixed(2)} ${colour} "${node.textContent.trim().slice(0, 40)}"`);
    }
    // The names of stages are written on bars in these colours.
    const hex = (colour) => [1, 3, 5].map((at) => parseInt(colour.trim().slice(at, at + 2), 16));
    const root = getComputedStyle(document.documentElement);
    for (let i = 0; i < 12; ++i) {
      const colour = root.getPropertyValue(`--series-${i}`);
      const [a, b] = [luminance(hex(colour)), luminance(channels(paper))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (!(ratio >= 4.5)) found.add(`${ratio.toFixed(2)} --series-${i} ${colour}`);
    }
    return [...found];
  });
  assert.deepEqual(low, []);
}

/** Nothing sticks out to the right. */
export async function fits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} px wide in a window of ${window}`);
  const cut = await page.$$eval('figure svg', (pictures) => pictures
    .filter((svg) => svg.getBoundingClientRect().right > innerWidth + 1).length);
  assert.equal(cut, 0, 'no picture sticks out');
  const clipped = await page.$$eval('figure svg', (pictures) => pictures.flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    const shown = (text) => getComputedStyle(text).opacity !== '0';  // ticks without room keep their words, unseen
    return [...svg.querySelectorAll('text')].filter(shown).filter((text) => {
      const box = text.getBoundingClientRect();
      return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2
        || box.bottom > frame.bottom + 2);
    }).map((text) => text.textContent);
  }));
  assert.deepEqual(clipped, [], 'no word of a picture is cut');
}

async function setHour(page, value) {
  await page.fill('#hour_exact', String(value));
  await page.dispatchEvent('#hour_exact', 'input');
}

/** At any value of an hour the page says what `feedrate run` says. */
export async function slider(page, feedrate, scenario) {
  for (const value of [0, 7.25, 1234.5]) {
    await setHour(page, value);
    const { cost, bands } = (await feedrate.json('run', scenario, '--set', `value_of_hour=${value} USD/h`)).result;
    const { figures } = await numbersOf(page);
    assert.equal(figures[0], money(cost.total_usd), `total cost at ${value}`);
    assert.equal(figures[3], money(cost.hour_value_usd), `hours at ${value}`);
    assert.equal(figures[4], money(cost.total_usd), `bill at ${value}`);
    const range = bands ? [money(bands.total_usd[0]), money(bands.total_usd[2])] : ['', ''];
    const own = value === Number(await page.getAttribute('#hour_exact', 'value'));
    for (const shown of [figures[7], figures[8]]) {
      if (shown) assert.equal(shown, range.join(' to '), `range of the total cost at ${value}`);
      if ((own || value === 0) && range[0] !== range[1]) assert.ok(shown !== null && shown !== '', `a range at ${value}`);
    }
  }
  await page.locator('#hour').focus();
  await page.keyboard.press('Home');
  assert.equal((await numbersOf(page)).figures[1], 'at $0.00 an hour');
}

/** The points of a report's sweep are those of `feedrate sweep`, at two values of an hour. */
export async function sweeps(page, feedrate, scenario, varied) {
  const vary = varied.flatMap((text) => ['--vary', text]);
  await page.show(await feedrate.report(scenario, ...vary), wide, 'light');
  for (const value of [0, 2, 60]) {
    await setHour(page, value);
    const sweep = await feedrate.json('sweep', scenario, ...vary, '--set', `value_of_hour=${value} USD/h`);
    const shown = await page.$$eval('.points tbody tr', (rows) => rows.map((row) =>
      [row.querySelector('.total').textContent, row.querySelector('.marks').textContent]));
    const marks = (i) => [[sweep.fastest === i, 'fastest'], [sweep.cheapest === i, 'cheapest'],
      [sweep.pareto.includes(i), 'Pareto']].filter(([holds]) => holds).map(([, word]) => word).join(', ');
    assert.deepEqual(shown, sweep.points.map(({ result }, i) => [money(result.cost.total_usd), marks(i)]));
    const words = await page.textContent('#break_even');
    const several = sweep.points.find(({ result }) => result.instances > 1);
    const firsts = new Map(sweep.points.filter(({ scale_out }) => scale_out !== null)
      .map(({ result, scale_out }) => [result.instances, scale_out.break_even_efficiency]));
    if (value > 0 && several) {
      const parts = [...firsts].sort(([a], [b]) => a - b).map(([instances, efficiency], i) =>
        `${efficiency === null ? 'never' : number(efficiency)} for ${instances}${i === 0 ? ' instances' : ''}`);
      assert.equal(words, [...firsts.values()].every((efficiency) => efficiency === null)
        ? 'More instances cost more than the fewest, whatever their efficiency.'
        : `Break-even efficiency S*: ${parts.join(', ')}. Above it they cost less than the fewest.`);
    } else {
      assert.equal(words, several ? 'Give an hour a value to see the efficiency above which more instances pay off.' : '');
    }
  }
  page.quiet();
}

/** The chart of a sweep over machines names the best, at any value of an hour. */
export async function machines(page, feedrate) {
  const scenario = 'scenarios/teams/classifier.json';
  const filter = ['--instances', 'gpu>=A10G, region=us-east-1, price<40'];
  await page.show(await feedrate.report(scenario, ...filter), wide, 'light');
  assert.equal(await page.locator('figure[data-chart="scaling_time"]').count(), 0, 'machines have no order');
  const { points } = await feedrate.json('sweep', scenario, ...filter);
  for (const value of [0, 5, 5000]) {
    await setHour(page, value);
    const best = bestPoints(points, value);
    const expected = [[best.fastest, 'fastest'], [best.cheapest, 'cheapest']].map(([i, word]) =>
      `${points[i].set.instance}, ${points[i].set.purchase}: ${best.fastest === best.cheapest ? 'fastest and cheapest' : word}`);
    await page.waitForFunction((names) => {
      const texts = [...document.querySelectorAll('figure[data-chart="pareto"] text')].map((text) => text.textContent);
      return names.every((name) => texts.includes(name));
    }, expected, { timeout: 10000 }).catch(() => assert.fail(`no name ${expected.join(' or ')} at ${value}`));
    const named = await page.$$eval('figure[data-chart="pareto"] .mark-text.role-mark text', (texts) => new Set(texts.map((text) => text.textContent)).size);
    assert.ok(named <= best.front.length + 1 && named < points.length / 4, `${named} names`);
    await fits(page);
  }
  await page.reshape({ width: 400, height: 800 }, 'light');
  await fits(page);
  page.quiet();
}

export async function fixedHour(page, still, feedrate) {
  const report = await feedrate.report('scenarios/total_cost_24h_p3.json', '--vary', 'value_of_hour=1 USD/h,5 USD/h');
  await page.show(report, wide, 'light');
  assert.ok(await page.isDisabled('#hour'));
  await withoutScript(page, still, report);
  await charts(page);
  page.quiet();
}

export async function controls(page, feedrate, screenshots) {
  await page.show(await feedrate.report('scenarios/caltech256_p3.json'), wide, 'light');
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  const light = await paper();
  await page.click('#theme');
  assert.notEqual(await paper(), light, 'the button changes the colours');
  await contrast(page);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await paper(), 'rgb(255, 255, 255)', 'paper is white, whatever the screen is');
  assert.equal(await page.isVisible('#theme'), false);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const widest = () => page.$$eval('figure svg', (pictures) => Math.max(...pictures.map((svg) => svg.getAttribute('width'))));
  assert.ok(await widest() < 720, 'pictures are as wide as paper');
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.ok(await widest() > 1200, 'and as wide as the window again');
  await page.emulateMedia({ media: 'print' });
  const pdf = await page.pdf({ path: join(screenshots, 'caltech256_p3.pdf'), format: 'A4' });
  assert.ok(pdf.length > 20_000);
  page.quiet();
}

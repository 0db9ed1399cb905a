// What axe-core, which knows the rules for screen readers, finds in the pages.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const window = { width: 1300, height: 900 };

/** Its text; null where it is not installed. */
export function axeOf(sources) {
  const file = join(sources, 'plots/node_modules/axe-core/axe.min.js');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Violations, of what is closed too, in words. */
export async function violations(page, axe) {
  await page.evaluate(() => { for (const details of document.querySelectorAll('details')) details.open = true; });
  await page.evaluate(axe);
  return page.evaluate(async () => (await globalThis.axe.run(document)).violations
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`));
}

async function nothingFound(page, axe, show) {
  for (const colours of ['light', 'dark']) {
    await show(colours);
    assert.deepEqual(await violations(page, axe), [], colours);
  }
}

/** [name, body] pairs; none, and a word, where axe-core is not installed. */
export function accessible(feedrate, sources, folder) {
  const axe = axeOf(sources);
  if (axe === null) {
    console.log('accessibility: left out: axe-core is not installed (npm ci --prefix plots)');
    return [];
  }
  const team = ['classifier', 'detector', 'language'].map((job) => `scenarios/teams/${job}.json`);
  const found = (name, make) => [`axe-core finds nothing in ${name}`, async ({ page }) => {
    const { file, charts } = await make();
    await nothingFound(page, axe, (colours) => (charts ? page.show : page.open)(file, window, colours));
  }];
  return [
    ['axe-core finds what is wrong', async ({ page }) => {
      await page.open(await feedrate.report(...team), window, 'light');
      await page.evaluate(() => document.querySelector('main').append(document.createElement('img')));
      assert.match(String(await violations(page, axe)), /image-alt/);
    }],
    found('a report', async () => ({ file: await feedrate.report(team[0]), charts: true })),
    found('a report of interruptions', async () => ({ file: await feedrate.report('scenarios/spot_checkpoints.json'), charts: true })),
    found('a report of machines', async () => ({ file: await feedrate.report(team[0], '--instances', 'gpu=V100-SXM2-16GB'), charts: true })),
    found('the page of who pays for what', async () => ({ file: await feedrate.report(...team), charts: false })),
    found('the heat map', async () => ({ file: await feedrate.heatMap(folder, team[0]), charts: false })),
  ];
}

// Opens the reports of all shipped scenarios, and of a hostile one, in Chromium.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessible } from './accessible.mjs';
import { Feedrate } from './feedrate.mjs';
import { hostile } from './hostile.mjs';
import { run } from './lanes.mjs';
import { paper } from './paper.mjs';
import * as checks from './checks.mjs';

const [binary, sources, screenshots, executablePath, chosen = ''] = process.argv.slice(2);
const { chromium } = createRequire(join(sources, 'plots/package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'feedrate-browser-'));
const feedrate = new Feedrate(binary, sources, folder);
mkdirSync(screenshots, { recursive: true });

const picture = (page, name) => page.screenshot({ path: join(screenshots, `${name}.jpg`), type: 'jpeg', quality: 85, fullPage: true });

// What holds for the report of any scenario, wide and narrow.
const ofScenario = (scenario, name) => [`${name}: complete and quiet, at both widths, its numbers those of feedrate`,
  async ({ page, still }) => {
    const report = await feedrate.report(scenario);
    await page.show(report, { width: 1600, height: 1000 }, 'light');
    await checks.charts(page);
    await checks.withoutScript(page, still, report);
    await checks.structure(page);
    await checks.contrast(page);
    await checks.fits(page);
    await picture(page, `${name}-1600-light`);
    await checks.slider(page, feedrate, scenario);
    await page.reshape({ width: 400, height: 800 }, 'dark');
    await checks.charts(page);
    await checks.contrast(page);
    await checks.fits(page);
    await picture(page, `${name}-400-dark`);
    page.quiet();
  }];

const shipped = readdirSync(join(sources, 'scenarios')).filter((name) => name.endsWith('.json')).sort();
const tests = [
  ['a sweep that was asked for: points, marks and break-even are those of feedrate sweep', ({ page }) =>
    checks.sweeps(page, feedrate, 'scenarios/total_cost_24h_p3.json', ['instances=1:16:*2', 'efficiency=0.5:1:0.1'])],
  ['a sweep over a list of words', ({ page }) =>
    checks.sweeps(page, feedrate, 'scenarios/caltech256_p3.json',
      ['num_workers=1:4:1', 'instance=ml.p3.2xlarge,ml.g5.2xlarge'])],
  ['a sweep over machines names those on the Pareto front', ({ page }) => checks.machines(page, feedrate)],
  ['a sweep over the value of an hour itself has no slider', ({ page, still }) => checks.fixedHour(page, still, feedrate)],
  ['the theme button, the keyboard and paper', ({ page }) => checks.controls(page, feedrate, screenshots)],
  ...paper(feedrate, screenshots, executablePath),
  ...accessible(feedrate, sources, folder),
  ...hostile(feedrate, folder),
  ...shipped.map((file) => ofScenario(`scenarios/${file}`, file.replace('.json', ''))),
];

const asked = tests.filter(([name]) => name.includes(chosen));
if (asked.length === 0) {
  console.error(`browser tests: none has ${JSON.stringify(chosen)} in its name`);
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let failed;
try {
  failed = await run(browser, asked, 2);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${asked.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

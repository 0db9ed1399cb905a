// Opens the reports of all shipped scenarios, and of a hostile one, in Chromium.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Feedrate } from './feedrate.mjs';
import { hostile } from './hostile.mjs';
import { opened } from './page.mjs';
import * as checks from './checks.mjs';

const [binary, sources, screenshots, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(sources, 'plots/package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'feedrate-browser-'));
const feedrate = new Feedrate(binary, sources, folder);
mkdirSync(screenshots, { recursive: true });

let passed = 0;
const failures = [];
async function test(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    failures.push(name);
    console.error(`FAILED ${name}\n  ${String(error.stack).split('\n').slice(0, 6).join('\n  ')}`);
  }
}

const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  for (const file of readdirSync(join(sources, 'scenarios')).filter((name) => name.endsWith('.json')).sort()) {
    const name = file.replace('.json', '');
    const scenario = `scenarios/${file}`;
    await test(`${name}: a report is small, complete and quiet`, async () => {
      const report = feedrate.report(scenario);
      const page = await opened(browser, report, { width: 1600, height: 1000 }, 'light');
      await checks.charts(page);
      await checks.withoutScript(browser, report, page);
      await checks.structure(page);
      await checks.contrast(page);
      await checks.fits(page);
      await page.screenshot({ path: join(screenshots, `${name}-1600-light.png`), fullPage: true });
      await checks.slider(page, feedrate, scenario);
      page.quiet();
      await page.close();
    });
    await test(`${name}: narrow and dark`, async () => {
      const page = await opened(browser, feedrate.report(scenario), { width: 400, height: 800 }, 'dark');
      await checks.charts(page);
      await checks.contrast(page);
      await checks.fits(page);
      await page.screenshot({ path: join(screenshots, `${name}-400-dark.png`), fullPage: true });
      page.quiet();
      await page.close();
    });
  }
  await test('a sweep that was asked for: points, marks and break-even are those of feedrate sweep', () =>
    checks.sweeps(browser, feedrate, 'scenarios/total_cost_24h_p3.json', ['instances=1:16:*2', 'efficiency=0.5:1:0.1']));
  await test('a sweep over a list of words', () =>
    checks.sweeps(browser, feedrate, 'scenarios/caltech256_p3.json',
      ['num_workers=1:4:1', 'instance=ml.p3.2xlarge,ml.g5.2xlarge']));
  await test('a sweep over the value of an hour itself has no slider', () => checks.fixedHour(browser, feedrate));
  await test('the theme button, the keyboard and paper', () => checks.controls(browser, feedrate, screenshots));
  for (const [name, body] of Object.entries(hostile)) await test(name, () => body(browser, feedrate, folder));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

// A report on paper: one sheet, and what a reader opened.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const window = { width: 1400, height: 1000 };

const pagesOf = (pdf) => pdf.toString('latin1').match(/\/Type \/Page\b/g).length;

async function printed(page, format) {
  await page.emulateMedia({ media: null });
  return pagesOf(await page.pdf({ format }));
}

export const paper = (feedrate, screenshots, chromium) => [
  ['a report is printed on one sheet, as Chromium prints it', async () => {
    const report = await feedrate.report('scenarios/teams/classifier.json');
    const pdf = join(screenshots, 'classifier.pdf');
    await execute(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000',
      `--user-data-dir=${join(feedrate.folder, 'profile')}`, `--print-to-pdf=${pdf}`, pathToFileURL(report).href]);
    assert.equal(pagesOf(readFileSync(pdf)), 1);
  }],
  ['the sheet holds the answer, its ranges, the pipeline, what to change, the bill and a chart; A4 or Letter', async ({ page }) => {
    await page.show(await feedrate.report('scenarios/teams/classifier.json'), window, 'dark');
    assert.equal(await printed(page, 'A4'), 1);
    assert.equal(await printed(page, 'Letter'), 1);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['h1', '.headline', '.figures', '.figures .band', '.pipeline', '.change .lead', '.remedies', '.bill', '.bill .sum',
      '.sure .lead', 'figure[data-chart="pareto"] svg']) {
      assert.ok(await page.locator(part).first().isVisible(), `${part} is printed`);
    }
    for (const part of ['#theme', '.slider', '.inputs', '.points', '.times', 'figure[data-chart="stages"]', 'pre']) {
      assert.equal(await page.locator(part).first().isVisible(), false, `${part} is not printed`);
    }
    page.quiet();
  }],
  ['a sheet that compares machines names the fastest and the cheapest', async ({ page }) => {
    const flags = ['--instances', 'gpu>=A10G, region=us-east-1, price<40'];
    await page.show(await feedrate.report('scenarios/teams/classifier.json', ...flags), window, 'light');
    assert.equal(await printed(page, 'A4'), 1);
    assert.equal(await printed(page, 'Letter'), 1);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const names = await page.$$eval('figure[data-chart="pareto"] .mark-text.role-mark text', (texts) => texts.map((text) => text.textContent));
    for (const word of ['fastest', 'cheapest']) {
      assert.ok(names.some((name) => new RegExp(`^[a-z0-9-]+\\.[0-9a-z]+.*: ${word}$`).test(name)), `${names} has no ${word}`);
    }
    page.quiet();
  }],
  ['a section that was opened is printed', async ({ page }) => {
    await page.show(await feedrate.report('scenarios/teams/classifier.json'), window, 'light');
    await page.evaluate(() => { for (const details of document.querySelectorAll('main details')) details.open = true; });
    assert.ok(await printed(page, 'A4') > 5);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.inputs', '.points', '.times', 'figure[data-chart="stages"]', 'pre']) {
      assert.ok(await page.locator(part).first().isVisible(), `${part} is printed`);
    }
    page.quiet();
  }],
];

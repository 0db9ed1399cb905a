// A scenario whose author wants more than a simulation.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as checks from './checks.mjs';

const name = '</title></script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">\u2028\'"&amp;<!--🚀{{data}}';
const scenario = {
  name,
  description: `=HYPERLINK("http://x") ${name}`,
  dataset: { samples: 3000, bytes_per_sample: '110 KB' },
  source: { service: 's3', input_mode: 'FastFile' },
  loader: { num_workers: 2, batch_size: 64 },
  preprocess: [{ operation: name, cpu: '8 ms' }],
  cluster: { instance: 'ml.g5.2xlarge', region: 'us-east-1' },
  job: { epochs: 2, step: { per_sample: '1 ms' } },
};

// What was written, with the characters that a page may not hold replaced or gone.
const plain = (text) => text.replace(/[^\p{L}\p{N}<>&"'=/.-]/gu, '');

export const hostile = (feedrate, folder) => [
  ['hostile names are text and run nothing', async ({ page }) => {
    const file = join(folder, 'a<b>&\'c.json');
    writeFileSync(file, JSON.stringify(scenario));
    for (const flags of [[], ['--vary', 'num_workers=1,2']]) {
      await page.show(await feedrate.report(file, ...flags), { width: 400, height: 800 }, 'light');
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.equal(plain(await page.textContent('h1')), plain(name));
      assert.ok(plain(await page.textContent('pre')).includes(plain('window.hacked=1')));
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('script').count(), 5, 'the page\'s own scripts');
      await checks.charts(page);
      await checks.structure(page);
      await checks.fits(page);
      page.quiet();
    }
  }],
  ['a script that got into the page would still not run', async ({ page }) => {
    await page.show(await feedrate.report('scenarios/caltech256_p3.json'), { width: 900, height: 700 }, 'light');
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.body.append(script);
      const image = document.createElement('img');
      image.setAttribute('onerror', 'window.hacked = 1');
      image.src = 'data:x';
      document.body.append(image);
    });
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  }],
];

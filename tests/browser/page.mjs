// Reports in a tab that keeps account of what they do.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

/** Waits until the page has drawn its charts for the window that it is in. */
async function drawn(page, said) {
  await page.waitForFunction(() => document.documentElement.dataset.drawn === String(innerWidth), null, { timeout: 30000 })
    .catch(() => assert.fail(`charts were not drawn: ${said.join('; ') || 'nothing said'}`));
}

/** An empty tab. show() opens a report in it, open() a page without charts; page.quiet() asserts that the report loaded and said nothing. */
export async function tab(browser, { javaScriptEnabled = true } = {}) {
  const context = await browser.newContext({ javaScriptEnabled });
  const page = await context.newPage();
  let said = [];
  let requested = [];
  let url = '';
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => requested.push(request.url()));
  page.open = async (file, viewport, colorScheme) => {
    [said, requested, url] = [[], [], pathToFileURL(file).href];
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, media: 'screen' });
    if (page.url() !== 'about:blank' && javaScriptEnabled) await page.evaluate(() => localStorage.clear());
    await page.goto(url);
    return page;
  };
  page.show = async (file, viewport, colorScheme) => {
    await page.open(file, viewport, colorScheme);
    if (javaScriptEnabled) await drawn(page, said);
    return page;
  };
  page.reshape = async (viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await drawn(page, said);
  };
  page.quiet = () => {
    assert.deepEqual(said, [], 'the console stays empty');
    assert.deepEqual(requested, [url], 'nothing but the file is loaded');
  };
  page.end = () => context.close();
  return page;
}

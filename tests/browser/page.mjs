// A report in a tab of its own that keeps account of what it does.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

/** The page once its charts are drawn. page.quiet() asserts that it loaded and said nothing. */
export async function opened(browser, file, viewport, colorScheme, { javaScriptEnabled = true } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const said = [];
  const requested = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => requested.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url);
  if (javaScriptEnabled) {
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: 30000 })
      .catch(() => assert.fail(`charts were not drawn: ${said.join('; ') || 'nothing said'}`));
  }
  page.quiet = () => {
    assert.deepEqual(said, [], 'the console stays empty');
    assert.deepEqual(requested, [url], 'nothing but the file is loaded');
  };
  const close = page.close.bind(page);
  page.close = async () => { await close(); await context.close(); };
  return page;
}

// Runs tests, some at a time, each lane with tabs of its own: a tab costs as much as a test.
import { tab } from './page.mjs';

/** Runs [name, body] pairs and returns the names of those that failed. A body gets {page, still}: a tab, and one without JavaScript. */
export async function run(browser, tests, lanes) {
  const waiting = [...tests];
  const failed = [];
  const lane = async () => {
    const still = await tab(browser, { javaScriptEnabled: false });
    const page = await tab(browser);
    while (waiting.length > 0) {
      const [name, body] = waiting.shift();
      try {
        await body({ page, still });
      } catch (error) {
        failed.push(name);
        console.error(`FAILED ${name}\n  ${String(error.stack).split('\n').slice(0, 6).join('\n  ')}`);
      }
    }
    await page.end();
    await still.end();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}

// The simulator as it stands in a page, without the page.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { startEngine, unpacked } from '../../src/web/page/engine.js';

/** What stands between the tags of the page's element `id`. */
export function element(page, id) {
  const found = new RegExp(`<script [^>]*id="${id}">([^]*?)</script>`).exec(page);
  if (!found) throw new Error(`the page has no ${id}`);
  return found[1];
}

export async function engineOf(file) {
  const page = readFileSync(file, 'utf8');
  const glue = page.slice(page.indexOf('var feedrateModule'));
  const factory = vm.runInThisContext(`${glue.slice(0, glue.indexOf('</script>'))}; feedrateModule`);
  return startEngine(factory, await unpacked(element(page, 'engine').trim()));
}

// The page in Chromium, from a file: the same bytes there, sliders, mistakes, the address, widths.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { axeOf, violations } from '../browser/accessible.mjs';
import { questions } from './cases.mjs';

// The page writes into the text what the program is told by --set, which lists it in its answer.
const settingsLeftOut = (answer) => answer.replace(/\n  "set": \{[^\n]*\},\n/, '\n');

const [pageFile, feedrate, sources, executablePath, screenshots] = process.argv.slice(2);
const { chromium } = createRequire(join(sources, 'plots/package.json'))('playwright-core');
const execute = promisify(execFile);
const program = async (...words) => (await execute(feedrate, words, { cwd: sources, maxBuffer: 1 << 28 })).stdout;
const folder = mkdtempSync(join(tmpdir(), 'feedrate-web-'));
mkdirSync(screenshots, { recursive: true });

const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const said = [];
const requested = new Set();

async function open(url, viewport = { width: 1400, height: 950 }, colorScheme = 'light') {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('request', (request) => requested.add(request.url().split('#')[0]));
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 60000 });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'true', said.join('; '));
  return page;
}

const headline = (page) => page.textContent('#headline');
const settled = (page) => page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
const slide = (page, pointer, position) => page.$eval(`input[data-pointer="${pointer}"]`, (input, value) => {
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}, position).then(() => settled(page));

const later = (page) => page.waitForFunction(() => document.documentElement.dataset.later === 'done', null, { timeout: 120000 });
const shown = async (page, name) => page.$$eval('#figures > div', (tiles, wanted) => tiles
  .find((tile) => tile.querySelector('dt').textContent === wanted).querySelector('dd').textContent, name);
const pictures = (page, charts) => Promise.all(charts.map((chart) => page.$eval(`figure[data-chart="${chart}"] svg`, (svg) => svg.outerHTML)));
const allCharts = ['stages', 'gpu_time', 'scaling_time', 'scaling_cost', 'pareto'];

/** What `feedrate run` prints behind a label, up to the brackets. */
async function printed(label, ...words) {
  const line = (await program('run', ...words)).split('\n').find((one) => one.startsWith(`  ${label} `));
  return line.slice(2 + label.length).split(/[(;]/)[0].trim();
}

/** The first remedy as `feedrate advise` prints it: from its number on, lines that go on included. */
async function firstRemedy(...words) {
  const found = /^ {2}1 +(.*(?:\n {6,}\S.*)*)/m.exec(await program('advise', ...words));
  return found[1].replace(/\s+/g, ' ');
}

const tests = {
  'every shipped scenario: the bytes that the program prints': async (url) => {
    const page = await open(url);
    // Event by event takes seconds, and Node has asked for it.
    for (const { name, words, request } of questions(sources, 1).filter((q) => !q.name.endsWith('--exact'))) {
      const wanted = await program('run', ...words, '--format', 'json').catch((e) => (e.code === 2 ? null : Promise.reject(e)));
      const got = await page.evaluate((text) => globalThis.feedrate.ask(text), request);
      if (wanted === null) assert.equal(JSON.parse(got).kind, 'error', name);
      else assert.equal(got, wanted, name);
    }
  },
  'a slider writes into the text, and what the page shows is what the program says of that text': async (url) => {
    const page = await open(url);
    await page.selectOption('#examples', { label: 'caltech256_p3' });
    const before = await headline(page);
    await slide(page, '/loader/num_workers', 1);
    const text = await page.inputValue('#scenario');
    assert.equal(JSON.parse(text).loader.num_workers, 1);
    assert.notEqual(await headline(page), before);
    assert.match(await headline(page), /decode/);
    const wanted = await program('run', 'scenarios/caltech256_p3.json', '--set', 'num_workers=1', '--format', 'json');
    assert.equal(settingsLeftOut(await page.textContent('#json')), settingsLeftOut(wanted));
    const { time } = JSON.parse(wanted).result;
    assert.ok(time.total_s > 2000);
    assert.match(await page.textContent('#figures'), /times the start|more than at the start/);
    await page.click('#reset');
    await settled(page);
    assert.equal(await headline(page), before);
    // A time with its unit, as it is stated and as it is slid.
    const output = (pointer) => page.$eval(`input[data-pointer="${pointer}"]`, (input) => input.labels[0].nextElementSibling.textContent);
    assert.equal(await output('/preprocess/0/cpu'), '6.6 ms');
    await slide(page, '/preprocess/0/cpu', 10);
    assert.equal(JSON.parse(await page.inputValue('#scenario')).preprocess[0].cpu, '13.2 ms');
    assert.equal(await output('/preprocess/0/cpu'), '13.2 ms');
    // A key that the scenario leaves out is put in.
    await slide(page, '/cluster/instances', 1);
    assert.equal(JSON.parse(await page.inputValue('#scenario')).cluster.instances, 2 ** 1);
  },
  'machine, region and purchase: time and cost are those of run --set, to the printed digit': async (url) => {
    const page = await open(url);
    await page.selectOption('#examples', { label: 'caltech256_p3' });
    const file = 'scenarios/caltech256_p3.json';
    const set = {};
    const seen = new Set();
    for (const [list, key, value] of [['machine', 'instance', 'ml.p4d.24xlarge'], ['machine', 'instance', 'p3.2xlarge'],
      ['region', 'region', 'eu-west-1'], ['purchase', 'purchase', 'spot'], ['region', 'region', 'us-west-2'],
      ['machine', 'instance', 'g5.xlarge'], ['purchase', 'purchase', 'on_demand']]) {
      await page.selectOption(`#${list}`, value);
      await settled(page);
      set[key] = value;
      const words = [file, ...Object.entries(set).flatMap(([name, text]) => ['--set', `${name}=${text}`])];
      const wanted = JSON.parse(await program('run', ...words, '--format', 'json')).result;
      const { result } = JSON.parse(await page.textContent('#json'));
      assert.deepEqual([result.time, result.cost, result.instance], [wanted.time, wanted.cost, wanted.instance], words.join(' '));
      assert.equal(await shown(page, 'Time'), await printed('time', ...words));
      assert.equal(await shown(page, 'Cost'), await printed('cost', ...words));
      seen.add(await shown(page, 'Cost'));
      assert.equal(await page.inputValue(`#${list}`), value);
    }
    assert.ok(seen.size >= 6, 'each changes the cost');
    // What the machine was goes on to be what its times are of: the text alone says the same.
    const own = join(folder, 'own.json');
    writeFileSync(own, await page.inputValue('#scenario'));
    const again = JSON.parse(await program('run', own, '--format', 'json')).result;
    assert.deepEqual(again.time, JSON.parse(await page.textContent('#json')).result.time);
    await page.click('#reset');
    await settled(page);
    assert.equal(await page.inputValue('#machine'), 'ml.p3.2xlarge');
    assert.equal(await page.inputValue('#region'), '');
  },
  'what a machine cannot have is disabled, or answered as the program answers it': async (url) => {
    const page = await open(url);
    await page.selectOption('#examples', { label: 'caltech256_p3' });
    await page.selectOption('#machine', 'p3.2xlarge');
    await page.selectOption('#purchase', 'spot');
    await settled(page);
    const regions = await page.$$eval('#region option', (all) => all.map(({ value, disabled, text }) => ({ value, disabled, text })));
    const without = regions.find(({ disabled }) => disabled);
    assert.ok(without, 'a region where the machine has no spot price');
    assert.match(regions.find(({ value }) => value === 'us-east-1').text, /^us-east-1 \(\$\d+\.\d\d an hour\)$/);
    const words = ['run', 'scenarios/caltech256_p3.json', '--set', 'instance=p3.2xlarge', '--set', 'purchase=spot'];
    await assert.rejects(program(...words, '--set', `region=${without.value}`), /no spot price of p3.2xlarge/);
    for (const { value, disabled } of regions.filter((one) => one.value !== '')) {
      if (!disabled) await program(...words, '--set', `region=${value}`);
    }
    await page.selectOption('#purchase', 'savings_plan');
    await settled(page);
    const refused = await program('run', 'scenarios/caltech256_p3.json', '--set', 'instance=p3.2xlarge', '--set', 'purchase=savings_plan')
      .catch((error) => error.stderr);
    const problem = await page.textContent('#problem_list li');
    assert.ok(problem.includes('/cluster/savings'), problem);
    assert.ok(refused.replace(/\s+/g, ' ').includes(problem.replace(/^line \d+ \S+ /, '').trim()), `${problem}\n${refused}`);
    assert.equal(await page.$eval('#advice', (one) => one.ariaBusy), 'true');
  },
  'advice: its first line is that of feedrate advise, and applying it is what it says': async (url) => {
    const page = await open(url);
    await page.selectOption('#examples', { label: 'caltech256_p3' });
    await later(page);
    assert.equal(await page.textContent('#advice_lines li:first-child span'), await firstRemedy('scenarios/caltech256_p3.json'));
    await page.selectOption('#machine', 'p3.2xlarge');
    await slide(page, '/loader/num_workers', 1);
    // What was asked for before is ended: the advice is that of the last text.
    assert.equal(await page.getAttribute('#advice', 'aria-busy'), 'true');
    await later(page);
    const line = await page.textContent('#advice_lines li:first-child span');
    assert.equal(line, await firstRemedy('scenarios/caltech256_p3.json', '--set', 'instance=p3.2xlarge', '--set', 'num_workers=1'));
    const promised = /: ([^,;]+)[,;]/.exec(line)[1];
    await page.click('#advice_lines li:first-child button');
    await settled(page);
    assert.equal(await shown(page, 'Time'), promised);
  },
  'pictures: those of the report, drawn anew with each change': async (url) => {
    const page = await open(url);
    await page.selectOption('#examples', { label: 'caltech256_p3' });
    await later(page);
    const before = await pictures(page, allCharts);
    const points = JSON.parse(await program('sweep', 'scenarios/caltech256_p3.json', '--vary', 'instances=1,2,4,8,16', '--format', 'json')).points;
    const marks = await page.$$eval('figure[data-chart="pareto"] .mark-symbol path', (all) => all.length);
    assert.equal(marks, points.length);
    assert.match(await page.textContent('figure[data-chart="stages"]'), /sets the pace/);
    await slide(page, '/loader/num_workers', 1);
    await page.waitForFunction(() => /decode/.test(document.querySelector('figure[data-chart="gpu_time"]').textContent));
    assert.match(await page.textContent('figure[data-chart="stages"]'), /bottleneck/);
    await later(page);
    const after = await pictures(page, allCharts);
    allCharts.forEach((chart, i) => assert.notEqual(after[i], before[i], chart));
    const names = await page.$$eval('figure svg', (all) => all.map((svg) => svg.getAttribute('role') + svg.getAttribute('aria-label')));
    assert.ok(names.length === allCharts.length && names.every((name) => /^img./.test(name)), names.join('; '));
    await page.screenshot({ path: join(screenshots, 'whatif-pictures.png'), fullPage: true });
  },
  'mistakes are shown at their lines, and the last answer stays': async (url) => {
    const page = await open(url);
    const text = await page.inputValue('#scenario');
    await page.fill('#scenario', text.replace('"num_workers": 7', '"num_wokers": 7').replace('"6.6 ms"', '"6.6 GB"'));
    await settled(page);
    const problems = await page.$$eval('#problem_list li', (items) => items.map((item) => item.textContent));
    assert.equal(problems.length, 2, problems.join('\n'));
    const wrong = text.split('\n').findIndex((line) => line.includes('"num_workers": 7')) + 1;
    assert.ok(problems.some((p) => p.startsWith(`line ${wrong} `) && p.includes('num_workers')), problems.join('\n'));
    assert.match(await headline(page), new RegExp(`^Line ${wrong}: `));
    assert.equal(await page.$$eval('#gutter .wrong', (lines) => lines.length), 2);
    assert.ok((await page.textContent('#figures')).length > 50);
    await page.screenshot({ path: join(screenshots, 'whatif-problems.png') });
    await page.fill('#scenario', text);
    await settled(page);
    assert.equal(await page.isHidden('#problems'), true);
  },
  'the key under the cursor is explained by the schema': async (url) => {
    const page = await open(url);
    await page.$eval('#scenario', (editor) => {
      editor.focus();
      const at = editor.value.indexOf('"num_workers"') + 3;
      editor.setSelectionRange(at, at);
    });
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.textContent('#help_key'), '/loader/num_workers');
    const schema = JSON.parse(await program('schema', 'scenario', '--format', 'json'));
    const wanted = schema.properties.loader.properties.num_workers.description;
    assert.ok((await page.textContent('#help_text')).includes(wanted), wanted);
  },
  'the address holds the scenario': async (url) => {
    const page = await open(url);
    await slide(page, '/loader/num_workers', 3);
    const wanted = [await headline(page), await page.textContent('#figures')];
    await page.waitForFunction(() => location.hash.length > 10);
    const other = await open(page.url());
    assert.deepEqual([await headline(other), await other.textContent('#figures')], wanted);
  },
  'report --live: several scenarios and a host, and the simulators agree': async () => {
    const file = join(folder, 'live.html');
    copyFileSync(pageFile, join(folder, 'whatif.html'));
    const scenarios = ['scenarios/s3dataset_stream.json', 'scenarios/input_modes_fsx.json'];
    await program('report', '--live', ...scenarios, '--set', 'num_workers=5', '--host', 'scenarios/hosts/epyc_vm_2_cores.json', '--output', file);
    const page = await open(pathToFileURL(file).href);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.agrees), 'true');
    assert.match(await page.textContent('#agreement'), /same bytes/);
    assert.equal(settingsLeftOut(await page.textContent('#json')), settingsLeftOut(await program('run', scenarios[0], '--set', 'num_workers=5', '--host', 'scenarios/hosts/epyc_vm_2_cores.json', '--format', 'json')));
  },
  'narrow and wide, light and dark: nothing sticks out, everything has a name, nothing jumps': async (url) => {
    for (const [width, height, scheme] of [[1400, 950, 'light'], [1400, 950, 'dark'], [360, 740, 'light'], [360, 740, 'dark']]) {
      const page = await open(url, { width, height }, scheme);
      await page.screenshot({ path: join(screenshots, `whatif-${width}-${scheme}.png`), fullPage: true });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: wider than the window`);
      const nameless = await page.$$eval('button, input, select, textarea, [role=region]', (all) => all
        .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML));
      assert.deepEqual(nameless, []);
      const place = () => page.$eval('#stages', (rows) => rows.getBoundingClientRect().top + scrollY);
      const before = await place();
      await slide(page, '/loader/num_workers', 2);
      assert.ok(Math.abs(await place() - before) <= 1, `${width}: the table moved`);
    }
  },
  'axe-core finds nothing in it': async (url) => {
    const axe = axeOf(sources);
    if (axe === null) return console.log('axe-core is not installed (npm ci --prefix plots): left out');
    for (const scheme of ['light', 'dark']) {
      const page = await open(url, { width: 1300, height: 900 }, scheme);
      await later(page);
      assert.deepEqual(await violations(page, axe), [], scheme);
    }
  },
  'the keyboard reaches and moves a slider': async (url) => {
    const page = await open(url);
    await page.focus('input[data-pointer="/loader/num_workers"]');
    await page.keyboard.press('ArrowLeft');
    await settled(page);
    assert.equal(JSON.parse(await page.inputValue('#scenario')).loader.num_workers, 6);
    // And a list.
    await page.focus('#purchase');
    await page.keyboard.press('ArrowDown');
    await settled(page);
    assert.equal(JSON.parse(await page.inputValue('#scenario')).cluster.purchase, 'spot');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'purchase');
  },
};

let failed = 0;
const url = pathToFileURL(pageFile).href;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test(url);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}
try {
  assert.deepEqual(said, [], 'the console stays empty');
  assert.ok([...requested].every((r) => r.startsWith('file:') || r.startsWith('blob:')), `nothing but the file is loaded: ${[...requested]}`);
} catch (error) {
  ++failed;
  console.log(`FAILED  quiet\n${error.message}`);
}
await browser.close();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);

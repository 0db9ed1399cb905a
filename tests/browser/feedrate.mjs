// The program under test.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export class Feedrate {
  constructor(binary, sources, folder) {
    Object.assign(this, { binary, sources, folder, made: 0 });
  }

  async run(...words) {
    return (await execute(this.binary, words, { cwd: this.sources, maxBuffer: 1 << 28 })).stdout;
  }

  async json(...words) {
    return JSON.parse(await this.run(...words, '--format', 'json'));
  }

  /** The path of a report that was just made. */
  async report(scenario, ...flags) {
    this.made += 1;
    const file = join(this.folder, `report-${this.made}.html`);
    await this.run('report', scenario, ...flags, '--output', file);
    return file;
  }

  /** The path of a page that shows what monitors would record of a job, beside the same with more workers. */
  async heatMap(folder, scenario) {
    const [before, after, page] = ['before.jsonl', 'after.jsonl', 'heat.html'].map((name) => join(folder, name));
    await this.run('run', scenario, '--samples', before);
    await this.run('run', scenario, '--set', 'num_workers=8', '--samples', after);
    await this.run('observe', 'show', before, after, '--html', page);
    return page;
  }
}

// The program under test.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export class Feedrate {
  constructor(binary, sources, folder) {
    Object.assign(this, { binary, sources, folder, made: new Map() });
  }

  run(...words) {
    return execFileSync(this.binary, words, { cwd: this.sources, encoding: 'utf8', maxBuffer: 1 << 28 });
  }

  json(...words) {
    return JSON.parse(this.run(...words, '--format', 'json'));
  }

  /** The path of a scenario's report, made once. */
  report(scenario, ...flags) {
    const key = [scenario, ...flags].join(' ');
    if (!this.made.has(key)) {
      const file = join(this.folder, `report-${this.made.size}.html`);
      this.run('report', scenario, ...flags, '--output', file);
      if (!existsSync(file)) throw new Error(`no report of ${key}`);
      this.made.set(key, file);
    }
    return this.made.get(key);
  }
}

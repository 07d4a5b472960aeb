import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const run = promisify(execFile);

/** Each benchmark at its smallest, the first cells of the rows that it prints, and its column of time or speed. */
const BENCHMARKS = [
  {
    script: 'part/bench-part.mjs',
    args: ['--rounds', '1', '--mib', '10', '--part-mib', '5', '--targets', 'plain,sink'],
    clients: ['ours without MD5', 'ours with MD5', 'bare undici generator', 'fetch', '@aws-sdk/lib-storage'],
    rows: ['ours without MD5', 'ours with MD5', 'bare undici generator', 'fetch', '@aws-sdk/lib-storage'],
    column: 4,
  },
  {
    script: 'upload/bench-upload.mjs',
    args: ['--rounds', '1', '--files', '10x1'],
    rows: ['10 MB'],
    column: 5,
  },
  {
    script: 'batch/bench-batch.mjs',
    args: ['--files', '20', '--workers', '1', '--peers', 'batch,script,naive'],
    rows: ['batch', 'plain script', 'naive workflow'],
    column: 4,
  },
];

describe('a benchmark', () => {
  it.each(BENCHMARKS)(
    '$script measures all its peers',
    async ({ script, args, clients = [], rows, column }) => {
      const named = clients.length === 0 ? [] : ['--clients', clients.join(',')];
      const { stdout } = await run(process.execPath, [join(ROOT, 'bench', script), ...args, ...named]);
      const lines = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
      const measured = lines.filter((cells) => Number.parseFloat(cells[column] ?? '') > 0);
      expect(measured.map((cells) => cells[1])).toEqual(expect.arrayContaining(rows));
    },
  );
});

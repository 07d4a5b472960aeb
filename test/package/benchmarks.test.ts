import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const run = promisify(execFile);

/** Each benchmark at its smallest, and the rows that it prints, each with the columns that it doesn't measure. */
const BENCHMARKS: readonly {
  readonly script: string;
  readonly args: readonly string[];
  readonly rows: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    script: 'part/bench-part.mjs',
    args: ['--rounds', '1', '--mib', '10', '--part-mib', '5', '--targets', 'plain,sink', '--clients'],
    // Ratios to curl, which is not among them.
    rows: Object.fromEntries(
      ['ours without MD5', 'ours with MD5', 'bare undici generator', 'fetch', '@aws-sdk/lib-storage'].map(
        (client) => [client, ['x curl (median)', 'min–max']],
      ),
    ),
  },
  {
    script: 'upload/bench-upload.mjs',
    args: ['--rounds', '1', '--files', '10x1'],
    rows: { '10 MB': [] },
  },
  {
    script: 'batch/bench-batch.mjs',
    args: ['--files', '20', '--workers', '1', '--peers', 'batch,script,naive'],
    rows: {
      batch: [],
      'plain script': ['events/file', 'history KB/file', 'actions/file'],
      'naive workflow': [],
    },
  },
];

describe('a benchmark', () => {
  it.each(BENCHMARKS)('$script measures all its peers', async ({ script, args, rows }) => {
    const clients = args.at(-1) === '--clients' ? [Object.keys(rows).join(',')] : [];
    const { stdout } = await run(process.execPath, [join(ROOT, 'bench', script), ...args, ...clients]);
    expect(unmeasured(stdout)).toEqual(rows);
  });
});

/** Each row of the tables by its first cell, with the columns that have no figure above zero in one of them. */
function unmeasured(stdout: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const lines = stdout.split('\n').filter((line) => line.startsWith('|'));
  let titles: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    const [name = '', ...cells] = cellsOf(line);
    const isRule = name.startsWith('---');
    if (isRule) titles = cellsOf(lines[index - 1] ?? '').slice(1);
    if (isRule || lines[index + 1]?.startsWith('|---') === true) continue;
    const missing = titles.filter((title, at) => title !== 'load' && !isMeasured(cells[at] ?? ''));
    found[name] = [...new Set([...(found[name] ?? []), ...missing])];
  }
  return found;
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function isMeasured(cell: string): boolean {
  const figures = cell.match(/[\d.]+/g) ?? [];
  return figures.length > 0 && figures.every((figure) => Number(figure) > 0);
}

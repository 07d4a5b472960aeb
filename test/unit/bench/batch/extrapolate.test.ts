import { beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { useTempDir } from '../../../support/use-temp-dir';

const SCRIPT = resolve(__dirname, '..', '..', '..', '..', 'bench', 'batch', 'extrapolate.mjs');

const FIGURES = [
  {
    peer: 'batch',
    files: 1000,
    eventsPerFile: 90,
    actionsPerFile: 80,
    bytesPerFile: 9e4,
    uploadSeconds: 9,
    cpu: { workers: 9, server: 9 },
  },
  {
    peer: 'batch',
    files: 20_000,
    eventsPerFile: 42,
    actionsPerFile: 8,
    bytesPerFile: 13_000,
    uploadSeconds: 1.5,
    cpu: { workers: 0.1, server: 0.2 },
  },
  { peer: 'plain script', files: 20_000, seconds: 300 },
];

const temp = useTempDir('extrapolate');
beforeAll(async () => {
  await writeFile(join(temp.path, 'figures.json'), JSON.stringify(FIGURES));
});

/** Extrapolates from the largest batch of the figures. */
function extrapolate(...words: string[]): string {
  const figures = ['--figures', join(temp.path, 'figures.json')];
  return execFileSync(process.execPath, [SCRIPT, ...figures, ...words], { encoding: 'utf8' });
}

test.each<[first: string, words: string[], files: RegExp]>([
  ['Temporal: actions', ['--workers', '1000'], /10000000 files take 44 h/],
  ['workers', ['--workers', '1', '--actions-per-second', '0', '--files', '36000'], /36000 files take 60 min/],
  ['concurrency of the batch', ['--concurrency', '1', '--files', '1000'], /1000 files take 25 min/],
  ['service: calls', ['--calls-per-second', '4', '--files', '3600'], /3600 files take 60 min/],
  [
    'Temporal: shards',
    ['--actions-per-second', '0', '--shards', '4', '--workers', '1000', '--files', '20571'],
    /20571 files take 60 min/,
  ],
  [
    'storage: bytes',
    ['--file-bytes', '1000000', '--storage-megabytes-per-second', '1', '--files', '600'],
    /10 min/,
  ],
])('%s is the bottleneck if it is scarce', (first, words, files) => {
  const text = extrapolate(...words);
  expect(text).toContain(`${first} saturates first`);
  expect(text).toMatch(files);
});

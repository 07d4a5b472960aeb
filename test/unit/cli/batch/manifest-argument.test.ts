import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { manifestArgument, refuseFolder } from '../../../../cli/batch/manifest-argument';
import { useTempDir } from '../../../support/use-temp-dir';

const here = { cwd: '/srv', host: 'h' };

describe('a manifest argument', () => {
  test.each([
    [
      'at a relative path',
      'lists/harbour.csv',
      { kind: 'path', path: '/srv/lists/harbour.csv', host: 'h' },
      { format: 'csv', name: 'harbour.csv', sourceFolder: '/srv/lists' },
    ],
    [
      'at a URL',
      'https://files.example/lists/harbour.jsonl?sig=hush',
      { kind: 'http', label: 'https://files.example/harbour.jsonl' },
      { format: 'jsonl', name: 'harbour.jsonl', sourceFolder: '/srv' },
    ],
    [
      'in S3',
      's3://bucket/lists/harbour.ndjson',
      { kind: 's3', bucket: 'bucket', key: 'lists/harbour.ndjson' },
      { format: 'jsonl', name: 'harbour.ndjson', sourceFolder: '/srv' },
    ],
  ])('%s', (_label, text, source, expected) => {
    expect(manifestArgument(text, here)).toMatchObject({ ...expected, source });
  });

  test.each([
    ['queries of an address', 'https://h/a/m.csv?sig=1', 'https://h/a/m.csv?sig=2', true],
    ['folders of an address', 'https://h/a/m.csv', 'https://h/b/m.csv', false],
    ['keys of a bucket', 's3://bucket/a/m.csv', 's3://bucket/b/m.csv', false],
    ['ways to write a path', 'a/m.csv', '/srv/a/../a/m.csv', true],
    ['folders of a path', 'a/m.csv', 'b/m.csv', false],
  ])('with other %s is the same or not', (_label, one, other, isSame) => {
    const [first, second] = [one, other].map((text) => manifestArgument(text, here).identity);
    expect(first === second).toBe(isSame);
    expect(first).not.toContain('sig');
  });

  test('that every worker mounts names no machine', () => {
    expect(manifestArgument('/m.csv', { cwd: '/' }).source).toEqual({ kind: 'path', path: '/m.csv' });
  });

  test.each([
    ['without an extension', 'harbour', 'format'],
    ['of another scheme', 'ftp://h/m.csv', 'source'],
    ['that is a bucket', 's3://bucket', 'source.key'],
    ['that is nothing', ' ', 'source'],
  ])('%s is refused', (_label, text, field) => {
    expect(() => manifestArgument(text, here)).toThrow(
      expect.objectContaining({ code: 'Validation', facts: expect.objectContaining({ field }) }),
    );
  });

  test('without an extension is accepted with its format', () => {
    expect(manifestArgument('harbour', { ...here, format: 'csv' }).format).toBe('csv');
  });
});

const temp = useTempDir('refuse-folder');
beforeAll(async () => {
  await mkdir(join(temp.path, 'clips'));
  await writeFile(join(temp.path, 'clips.csv'), 'source\n');
});

test.each(['rows.xlsx', 'rows.XLS', 'rows.ods'])('the workbook %s is refused with what to do', (name) => {
  expect(() => manifestArgument(name, { cwd: '/work' })).toThrow(/is a workbook/);
});

test('a folder instead of a manifest is refused, with the command that makes one', async () => {
  await expect(refuseFolder('clips', temp.path)).rejects.toMatchObject({
    message: 'clips is a folder, not a manifest.',
    facts: { hint: expect.stringContaining('batches plan') },
  });
});

test.each(['clips.csv', 'none.csv', 's3://clips/a.csv', 'https://cdn.example/clips.csv'])(
  '%s is left to its reader',
  async (text) => {
    await expect(refuseFolder(text, temp.path)).resolves.toBeUndefined();
  },
);

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { namedManifest } from '../../../../cli/batch/manifest-argument';
import { useTempDir } from '../../../support/use-temp-dir';

const named = (
  text: string,
  { cwd = '/srv', host = 'h', flags = {} } = {},
): ReturnType<typeof namedManifest> => namedManifest({ cwd }, { text, flags, host });

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
  ])('%s', async (_label, text, source, expected) => {
    expect(await named(text)).toMatchObject({ ...expected, source });
  });

  test.each([
    ['queries of an address', 'https://h/a/m.csv?sig=1', 'https://h/a/m.csv?sig=2', true],
    ['folders of an address', 'https://h/a/m.csv', 'https://h/b/m.csv', false],
    ['keys of a bucket', 's3://bucket/a/m.csv', 's3://bucket/b/m.csv', false],
    ['ways to write a path', 'a/m.csv', '/srv/a/../a/m.csv', true],
    ['folders of a path', 'a/m.csv', 'b/m.csv', false],
  ])('with other %s is the same or not', async (_label, one, other, isSame) => {
    const first = (await named(one)).identity;
    const second = (await named(other)).identity;
    expect(first === second).toBe(isSame);
    expect(first).not.toContain('sig');
  });

  test('that every worker mounts names no machine', async () => {
    const shared = await namedManifest({ cwd: '/' }, { text: '/m.csv', flags: {} });
    expect(shared.source).toEqual({ kind: 'path', path: '/m.csv' });
  });

  test.each([
    ['without an extension', 'harbour', 'format'],
    ['of another scheme', 'ftp://h/m.csv', 'source'],
    ['that is a bucket', 's3://bucket', 'source.key'],
    ['that is nothing', ' ', 'source'],
  ])('%s is refused', async (_label, text, field) => {
    await expect(named(text)).rejects.toMatchObject({ code: 'Validation', facts: { field } });
  });

  test('without an extension is accepted with its format', async () => {
    expect((await named('harbour', { flags: { format: 'csv' } })).format).toBe('csv');
  });
});

const temp = useTempDir('refuse-folder');
beforeAll(async () => {
  await mkdir(join(temp.path, 'clips'));
  await writeFile(join(temp.path, 'clips.csv'), 'source\n');
});

test.each(['rows.xlsx', 'rows.XLS', 'rows.ods'])(
  'the workbook %s is refused with what to do',
  async (name) => {
    await expect(named(name)).rejects.toThrow(/is a workbook/);
  },
);

test('a folder instead of a manifest is refused, with the command that makes one', async () => {
  await expect(named('clips', { cwd: temp.path })).rejects.toMatchObject({
    message: 'clips is a folder, not a manifest.',
    facts: { hint: expect.stringContaining('batches plan') },
  });
});

test.each(['clips.csv', 'none.csv', 's3://clips/a.csv', 'https://cdn.example/clips.csv'])(
  '%s is left to its reader',
  async (text) => {
    await expect(named(text, { cwd: temp.path })).resolves.toBeDefined();
  },
);

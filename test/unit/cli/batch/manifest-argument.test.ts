import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { namedManifest } from '../../../../cli/batch/manifest-argument';
import { withSourceAccess } from '../../../../cli/context';
import { readSettings } from '../../../../settings/settings';
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
    ['without an extension', 'harbour', 'format', /does not say/],
    ['that is a workbook', 'rows.xlsx', 'format', /is a workbook/],
    ['that is an old workbook', 'rows.XLS', 'format', /is a workbook/],
    ['that is a workbook of another office', 'rows.ods', 'format', /is a workbook/],
    ['of another scheme', 'ftp://h/m.csv', 'source', /ftp/],
  ])('%s is refused', async (_label, text, field, message) => {
    const expected = { code: 'Validation', message: expect.stringMatching(message), facts: { field } };
    await expect(named(text)).rejects.toMatchObject(expected);
  });

  test('without an extension is accepted with its format', async () => {
    expect((await named('harbour', { flags: { format: 'csv' } })).format).toBe('csv');
  });
});

const temp = useTempDir('manifest');
beforeAll(async () => {
  await mkdir(join(temp.path, 'clips'));
  await writeFile(join(temp.path, 'clips.csv'), 'source\na.mp4\n');
  await writeFile(join(temp.path, 'empty.csv'), '');
});

test('a folder instead of a manifest is refused, with the command that makes one', async () => {
  await expect(named('clips', { cwd: temp.path })).rejects.toMatchObject({
    message: 'clips is a folder, not a manifest.',
    facts: { hint: expect.stringContaining('batches plan') },
  });
});

async function readFrom(cwd: string, path: string): Promise<string> {
  const { bytes } = await named(path, { cwd });
  return withSourceAccess(readSettings(), cwd, (access) =>
    textOf(bytes(access, new AbortController().signal)),
  );
}

// The reader of the rows reports that there is no byte.
test.each([
  ['clips.csv', 'source\na.mp4\n'],
  ['empty.csv', ''],
])('%s can be read wherever it is', async (name, content) => {
  expect(await readFrom(join(temp.path, 'elsewhere'), join(temp.path, name))).toBe(content);
});

test('a missing manifest is named as a manifest', async () => {
  await expect(readFrom(temp.path, 'none.csv')).rejects.toMatchObject({
    code: 'SourceMissing',
    message: `the manifest ${join(temp.path, 'none.csv')} does not exist`,
    facts: { field: 'manifest', hint: 'Check the name, and that the machine that reads it sees the file.' },
  });
});

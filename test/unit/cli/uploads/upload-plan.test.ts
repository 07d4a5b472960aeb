import { chmod, mkdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { MediaServiceError } from '../../../../api/errors';
import { planUploads, withUploadFlags } from '../../../../cli/uploads/upload-plan';
import type { PlannedUpload, UploadFlags, WrongFile } from '../../../../cli/uploads/upload-plan';
import { withoutRoot } from '../../../support/without-root';
import { useTempDir } from '../../../support/use-temp-dir';
import { ACCOUNT } from '../example-account';

const dir = useTempDir('upload-plan');
let cwd: string;
beforeAll(async () => {
  cwd = dir.path;
  await chmod(cwd, 0o755);
  await writeFile(join(cwd, 'closed.mp4'), 'film', { mode: 0o600 });
  await writeFile(join(cwd, 'clip.mp4'), 'film');
  await writeFile(join(cwd, 'other.MOV'), 'film');
  await writeFile(join(cwd, 'empty.mp4'), '');
  await writeFile(join(cwd, 'notes.txt'), 'text');
  await writeFile(join(cwd, 'metadata.json'), '{"project":{"name":"apollo"}}');
  await mkdir(join(cwd, 'folder.mp4'));
});

/** Plans the upload of a command line, with commander's own parsing. */
async function planOf(...words: string[]): ReturnType<typeof planUploads> {
  const command = withUploadFlags(new Command('upload').argument('<file...>')).exitOverride();
  command.configureOutput({ writeErr: () => undefined }).parse(words, { from: 'user' });
  return planUploads(command.args, command.opts<UploadFlags>(), { ...PLAN_OPTIONS, cwd });
}

async function plan(...words: string[]): Promise<readonly PlannedUpload[]> {
  const { planned, wrong } = await planOf(...words);
  expect(wrong).toEqual([]);
  return planned;
}

const PLAN_OPTIONS = { account: ACCOUNT, settings: { host: 'ingest-1', options: {} } };

async function only(...words: string[]): Promise<PlannedUpload['request']> {
  const [first, ...others] = await plan(...words);
  expect(others).toEqual([]);
  if (first === undefined) throw new Error('Nothing was planned.');
  return first.request;
}

describe('the flags of an upload', () => {
  test('leave out their fields if they are not given', async () => {
    expect(await only('clip.mp4')).toEqual({
      source: { kind: 'path', path: join(cwd, 'clip.mp4'), host: 'ingest-1' },
      media: {},
      ingestKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      options: {},
    });
  });

  test('each set their field of the request', async () => {
    const flags =
      '--title Harbour --tag project=apollo --tag take=2=b --library --file-type .mov --metadata {"a":[1]} --part-size 16MiB --concurrency 6 ' +
      '--accept-any-content --no-verify';
    const request = await only('clip.mp4', ...flags.split(' '));
    expect(request).toMatchObject({
      media: {
        title: 'Harbour',
        tags: { project: 'apollo', take: '2=b' },
        insights: { isLibrary: true },
        fileType: 'MOV',
      },
      metadata: { a: [1] },
      options: {
        partBytes: 16_777_216,
        concurrency: 6,
        acceptAnyContent: true,
        verifyMd5: false,
      },
    });
  });

  test.each([
    ['of a file', '@metadata.json', { project: { name: 'apollo' } }],
    [
      'with an integer of 64 bits exact, as text',
      '{"order":7615917337495231231}',
      { order: '7615917337495231231' },
    ],
  ])('can take metadata %s', async (_what, text, metadata) => {
    expect((await only('clip.mp4', '--metadata', text)).metadata).toEqual(metadata);
  });

  test('name a file as it is on disk, however its accents were typed', async () => {
    const name = 'Café.mp4'.normalize('NFD');
    await writeFile(join(cwd, name), 'film');
    expect(await only('Café.mp4')).toEqual(await only(name));
  });

  test('leave out the host with --shared-path', async () => {
    expect((await only('clip.mp4', '--shared-path')).source).not.toHaveProperty('host');
  });
});

const URL_OF_FILM = 'https://files.example/films/clip.mp4?token=abc';
const LABEL = 'https://files.example/clip.mp4';
test.each([
  ['a URL, whose query is never shown', URL_OF_FILM, LABEL, { kind: 'http', url: URL_OF_FILM, label: LABEL }],
  ['an object', 's3://films/a b.mp4', 's3://films/a b.mp4', { kind: 's3', bucket: 'films', key: 'a b.mp4' }],
  // The MIME type of the object decides.
  ['an object without extension', 's3://films/a', 's3://films/a', { kind: 's3', bucket: 'films', key: 'a' }],
])('the address of %s is a source of its own kind', async (_what, address, file, source) => {
  expect(await plan(address)).toMatchObject([{ file, request: { source } }]);
});

test('the secret of a source is passed by name with every URL', async () => {
  const planned = await plan('https://cdn.example/a.mp4', 'clip.mp4', '--source-secret', 'cdn');
  expect(planned.map(({ request }) => request.source)).toMatchObject([
    { kind: 'http', headersSecret: 'cdn' },
    { kind: 'path' },
  ]);
  expect(planned[1]?.request.source).not.toHaveProperty('headersSecret');
});

describe('the ingest key', () => {
  test('is the same for the same file and title, and differs for others', async () => {
    const key = (await only('clip.mp4')).ingestKey;
    expect((await only(join(cwd, 'clip.mp4'))).ingestKey).toBe(key);
    expect((await only('clip.mp4', '--title', 'Other')).ingestKey).not.toBe(key);
    expect((await only('other.MOV')).ingestKey).not.toBe(key);
  });

  test('differs after the file was changed', async () => {
    await writeFile(join(cwd, 'changing.mp4'), 'film');
    await utimes(join(cwd, 'changing.mp4'), 1, 1);
    const key = (await only('changing.mp4')).ingestKey;
    await utimes(join(cwd, 'changing.mp4'), 2, 2);
    expect((await only('changing.mp4')).ingestKey).not.toBe(key);
  });
});

test.each(['https', 'ftp'])('the password in a URL of %s is never shown', async (scheme) => {
  const [wrong] = await wrongOf(`${scheme}://ada:hush@files.example/clip.mp4`);
  expect(wrong?.file).toBe(`${scheme}://files.example/clip.mp4`);
  expect(String(wrong?.error)).not.toContain('hush');
});

test('several files share the values of the flags', async () => {
  const planned = await plan('clip.mp4', 'other.MOV', '--tag', 'a=b');
  expect(planned.map(({ file }) => file)).toEqual(['clip.mp4', 'other.MOV']);
  expect(planned.map(({ request }) => request.media.tags)).toEqual([{ a: 'b' }, { a: 'b' }]);
});

test('max parts from the environment go into the request and limit its part size', async () => {
  await writeFile(join(cwd, 'large.mp4'), '');
  await truncate(join(cwd, 'large.mp4'), 1_200_000_001);
  const settings = { host: 'ingest-1', options: { maxParts: 2 } };
  const message = 'the source has 1.200000001 GB, but 2 parts of at most 0.6 GB hold 1.2 GB';
  expect(
    await planUploads(['clip.mp4', 'large.mp4'], { verify: true }, { account: ACCOUNT, settings, cwd }),
  ).toMatchObject({
    planned: [{ request: { options: { maxParts: 2 } } }],
    wrong: [{ error: { code: 'Validation', message } }],
  });
});

test.each<[label: string, line: string, message: RegExp]>([
  ['an unsupported file type', 'clip.mp4 --file-type exe', /"exe" is not supported/],
  ['one title for two files', 'clip.mp4 other.MOV --title x', /--title is for one file; 2 were named/],
  ['one ingest key for two files', 'clip.mp4 other.MOV --id x', /--id is for one file/],
  ['a tag with two values', 'clip.mp4 --tag a=1 --tag a=2', /"a" is given twice/],
  ['the tag of the ingest key', 'clip.mp4 --tag ingestKey=x', /"ingestKey" carries the ingest key/],
  ['metadata that is not JSON', 'clip.mp4 --metadata {a:1}', /valid JSON/],
  ['metadata that is not an object', 'clip.mp4 --metadata [1]', /must be a JSON object/],
  ['metadata of a missing file', 'clip.mp4 --metadata @none.json', /none\.json does not exist/],
])('an argument is refused before anything starts: %s', async (_label, line, message) => {
  const failure = await plan(...line.split(' ')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MediaServiceError);
  expect(String(failure)).toMatch(message);
});

describe('a file is refused by its name before anything starts:', () => {
  test.each<[label: string, line: string, message: RegExp]>([
    ['a missing file', 'none.mp4', /none\.mp4 does not exist\.$/],
    ['a folder', 'folder.mp4', /is a folder/],
    ['a device', '/dev/null', /not a regular file/],
    ['an empty file', 'empty.mp4', /empty/i],
    ['an unsupported extension', 'notes.txt', /which the service does not accept/],
    ['an address of another kind', 'ftp://h/x.mp4', /sources of the kind ftp:\/\/ are not read/],
    ['a file named twice', 'clip.mp4 ./clip.mp4', /named twice/],
    ['a file that this user may not read', 'closed.mp4', /closed\.mp4 may not be read by this process\.$/],
  ])('%s', async (_label, line, message) => {
    const words = line.split(' ');
    const [found, ...others] = await withoutRoot(() => wrongOf(...words));
    expect(others).toEqual([]);
    expect(found?.file).toBe(words.at(-1));
    expect(found?.error).toBeInstanceOf(MediaServiceError);
    expect(String(found?.error)).toMatch(message);
  });

  test('every one of several, in their order', async () => {
    const wrong = await wrongOf('none.mp4', 'clip.mp4', 'notes.txt', 'empty.mp4');
    expect(wrong.map(({ file }) => file)).toEqual(['none.mp4', 'notes.txt', 'empty.mp4']);
  });
});

async function wrongOf(...words: string[]): Promise<readonly WrongFile[]> {
  return (await planOf(...words)).wrong;
}

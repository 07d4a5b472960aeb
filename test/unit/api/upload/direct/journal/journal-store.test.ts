import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../../../../api/upload/direct/journal/journal-entry';
import {
  journalBase,
  journalFile,
  prepareJournals,
} from '../../../../../../api/upload/direct/journal/journal-store';
import { systemClock } from '../../../../../../api/clock';
import { lockJournal } from '../../../../../../api/upload/direct/journal/journal-lock';
import { withoutRoot, writeOnFullDisk } from '../../../../../support/harsh-disk';
import { createTempDir } from '../../../../../support/temp-dir';
import type { TempDir } from '../../../../../support/temp-dir';
import { failureOf } from '../../failure-of';

const ENTRY: JournalEntry = {
  schema: 1,
  accountId: 'studio-1',
  ingestKey: 'order/4711 ü',
  meaning: 'm',
  plan: { partBytes: 5_242_880 },
  bytes: 7,
  amountOfParts: 1,
  session: { uploadId: 'u', urls: [{ partNumber: 1, url: { sealed: 'x' } }] },
  parts: [
    {
      partNumber: 1,
      offset: 0,
      bytes: 7,
      eTag: 'e',
      md5: 'd41d8cd98f00b204e9800998ecf8427e',
      verified: true,
      attempts: 1,
      ms: 3,
      fingerprint: 'f',
    },
  ],
  completeSent: false,
};

let dir: TempDir;
let folder: string;
beforeEach(async () => {
  dir = await createTempDir('journal');
  folder = path.join(dir.path, 'deep', 'uploads');
  await prepareJournals(folder, Date.now());
});
afterEach(() => dir.remove());

const open = (): ReturnType<typeof journalFile> => journalFile(journalBase(folder, ENTRY));

describe('a journal file', () => {
  test('can be read by another process as well, and is one private file', async () => {
    await open().write({ ...ENTRY, parts: [] });
    await open().write(ENTRY);
    expect(await open().read()).toEqual(ENTRY);
    const [name, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
    expect((await stat(path.join(folder, name ?? ''))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('differs for each account and key, whatever characters they hold', () => {
    const bases = [
      ['a', 'b'],
      ['a', 'B'],
      ['ab', ''],
      ['a', '../../b'],
    ].map(([accountId = '', ingestKey = '']) => journalBase('/j', { accountId, ingestKey }));
    expect(new Set(bases).size).toBe(bases.length);
    for (const base of bases) expect(path.dirname(base)).toBe('/j');
  });

  test('that does not exist reads as nothing, and can be removed', async () => {
    expect(await open().read()).toBeUndefined();
    await open().remove();
    await open().write(ENTRY);
    await open().remove();
    expect(await open().read()).toBeUndefined();
  });

  test.each([
    ['cut short', JSON.stringify(ENTRY).slice(0, 50)],
    ['of a newer schema', JSON.stringify({ ...ENTRY, schema: 2 })],
    ['with a part that has no ETag', JSON.stringify({ ...ENTRY, parts: [{ partNumber: 1 }] })],
    ['with a part that has no MD5', JSON.stringify(ENTRY).replace('"md5"', '"other"')],
    ['with a session that has no id', JSON.stringify({ ...ENTRY, session: { urls: [] } })],
    ['with an empty result', JSON.stringify({ ...ENTRY, result: {} })],
    ['that is a list', '[]'],
  ])('%s is an error that names the file, never a silent new session', async (_what, text) => {
    await writeFile(`${journalBase(folder, ENTRY)}.json`, text);
    const error = await failureOf(open().read());
    expect(error.code).toBe('Configuration');
    expect(error.message).toContain(folder);
    expect(error.facts.hint).toContain('Remove the file');
  });

  test("in a folder that can't be used is an error that names the setting", async () => {
    const file = path.join(dir.path, 'file');
    await writeFile(file, '');
    const error = await failureOf(prepareJournals(path.join(file, 'uploads'), Date.now()));
    expect(error.message).toMatch(/can't be used \(ENOTDIR\)/);
    expect(error.facts.remedy).toMatchObject({ kind: 'set-journal-folder' });
    const write = await failureOf(journalFile(path.join(dir.path, 'none', 'x')).write(ENTRY));
    expect(write.message).toMatch(/can't be used \(ENOENT\)/);
  });
});

describe('a folder of journals', () => {
  test('is refused if every user may write to it, with what to do', async () => {
    await chmod(folder, 0o777);
    const error = await failureOf(prepareJournals(folder, Date.now()));
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'stateDir']);
    expect(error.message).toContain(`${folder} can't be used: every user may write to it (mode 777)`);
    expect(error.facts.remedy).toMatchObject({ kind: 'set-journal-folder', shared: expect.any(String) });
  });

  test('keeps the existing journal whole on a full disk, and says what is wrong', async () => {
    const store = journalFile(journalBase(folder, { accountId: 'studio-1', ingestKey: 'order-1' }));
    await store.write(ENTRY);
    expect(await writeOnFullDisk('journal', folder)).toMatchObject({
      code: 'Configuration',
      message: expect.stringMatching(/^the folder of journals .* can't be used \((ENOSPC|EFBIG)\)$/),
      facts: { remedy: expect.objectContaining({ kind: 'set-journal-folder' }) },
    });
    expect(await readdir(folder)).toHaveLength(1);
    expect(await store.read()).toEqual(ENTRY);
  });

  test('is named in the error if it may not be written to, also by the lock', async () => {
    await chmod(dir.path, 0o755);
    await chmod(path.dirname(folder), 0o755);
    await chmod(folder, 0o555);
    const write = await withoutRoot(() => failureOf(open().write(ENTRY)));
    const lock = await withoutRoot(() =>
      failureOf(lockJournal(journalBase(folder, ENTRY), { host: 'here', clock: systemClock })),
    );
    for (const error of [write, lock])
      expect(error.message).toBe(`the folder of journals ${folder} can't be used (EACCES)`);
  });
});

test('preparing removes files older than 30 days once an hour, but only journals', async () => {
  const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
  const ages = { 'old.json': 31, 'new.json': 29, 'old.lock': 31, 'x.writing': 31, 'notes.txt': 400 };
  for (const [name, age] of Object.entries(ages)) {
    await writeFile(path.join(folder, name), '');
    await utimes(path.join(folder, name), days(age), days(age));
  }
  await mkdir(path.join(folder, 'folder'));
  const found = (await readdir(folder)).sort();
  await prepareJournals(folder, Date.now());
  expect((await readdir(folder)).sort()).toEqual(found);
  await prepareJournals(folder, Date.now() + 3_600_000);
  expect((await readdir(folder)).sort()).toEqual(['folder', 'new.json', 'notes.txt']);
  expect(await readFile(path.join(folder, 'new.json'), 'utf8')).toBe('');
});

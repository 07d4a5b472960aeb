import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import type { PinnedSource } from '../../../../api/upload/sources/source';
import { openSource, pinSource } from '../../../../files/sources/read-source';
import { releaseSource } from '../../../../files/sources/release-source';
import type { S3Objects } from '../../../../files/s3/s3-client';
import { pinPath } from '../../../../files/sources/path-source';
import type { SourceAccess } from '../../../../files/sources/source-access';
import { bytesOf } from '../../../support/bytes-of';
import { tempFolder } from '../../../support/after-test';
import { failureOf } from '../../api/upload/failure-of';

const COPY = '0f8fad5b-d9cb-469f-a165-70867728950e.spooled';
const BYTES = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => (at * 7919) % 251));

let root: string;
let outside: string;
let access: SourceAccess;
let file: string;
beforeEach(async () => {
  root = await tempFolder('root');
  outside = await tempFolder('outside');
  access = { roots: [root], sourceHosts: [], transport: createUndiciTransport(), unseal: String };
  file = path.join(root, 'film.mp4');
  await writeFile(file, BYTES);
});

const pin = (name = file): Promise<PinnedSource> =>
  pinSource(access, { kind: 'path', path: name, host: 'here' });

const read = (pinned: PinnedSource, ...range: [number, number, AbortSignal?]): Promise<Buffer> =>
  bytesOf(openSource(access, pinned).read(...range));

async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

async function moveAndBack(name: string): Promise<void> {
  await rename(name, `${name}.away`);
  await rename(`${name}.away`, name);
}

/** Writes other bytes, and sets the old time. */
async function overwrite(name: string): Promise<void> {
  await writeFile(
    name,
    BYTES.map((byte) => byte ^ 1),
    { flag: 'r+' },
  );
  await utimes(name, new Date(1_000_000), new Date(1_000_000));
}

async function replaceWithCopy(name: string, seconds = 1_000): Promise<void> {
  await copyFile(name, `${name}.copy`);
  await utimes(`${name}.copy`, seconds, seconds);
  await rename(`${name}.copy`, name);
}

describe('a path source in the spool folder', () => {
  const spooling = (): SourceAccess => ({ ...access, roots: [], spoolDir: root });

  it.each([
    ['that somebody put there', 'film.mp4', false],
    ['that somebody put there, and wants removed', 'film.mp4', true],
    ['that is named like a copy, and that somebody wants removed', 'film.spooled', true],
    ['that is a copy in a folder below', `below/${COPY}`, true],
    ['that is a copy, and that somebody names', COPY, false],
  ])('%s is not accepted as a source, and is kept', async (_what, name, deleteAfter) => {
    const there = path.join(root, name);
    await mkdir(path.dirname(there), { recursive: true });
    await writeFile(there, BYTES);
    const source = { kind: 'path', path: there, deleteAfter } as const;
    expect((await failureOf(pinSource(spooling(), source))).code).toBe('SourceNotAllowed');
    if (deleteAfter) {
      const refused = await failureOf(releaseSource(spooling(), source));
      expect([refused.code, refused.message]).toEqual([
        'SourceNotAllowed',
        expect.stringContaining(`the file ${there} is not deleted`),
      ]);
    }
    expect((await readFile(there)).equals(BYTES)).toBe(true);
    expect(await readdir(root)).toContain('film.mp4');
  });

  it('that is a link with the name of a copy is not followed, and its target is kept', async () => {
    const there = path.join(root, COPY);
    await symlink(file, there);
    const source = { kind: 'path', path: there, deleteAfter: true } as const;
    expect((await failureOf(pinSource(spooling(), source))).code).toBe('SourceNotAllowed');
    await releaseSource(spooling(), source);
    expect(await readdir(root)).toEqual(['film.mp4']);
  });
});

describe('a path source', () => {
  it('is refused if it is relative, with the advice to give the full path', async () => {
    expect((await failureOf(pin('film.mp4'))).facts.hint).toContain('Give its full path');
  });

  it('is pinned with size, name and MIME type', async () => {
    expect(await pin()).toMatchObject({ bytes: BYTES.length, fileName: 'film.mp4', mimeType: 'video/mp4' });
    await rename(file, `${file}.old`);
    expect(await pin(`${file}.old`)).not.toHaveProperty('mimeType');
  });

  it('reads into the buffers of a range that was read to its end, but not of one that was left', async () => {
    const reader = openSource(access, await pin());
    /** The memory of the chunks. Leaves after `leaveAfter` of them. */
    const memoryOf = async (leaveAfter = Infinity): Promise<Set<ArrayBufferLike>> => {
      const memory = new Set<ArrayBufferLike>();
      let count = 0;
      for await (const chunk of reader.read(0, BYTES.length)) {
        memory.add(chunk.buffer);
        if ((count += 1) >= leaveAfter) break;
      }
      return memory;
    };
    const read = await memoryOf();
    expect(read.size).toBe(2);
    expect(await memoryOf()).toEqual(read);
    const left = await memoryOf(2);
    expect(left).toEqual(read);
    const next = await memoryOf();
    expect([...next].filter((one) => left.has(one))).toEqual([]);
    expect(next.size).toBe(2);
  });

  it('returns any range exactly', async () => {
    const pinned = await pin();
    await fc.assert(
      fc.asyncProperty(fc.nat(BYTES.length - 1), fc.nat(BYTES.length), async (offset, wanted) => {
        const length = Math.max(1, Math.min(wanted, BYTES.length - offset));
        const bytes = await read(pinned, offset, length);
        expect(bytes.equals(BYTES.subarray(offset, offset + length))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, () => Promise<void>, string]>([
    ['grew', () => appendFile(file, 'x'), `it has ${BYTES.length + 1} bytes, and had ${BYTES.length}`],
    ['was cut', () => truncate(file, 10), `it has 10 bytes, and had ${BYTES.length}`],
    ['was written to', () => utimes(file, new Date(), new Date(0)), 'it was written to'],
    ['got other rights', () => chmod(file, 0o600), 'its owner or rights'],
    ['was renamed away and back', () => moveAndBack(file), 'renamed'],
    ['was replaced by its copy', () => replaceWithCopy(file), 'another file replaced it'],
    ['was written in place and got its old time back', () => overwrite(file), 'ctime'],
  ])('says how it changed when it %s', async (_what, change, words) => {
    await chmod(file, 0o644);
    await utimes(file, new Date(1_000_000), new Date(1_000_000));
    const pinned = await pin();
    await change();
    const error = await failureOf(read(pinned, 0, 5));
    expect([error.code, error.message]).toEqual(['SourceChanged', expect.stringContaining(words)]);
    const look = await failureOf(openSource(access, pinned).requireUnchanged?.(0) ?? Promise.resolve());
    expect(look.message).toBe(error.message);
  });

  const typed = 'Übung/Café.mp4';
  it.each([
    ['in NFD', typed.normalize('NFD'), typed],
    ['in NFC', typed, typed.normalize('NFD')],
    ['in both', `${'Übung'.normalize('NFD')}/Café.mp4`, typed],
  ])('is found by its name if the disk has it %s', async (_form, onDisk, wanted) => {
    await mkdir(path.join(root, path.dirname(onDisk)));
    await writeFile(path.join(root, onDisk), BYTES);
    const pinned = await pin(path.join(root, wanted));
    expect([pinned.bytes, pinned.fileName]).toEqual([BYTES.length, path.basename(wanted)]);
    expect(await read(pinned, 0, 5)).toEqual(BYTES.subarray(0, 5));
  });

  it('is refused by another spelling of its name if that leads out of the roots', async () => {
    await symlink(path.join(outside, 'none'), path.join(root, 'é.mp4'.normalize('NFD')));
    await writeFile(path.join(outside, 'none'), BYTES);
    expect((await failureOf(pin(path.join(root, 'é.mp4')))).code).toBe('SourceNotAllowed');
    expect((await failureOf(pin(path.join(root, 'è.mp4')))).code).toBe('SourceMissing');
  });

  it('shows no change to a look without reading while it is as it was, or gone', async () => {
    const reader = openSource(access, await pin());
    await reader.requireUnchanged?.(0);
    await rm(file);
    expect(await reader.requireUnchanged?.(0)).toBeUndefined();
  });

  const setTime = (seconds: number) => () => utimes(file, seconds, seconds);
  it.each<[string, () => Promise<void>, string | undefined]>([
    ['a later time, which both machines keep, counts as changed', setTime(1.5), 'SourceChanged'],
    ['its time, of which another machine keeps only the second, does not', setTime(1), undefined],
    ['other permissions, which machines count differently, do not', () => chmod(file, 0o600), undefined],
    ['another inode, since every machine mounts it, does not', () => replaceWithCopy(file, 1.25), undefined],
  ])('without a host: %s', async (_what, change, code) => {
    await utimes(file, 1.25, 1.25);
    const pinned = await pinSource(access, { kind: 'path', path: file });
    await change();
    const reading = read(pinned, 0, 5);
    if (code === undefined) expect(await reading).toEqual(BYTES.subarray(0, 5));
    else expect((await failureOf(reading)).code).toBe(code);
  });

  it('counts as changed if it was written during a range, and the file is closed', async () => {
    const pinned = await pin();
    const before = await openFiles();
    const reading = (async () => {
      for await (const chunk of openSource(access, pinned).read(0, BYTES.length)) {
        if (chunk.byteLength > 0) await utimes(file, new Date(0), new Date(0));
      }
    })();
    expect((await failureOf(reading)).code).toBe('SourceChanged');
    expect(await openFiles()).toBe(before);
  });

  it('is closed when its reader leaves or aborts halfway', async () => {
    const pinned = await pin();
    const before = await openFiles();
    for await (const chunk of openSource(access, pinned).read(0, BYTES.length))
      if (chunk.byteLength > 0) break;
    const ending = new AbortController();
    const reading = read(pinned, 0, BYTES.length, ending.signal);
    ending.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(await openFiles()).toBe(before);
  });

  it.each<[string, () => string, string, string]>([
    ['missing', () => path.join(root, 'none.mp4'), 'SourceMissing', 'does not exist'],
    ['a folder', () => path.join(root, 'folder'), 'SourceMissing', 'is a folder'],
    ['outside', () => path.join(outside, 'secret'), 'SourceNotAllowed', 'outside the allowed folders'],
    ['outside by ..', () => `${root}/../${path.basename(outside)}/secret`, 'SourceNotAllowed', 'outside'],
    ['outside by a symbolic link', () => path.join(root, 'link.mp4'), 'SourceNotAllowed', 'outside'],
    ['outside by a linked folder', () => path.join(root, 'linked', 'secret'), 'SourceNotAllowed', 'outside'],
    ['outside and missing', () => path.join(outside, 'none'), 'SourceNotAllowed', 'outside'],
    ['a root itself', () => root, 'SourceMissing', 'is a folder'],
  ])('is refused when it is %s', async (_what, nameOf, code, message) => {
    await mkdir(path.join(root, 'folder'));
    await writeFile(path.join(outside, 'secret'), 'secret');
    await symlink(path.join(outside, 'secret'), path.join(root, 'link.mp4'));
    await symlink(outside, path.join(root, 'linked'));
    const error = await failureOf(pin(nameOf()));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });

  it('is refused if no root is set, and the error names the setting', async () => {
    access = { ...access, roots: [] };
    const error = await failureOf(pin());
    expect([error.code, error.facts.hint]).toEqual([
      'SourceNotAllowed',
      expect.stringContaining('Set {fileRoots}'),
    ]);
  });

  it('is not followed out of the roots by a link that was made after the pin', async () => {
    const pinned = await pin();
    await writeFile(path.join(outside, 'secret'), BYTES);
    await rm(file);
    await symlink(path.join(outside, 'secret'), file);
    expect((await failureOf(read(pinned, 0, 5))).code).toBe('SourceNotAllowed');
  });

  it('is kept at the end unless the options say otherwise', async () => {
    await releaseSource(access, { kind: 'path', path: file });
    expect(await readdir(root)).toEqual(['film.mp4']);
  });
});

it('a file that was sent to the HTTP door is read from the spool folder, marked as in use, and deleted at the end, even if it is already gone', async () => {
  const [kept, claimed] = ['kept', 'claimed'].map((end) => COPY.replace('spooled', end));
  const source = { kind: 'path', path: path.join(outside, String(kept)), deleteAfter: true } as const;
  await rename(file, source.path);
  const own = { ...access, spoolDir: outside };
  expect(await pinPath(own, { ...source, fileName: 'film.mp4' })).toMatchObject({ fileName: 'film.mp4' });
  expect(await readdir(outside)).toEqual([claimed, kept]);
  await releaseSource(own, source);
  await releaseSource(own, source);
  expect(await readdir(outside)).toEqual([claimed]);
});

describe('an object that was sent to the HTTP door', () => {
  const source = { kind: 's3', bucket: 'sent', key: 'a.kept/film.mp4', deleteAfter: true } as const;
  const [deleted, claims]: unknown[][] = [[], []];
  const s3 = {
    delete: (object: unknown) => Promise.resolve(void deleted?.push(object)),
    write: (object: unknown) => Promise.resolve(claims?.push(object) === 1),
    facts: () => Promise.resolve({ bytes: 0 }),
  } as unknown as S3Objects;
  const refuse = (): never => {
    throw new Error('made for another object');
  };

  it('is marked as in use at the start, and deleted at the end, only with a proof', async () => {
    for (const proved of [{}, { proveOwn: refuse }]) {
      for (const use of [releaseSource, pinSource]) {
        const error = await failureOf(use({ ...access, ...proved, s3 }, source));
        expect([error.code, error.message]).toEqual([
          'SourceNotAllowed',
          expect.stringMatching(/nothing proves/),
        ]);
      }
    }
    expect([deleted, claims]).toEqual([[], []]);
    const proving = { ...access, s3, proveOwn: () => undefined };
    await pinSource(proving, source);
    await releaseSource(proving, source);
    expect([deleted, claims]).toEqual([[source], [{ bucket: 'sent', key: 'a.claimed' }]]);
  });
});

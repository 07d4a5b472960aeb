import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from '@jest/globals';
import type { FileLocation } from '../../../../../files/file-location';
import { noteSessions } from '../../../../../temporal/activities/batch/note-sessions';
import type { Ended } from '../../../../../temporal/activities/groups/group-step';
import { readJournal, type PageJournal } from '../../../../../temporal/batch/page-journal';
import type { NotedSession, StartOfSession } from '../../../../../temporal/contract/upload-groups';
import { useTempDir } from '../../../../support/use-temp-dir';
import { exampleDeps } from '../example-deps';

const temp = useTempDir('note-sessions');

type Started = Ended<StartOfSession, NotedSession>;

const SENT = { partNumber: 1, eTag: 'e', verified: true, bytes: 7, attempts: 1, ms: 1 };

/** A row whose file was sent with its start, in a page whose journal is in this folder. */
function sentRow(folder: FileLocation, rowId: string): Started {
  return {
    input: {
      ...{ media: { fileType: 'MP4' }, ingestKey: `films/${rowId}`, amountOfParts: 1, limitMs: 1_000 },
      source: {
        source: { kind: 'path', path: `/films/${rowId}.mp4`, host: 'here' },
        ...{ bytes: 7, fileName: `${rowId}.mp4`, fingerprint: 'path;bytes=7;mtime=1' },
      },
      ...{ rowId, journal: { folder, page: 3, round: 1 } },
    },
    value: { uploadId: `u-${rowId}`, mediaId: `m-${rowId}`, urls: [], renewable: false, sent: SENT },
  };
}

function withoutJournal({ input: { journal: _journal, ...input }, value }: Started): Started {
  return { input, value };
}

async function note(...calls: readonly (readonly Started[])[]): Promise<readonly NotedSession[]> {
  const info = { activityId: '5', attempt: 1 };
  return new MockActivityEnvironment(info).run(async () => {
    const noteIn = noteSessions(exampleDeps(undefined, { outputRoots: [temp.path] }));
    const answers: NotedSession[] = [];
    for (const call of calls) answers.push(...(await noteIn(call)));
    return answers;
  });
}

function journalIn(folder: FileLocation): Promise<PageJournal> {
  return readJournal(exampleDeps(undefined, { outputRoots: [temp.path] }).files, { folder, page: 3 });
}

async function linesBelow(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const texts = files.map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).flatMap((text) => text.trimEnd().split('\n'));
}

function folderOf(name: string): FileLocation {
  return { kind: 'path', path: `${temp.path}/${name}` };
}

describe('sessions of files that were sent with their start', () => {
  it('are in the journal of their page, as a later run of the row needs them', async () => {
    const folder = folderOf('whole');
    const [one, two] = [sentRow(folder, 'one'), sentRow(folder, 'two')];
    expect(await note([one, two])).toEqual([
      { ...one.value, noted: true },
      { ...two.value, noted: true },
    ]);
    const { sessions } = await journalIn(folder);
    expect([...sessions.keys()].sort()).toEqual(['one', 'two']);
    expect(sessions.get('one')).toEqual({
      ...{ uploadId: 'u-one', mediaId: 'm-one', fileName: 'one.mp4', fileType: 'MP4', bytes: 7 },
      identity: 'path;bytes=7;mtime=1',
      notedAt: expect.any(String),
    });
  });

  it('are noted once, and those of a later call join them', async () => {
    const folder = folderOf('twice');
    const first = sentRow(folder, 'first');
    const noted = { ...first, value: { ...first.value, noted: true as const } };
    await note([first], [noted, sentRow(folder, 'second')]);
    const { sessions } = await journalIn(folder);
    expect([...sessions.keys()].sort()).toEqual(['first', 'second']);
    expect((await linesBelow(`${temp.path}/twice`)).filter((line) => line.includes('u-first'))).toHaveLength(
      1,
    );
  });

  it('are left to the page if the journal is not allowed here, or unknown', async () => {
    const outside = sentRow({ kind: 'path', path: '/elsewhere' }, 'one');
    expect(await note([outside])).toEqual([outside.value]);
    const alone = withoutJournal(outside);
    expect(await note([alone])).toEqual([alone.value]);
  });
});

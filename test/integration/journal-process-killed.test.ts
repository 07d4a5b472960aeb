import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { JournaledResult } from '../../api/upload/direct/journal/continue-upload';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { bundledProgram } from '../support/bundled-program';
import type { JournaledOrder } from '../support/journaled-upload-entry';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const ENTRY = join(__dirname, '..', 'support', 'journaled-upload-entry.ts');
/** More kill points than an upload of two parts has. */
const MAX_BOUNDARIES = 100;
const on = useUploadFixture({ worker: false });

/** Returns undefined if the process was killed. */
async function runProcess(order: JournaledOrder): Promise<JournaledResult | undefined> {
  const child = spawn(process.execPath, [await bundledProgram(ENTRY)], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(order));
  const exit = once(child, 'exit');
  const [reported, errors] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (child.signalCode === 'SIGKILL') return undefined;
  if (child.exitCode !== 0) throw new Error(`The upload failed: ${errors}`);
  return JSON.parse(reported) as JournaledResult;
}

function requestOf(path: string, title: string): UploadRequest {
  return {
    source: { kind: 'path', path, host: 'here' },
    media: { title, fileType: 'MP4' },
    ingestKey: title,
    options: { partBytes: PART_BYTES, concurrency: 2, startPauseMs: 100, startLimitMs: 2_000 },
  };
}

/**
 * Kills the upload at this point; the next process under its key ends it. Returns false if it ended before that point.
 */
async function survives(path: string, sha256: string, killAt: number): Promise<boolean> {
  const { fixture } = on;
  const title = `killed at ${String(killAt)}`;
  const order = {
    account: fixture.account,
    request: requestOf(path, title),
    root: fixture.folder,
    journals: join(fixture.folder, `journals-${String(killAt)}`),
  };
  if ((await runProcess({ ...order, killAt })) !== undefined) return false;
  const ended = await runProcess(order);
  const sessions = fixture.simulator.seen().sessions.filter((session) => session.title === title);
  const [session, ...more] = sessions.filter(({ status }) => status === 'COMPLETED');
  expect([title, session?.uploadId, more]).toEqual([title, ended?.result.uploadId, []]);
  expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0 });
  expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
  // Each part was sent once, or twice if its answer was not yet in the journal.
  const puts = session?.parts.map((part) => part.puts) ?? [];
  expect(puts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(puts.length + 2);
  const named = ended?.result.orphans.map(({ uploadId, mediaId }) => uploadId ?? mediaId) ?? [];
  const others = sessions.filter((one) => one !== session);
  expect(
    others.filter(({ uploadId, mediaId }) => !named.includes(uploadId) && !named.includes(mediaId)),
  ).toEqual([]);
  await expectPrivate(order.journals);
  return true;
}

/** No journal contains the account's secret or its token, and no lock is left. */
async function expectPrivate(journals: string): Promise<void> {
  const names = await readdir(journals);
  expect(names.filter((name) => name.endsWith('.lock'))).toEqual([]);
  for (const name of names) {
    const content = await readFile(join(journals, name), 'utf8');
    expect(content).not.toContain(on.fixture.account.secretKey);
    expect(content).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
  }
}

describe('an upload with a journal', () => {
  it('ends COMPLETED if its process is killed around any request or entry: one session, its bytes, one complete', async () => {
    const { path, sha256 } = await on.fixture.writeFile('film.mp4', 1.2);
    let boundaries = 0;
    for (let killAt = 1; killAt <= MAX_BOUNDARIES; killAt += 1) {
      if (!(await survives(path, sha256, killAt))) break;
      boundaries = killAt;
    }
    // Two kill points each for login, start, two parts, complete, a read of the session, and eight journal entries.
    expect(boundaries).toBeGreaterThanOrEqual(2 * 14);
    expect(boundaries).toBeLessThan(MAX_BOUNDARIES);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { JournaledResult } from '../../api/upload/direct/journal/continue-upload';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { systemCodeOf } from '../../files/system-error';
import { blindRepeats } from '../chaos/activity-table/blind-repeats';
import { bundledProgram } from '../support/bundled-program';
import { secretsIn } from '../support/canary';
import type { JournaledOrder } from '../support/journaled-upload-entry';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const ENTRY = join(__dirname, '..', 'support', 'journaled-upload-entry.ts');
/** More kill points than an upload of two parts has. */
const MAX_BOUNDARIES = 100;
const on = useUploadFixture({ worker: false });
/** The journals of each killed process. */
const left: string[] = [];

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
  left.push(await textOf(order.journals));
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
  const end = await textOf(order.journals);
  expect(end).toContain(ended?.result.uploadId);
  expectPrivate(end);
  expect((await readdir(order.journals)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  return true;
}

/** All files in the journals' folder. */
async function textOf(journals: string): Promise<string> {
  const entries = await readdir(journals, { withFileTypes: true }).catch(unlessMissing);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(journals, name));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

/** A process that is killed early leaves no folder. */
function unlessMissing(error: unknown): [] {
  if (systemCodeOf(error) === 'ENOENT') return [];
  throw error;
}

function expectPrivate(text: string): void {
  const { apiKey, secretKey } = on.fixture.account;
  expect(secretsIn(text, [apiKey, secretKey, 'X-Amz-Signature', 'X-Amz-Credential'])).toEqual([]);
  expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
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

    const killed = left.join('\n');
    const { sessions } = on.fixture.simulator.seen();
    // The journals of killed processes contain sessions and their URLs, sealed.
    expect(sessions.filter(({ uploadId }) => killed.includes(uploadId))).not.toEqual([]);
    expect(killed).toContain('"sealed":');
    expectPrivate(killed);
    const events = on.fixture.simulator.events();
    // Otherwise the simulator has dropped events.
    expect(events[0]?.seq).toBe(1);
    expect(blindRepeats(events, sessions)).toEqual([]);
  });
});

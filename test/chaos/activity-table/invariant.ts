import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimulatorEvent } from '../../../simulator/control/recorder';
import { leaksIn } from '../../support/canary';
import { replayErrors } from '../../support/replay';
import { filesIn, storedTree } from '../../support/stored-texts';
import type { StoredWorkflow } from '../../support/stored-texts';
import type { UploadFixture } from '../../support/upload-fixture';
import { blindRepeats } from './blind-repeats';
import type { Evidence } from './cell';
import { reportedText, unreported } from './unreported';

/** Secrets that sign in, make an address usable, or open mailboxes. */
export const CANARIES = { apiKey: 'api-key-canary', secretKey: 'secret-key-canary' } as const;
export const NEXT_SECRET_KEY = 'next-secret-key-canary';
const SECRETS = [
  ...Object.values(CANARIES),
  NEXT_SECRET_KEY,
  'source-url-canary',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'p@ss:word/1',
  'never-shown',
  'a key that signs the posts of tests',
];
/**
 * Nothing is lost, doubled, hidden or leaked, whatever was killed. Everything has ended. Each file is one completed
 * session with its bytes, and the result names every other session. `complete` arrived once and was only repeated after
 * a read of its session; `start` was only repeated after a search for its session or a read of it. No secret is stored anywhere.
 * `logs`: of all workers. Returns what Temporal stores.
 */
export async function expectIntact(
  fixture: UploadFixture,
  evidence: Evidence,
  logs: string,
): Promise<StoredWorkflow[]> {
  const stored = await storedOf(fixture, evidence);
  await expectEnded(fixture, [...new Set(stored.map(({ workflowId }) => workflowId))]);
  expectNothingBlind(fixture, fixture.simulator.events());
  await expectUploaded(fixture, evidence);
  const texts = new Map(
    stored.flatMap((one, index) => [
      [`history ${String(index)}, of ${one.workflowId}`, one.history],
      [`description ${String(index)}, of ${one.workflowId}`, one.described],
    ]),
  );
  texts.set('what is reported', reportedText(evidence.reported)).set('logs', logs);
  for (const folder of evidence.folders ?? [])
    for (const [name, text] of await filesIn(folder)) texts.set(join(folder, name), text);
  expect(unreadIn(texts, fixture, evidence)).toEqual([]);
  expect(leaksIn(texts, SECRETS)).toEqual({});
  expect(fixture.simulator.seen().bearerToStorage).toEqual([]);
  return stored;
}

/**
 * Also, every history of the run is deterministic. Only for a process without workers of its own, because a replay
 * needs it.
 */
export async function expectIntactAndReplayable(
  fixture: UploadFixture,
  evidence: Evidence,
  logs: string,
): Promise<StoredWorkflow[]> {
  const stored = await expectIntact(fixture, evidence, logs);
  const histories = stored.flatMap(({ workflowId, runs }) =>
    runs.map((history) => ({ workflowId, history })),
  );
  expect(histories.length).toBeGreaterThanOrEqual(evidence.workflowIds.length);
  expect(await replayErrors(histories)).toEqual({});
  return stored;
}

/** The workflows of all starts. */
async function storedOf(
  { connection }: UploadFixture,
  { workflowIds, earlier = [] }: Evidence,
): Promise<StoredWorkflow[]> {
  const latest = await Promise.all(workflowIds.map((id) => storedTree(connection, id)));
  return [...earlier, ...latest.flat()];
}

async function expectEnded({ connection }: UploadFixture, workflowIds: readonly string[]): Promise<void> {
  const { workflow } = connection.client;
  const statuses = await Promise.all(
    workflowIds.map(async (id) => [id, (await workflow.getHandle(id).describe()).status.name]),
  );
  expect(statuses.filter(([, status]) => status === 'RUNNING')).toEqual([]);
}

async function expectUploaded(fixture: UploadFixture, { files, reported }: Evidence): Promise<void> {
  const { sessions, completesAccepted, completesRefused } = fixture.simulator.seen();
  expect({ completesAccepted, completesRefused }).toEqual({
    completesAccepted: files.size,
    completesRefused: 0,
  });
  expect(sessions.filter(({ title }) => !files.has(title ?? ''))).toEqual([]);
  for (const [title, path] of files) {
    const own = sessions.filter((session) => session.title === title);
    const [session, ...more] = own.filter(({ status }) => status === 'COMPLETED');
    expect([title, session?.completesAccepted, more]).toEqual([title, 1, []]);
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    const others = own.filter((one) => one !== session);
    expect(unreported(others, files, reported)).toEqual([]);
  }
}

/** Checks the requests that the service saw. */
function expectNothingBlind({ simulator }: UploadFixture, events: readonly SimulatorEvent[]): void {
  // Otherwise the simulator has dropped events, and nothing would be known about them.
  expect(events[0]?.seq).toBe(1);
  expect(blindRepeats(events, simulator.seen().sessions)).toEqual([]);
}

/**
 * The texts that do not show what they must contain, and the titles that no history shows: they were not read, and a
 * search for secrets in them would prove nothing.
 */
function unreadIn(
  texts: ReadonlyMap<string, string>,
  { queuePrefix }: UploadFixture,
  { files }: Evidence,
): string[] {
  const ofWorkflows = [...texts].filter(([where]) => /^(?:history|description) /.test(where));
  const read = [...ofWorkflows, ['logs', texts.get('logs') ?? ''] as const];
  const histories = ofWorkflows.map(([, text]) => text).join('\n');
  return [
    ...read.filter(([, text]) => !text.includes(queuePrefix)).map(([where]) => where),
    ...[...files.keys()].filter((title) => !histories.includes(title)),
  ];
}

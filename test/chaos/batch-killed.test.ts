import { given } from '../../api/json';
import type { EventName } from '../../simulator/control/recorder';
import { batchFolder, LARGE_BYTES, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { openOwnServer } from '../support/own-temporal';
import { testPool } from '../support/pool';
import { seenEvents } from '../support/seen-events';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { CANARIES, expectIntact } from './activity-table/invariant';
import { shareOfCells } from './activity-table/table';
import { HASTY_UPLOAD } from './activity-table/upload-scenarios';

const ROWS = 24;
/** Most of a case is waiting for a heartbeat that never comes. */
const AT_ONCE = 4;

/** The row whose event it is. */
const MOMENTS = { first: 1, middle: ROWS / 2, last: ROWS } as const;
const EVERY_MOMENT = ['first', 'middle', 'last'] as const;

interface Case {
  readonly step: string;
  readonly event: EventName;
  readonly moments: readonly (keyof typeof MOMENTS)[];
  readonly bytes?: number;
}

/** Steps that must not be repeated blindly are killed at every moment. */
const STEPS: readonly Case[] = [
  { step: 'start', event: 'started', moments: EVERY_MOMENT },
  { step: 'send parts', event: 'part-stored', moments: ['middle'], bytes: LARGE_BYTES },
  { step: 'complete', event: 'complete-accepted', moments: EVERY_MOMENT },
  { step: 'poll', event: 'session-ended', moments: ['middle'] },
];

/** The event, and how many of them pass before the kill. */
interface Moment extends Pick<Case, 'event' | 'bytes'> {
  readonly count: number;
}

/**
 * Runs one batch through the kill, which also starts again what it killed. Every row must be completed, and the
 * invariant of all kills must be true.
 */
async function throughKill(fixture: UploadFixture, at: Moment, kill: () => Promise<void>): Promise<void> {
  const rows = await writeRows(fixture, 'killed', ROWS, at.bytes);
  const batch = await startRows(fixture, 'killed', rows, {
    options: { parallelUploads: ROWS, pageRows: ROWS, upload: HASTY_UPLOAD },
  });
  await seenEvents(fixture.simulator, at);
  await kill();
  expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS });
  const lines = await resultsOfBatch(fixture, 'killed');
  expect(lines.map(({ id, status }) => [id, status])).toEqual(rows.map(({ id }) => [id, 'COMPLETED']));
  const evidence = {
    workflowIds: [batch.workflowId],
    files: new Map(rows.map(({ id, source }) => [`Film ${id}`, source])),
    reported: lines,
    folders: [batchFolder(fixture, 'killed')],
  };
  await expectIntact(fixture, evidence, fixture.logs());
}

/** Kills the worker. Or Temporal's server, while answers of the service are lost. */
async function runKilled({ killed, ...at }: Moment & { readonly killed: string }): Promise<void> {
  const server = killed === 'worker' ? undefined : await openOwnServer();
  const simulator = { account: CANARIES };
  const fixture = await openUploadFixture({ simulator, ...given({ temporal: server }) });
  try {
    const worker = await fixture.startLoggedProcess();
    const lost = server === undefined ? [] : ['start-lost:2', 'complete-lost:2'];
    for (const fault of lost) fixture.simulator.fault(fault);
    await throughKill(fixture, at, async () => {
      await (server?.kill() ?? worker.kill('SIGKILL'));
      await (server?.restart() ?? fixture.startLoggedProcess());
    });
  } finally {
    await fixture.close();
    await server?.close();
  }
}

const CASES = shareOfCells(
  ['worker', 'Temporal server'].flatMap((killed) =>
    STEPS.flatMap(({ moments, ...step }) =>
      moments.map((moment) => ({ ...step, killed, moment, count: MOMENTS[moment] })),
    ),
  ),
);

describe('a batch', () => {
  testPool('whose $killed is killed when it is to $step the $moment row uploads every row once', CASES, {
    atOnce: AT_ONCE,
    run: runKilled,
  });
});

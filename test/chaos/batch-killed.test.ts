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

interface Killed {
  /** The event, and how many of them pass before `kill`. */
  readonly at: { readonly event: EventName; readonly count: number; readonly bytes?: number };
  readonly faults?: readonly string[];
  /** Kills something, and starts it again. */
  readonly kill: () => Promise<void>;
}

/** Runs one batch through the kill. Every row must be completed, and the invariant of all kills must be true. */
async function throughKill(fixture: UploadFixture, { at, faults = [], kill }: Killed): Promise<void> {
  const rows = await writeRows(fixture, 'killed', ROWS, at.bytes);
  for (const fault of faults) fixture.simulator.fault(fault);
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

async function killWorker(at: Killed['at']): Promise<void> {
  const fixture = await openUploadFixture({ simulator: { account: CANARIES } });
  try {
    const worker = await fixture.startLoggedProcess();
    const kill = async (): Promise<void> => {
      await worker.kill('SIGKILL');
      await fixture.startLoggedProcess();
    };
    await throughKill(fixture, { at, kill });
  } finally {
    await fixture.close();
  }
}

/** While answers of the service are lost. */
async function killServer(at: Killed['at']): Promise<void> {
  const server = await openOwnServer();
  const fixture = await openUploadFixture({ temporal: server, simulator: { account: CANARIES } });
  try {
    await fixture.startLoggedProcess();
    const kill = async (): Promise<void> => {
      await server.kill();
      await server.restart();
    };
    await throughKill(fixture, { at, faults: ['start-lost:2', 'complete-lost:2'], kill });
  } finally {
    await fixture.close();
    await server.close();
  }
}

const CASES = shareOfCells(
  Object.entries({ worker: killWorker, 'Temporal server': killServer }).flatMap(([killed, kill]) =>
    STEPS.flatMap(({ moments, ...step }) =>
      moments.map((moment) => ({ ...step, killed, kill, moment, count: MOMENTS[moment] })),
    ),
  ),
);

describe('a batch', () => {
  testPool('whose $killed is killed when it is to $step the $moment row uploads every row once', CASES, {
    atOnce: AT_ONCE,
    run: ({ kill, ...at }) => kill(at),
  });
});

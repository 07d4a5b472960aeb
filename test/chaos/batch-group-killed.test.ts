import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventName } from '../../simulator/control/recorder';
import { resultsOfBatch, completedTitles, LARGE_BYTES, startRows, writeRows } from '../support/batch-fixture';
import { openOwnServer } from '../support/own-temporal';
import { usePool } from '../support/pool';
import { seenEvents } from '../support/seen-events';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

/** All rows begin at once, so that each step is one group. */
const ROWS = 24;
/** Most of a case is waiting for a heartbeat that never comes. */
const AT_ONCE = 4;

const MOMENTS = {
  'at its first input': 1,
  'between two inputs': ROWS / 2,
  'at its last input, before its answer': ROWS,
} as const;
const EVERY_MOMENT = [
  'at its first input',
  'between two inputs',
  'at its last input, before its answer',
] as const;

interface Case {
  readonly step: string;
  readonly event: EventName;
  readonly moments: readonly (keyof typeof MOMENTS)[];
  /** Default: small files, which are sent with their start. */
  readonly bytes?: number;
}

/** Steps that must not be repeated blindly are killed at every moment. */
const STEPS: readonly Case[] = [
  { step: 'start', event: 'started', moments: EVERY_MOMENT },
  // A group of at most 64 MiB takes all files.
  { step: 'send parts', event: 'part-stored', moments: ['between two inputs'], bytes: LARGE_BYTES },
  { step: 'complete', event: 'complete-accepted', moments: EVERY_MOMENT },
  { step: 'poll', event: 'session-ended', moments: ['between two inputs'] },
];
const CASES = STEPS.flatMap(({ moments, ...step }) =>
  moments.map((moment) => ({ ...step, moment, count: MOMENTS[moment] })),
);

interface Killed {
  /** The event, and how many of them pass before `kill`. */
  readonly at: { readonly event: EventName; readonly count: number; readonly bytes?: number };
  readonly faults?: readonly string[];
  /** Kills something, and starts it again. */
  readonly kill: () => Promise<void>;
}

/** Runs one batch through the kill. Every row must be uploaded once, with the bytes of its file. */
async function throughKill(fixture: UploadFixture, { at, faults = [], kill }: Killed): Promise<void> {
  const rows = await writeRows(fixture, 'killed', ROWS, at.bytes);
  for (const fault of faults) fixture.simulator.fault(fault);
  const batch = await startRows(fixture, 'killed', rows, {
    options: {
      parallelUploads: ROWS,
      pageRows: ROWS,
      upload: { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100 },
    },
  });
  await seenEvents(fixture.simulator, at);
  await kill();
  expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS });

  const titles = completedTitles(fixture);
  expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  const lines = await resultsOfBatch(fixture, 'killed');
  expect(lines).toHaveLength(ROWS);
  for (const [index, { uploadId }] of lines.entries()) {
    const session = fixture.session(uploadId);
    const file = await readFile(rows[index]?.source ?? '');
    expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(
      createHash('sha256').update(file).digest('hex'),
    );
  }
}

async function killWorker(at: Killed['at']): Promise<void> {
  const fixture = await openUploadFixture();
  try {
    const worker = await fixture.startWorkerProcess();
    const kill = async (): Promise<void> => {
      await worker.kill('SIGKILL');
      await fixture.startWorkerProcess();
    };
    await throughKill(fixture, { at, kill });
  } finally {
    await fixture.close();
  }
}

async function killServer(at: Killed['at']): Promise<void> {
  const server = await openOwnServer();
  const fixture = await openUploadFixture({ temporal: server });
  try {
    await fixture.startWorkerProcess();
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

describe.each([
  ['a batch whose worker is killed during a group', killWorker],
  [
    'a batch whose Temporal server is killed during a group, while answers of the service are lost',
    killServer,
  ],
])('%s', (_name, run) => {
  const pool = usePool(
    CASES.map((at) => () => run(at)),
    AT_ONCE,
  );

  it.each(CASES.map(({ step, moment }, index) => ({ step, moment, index })))(
    'that is to $step, $moment, uploads every row once',
    async ({ index }) => {
      await pool.ends[index];
    },
  );
});

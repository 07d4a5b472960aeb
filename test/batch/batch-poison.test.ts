import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import { controlQueue, transferQueue } from '../../temporal/contract/upload';
import { inputsOf } from '../../temporal/contract/groups';
import type { Group } from '../../temporal/contract/groups';
import type { UploadGroups } from '../../temporal/contract/upload-groups';
import { resultsOfBatch, completedTitles, LARGE_BYTES, startRows, writeRows } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const ROWS = 12;
const on = useUploadFixture({ worker: false });

type Pins = Group<UploadGroups['pinSources']['input']>;
type Starts = Group<UploadGroups['startSessions']['input']>;
type Parts = Group<UploadGroups['sendParts']['input']>;

describe('a row that crashes its worker', () => {
  it.each(['pinSources', 'sendParts'] as const)(
    'is sent in a group of its own after two lost tries in %s; every row is uploaded once',
    async (step) => {
      const { fixture } = on;
      const name = `poison-${step}`;
      const rows = await writeRows(fixture, name, ROWS, step === 'sendParts' ? LARGE_BYTES : 1_000);
      const poison = rows[ROWS / 2]?.source ?? '';
      const groups: string[][] = [];
      /** Acts like a worker that is gone: no heartbeat, no answer. */
      async function loseWorker(sources: readonly (string | undefined)[]): Promise<void> {
        if (!sources.includes(poison)) return;
        groups.push(sources.map(String));
        if (sources.length > 1 && Context.current().info.attempt <= 2) await Context.current().cancelled;
      }
      const control = controlQueue(fixture.queuePrefix, fixture.accountId);
      const transfer = transferQueue(fixture.queuePrefix, fixture.accountId);
      const stop = await fixture.startBareWorker({
        queues: { [control]: true, [transfer]: false },
        change: (ours) => ({
          async pinSources(group: Pins) {
            if (step === 'pinSources') await loseWorker(inputsOf(group).map(({ input }) => pathOf(input)));
            return ours.pinSources(group);
          },
          async sendParts(group: Parts) {
            if (step === 'sendParts')
              await loseWorker(inputsOf(group).map(({ input }) => pathOf(input.source)));
            return ours.sendParts(group);
          },
        }),
      });
      const batch = await startRows(fixture, name, rows, { options: { upload: { heartbeatMs: 1_000 } } });
      expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
      await stop();

      const [together] = groups;
      expect(together?.length).toBeGreaterThan(1);
      expect(groups).toEqual([together, together, together, [poison]]);
      expect([...completedTitles(fixture)].filter(([title]) => title.includes(name))).toEqual(
        expect.arrayContaining(rows.map(({ id }) => [`Film ${id}`, 1])),
      );
      const lines = await resultsOfBatch(fixture, name);
      expect(lines.map(({ uploadId }) => fixture.session(uploadId).parts.map(({ puts }) => puts))).toEqual(
        rows.map(() => [1]),
      );
    },
  );

  it.each([
    ['is sent on its own after a crash during its start; no other row waits for it twice', 0],
    ['does not take the sessions along that were known before it crashed', 1],
  ])('%s', async (_title, held) => {
    const { fixture } = on;
    const name = `poison-start-${held}`;
    const rows = await writeRows(fixture, name, ROWS);
    const lost: (string | undefined)[][] = [];
    const control = controlQueue(fixture.queuePrefix, fixture.accountId);
    const transfer = transferQueue(fixture.queuePrefix, fixture.accountId);
    const stop = await fixture.startBareWorker({
      queues: { [control]: true, [transfer]: false },
      change: (ours) => ({
        async startSessions(group: Starts) {
          const sources = inputsOf(group).map(({ input }) => input.source && pathOf(input.source));
          if (!sources.includes(rows[0]?.source)) return ours.startSessions(group);
          lost.push(sources);
          // One part delays the end of this group, so that the outcomes of the others are known before.
          if (held > 0) fixture.simulator.fault(`hold:${held}`);
          await ours.startSessions(group);
          // The answer is lost with its worker.
          await Context.current().cancelled;
          throw new Error('The worker is gone.');
        },
      }),
    });
    // Longer than any pause of this process on a busy machine: only the wrapper above may lose a group.
    const options = { upload: { heartbeatMs: 5_000, startLimitMs: 1_000, startPauseMs: 100 } };
    const batch = await startRows(fixture, name, rows, { options });
    expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS, failed: 0 });
    await stop();
    fixture.simulator.release();
    expect(lost).toHaveLength(1);
    const lines = await resultsOfBatch(fixture, name);
    const known = lines.filter(({ orphans }) => orphans.length > 0);
    expect(known).not.toEqual([]);
    expect(lost[0]).toEqual(expect.arrayContaining(known.map(({ source }) => source)));
    if (held > 0) expect(known.length).toBeLessThan(lost[0]?.length ?? 0);
    // Without a held part, too, some outcomes are known on a slow machine. Such rows keep their sessions.
    const { sessions } = fixture.simulator.seen();
    expect(lines.map(({ title }) => sessions.filter((one) => one.title === title).length)).toEqual(
      lines.map(({ orphans }) => 1 + orphans.length),
    );
    expect(lines.map(({ uploadId }) => fixture.session(uploadId).completesAccepted)).toEqual(
      rows.map(() => 1),
    );
  });
});

describe('a group whose result is too large for Temporal', () => {
  it.each([
    ['the server', tooLarge],
    // As the SDK's core reports it, if the server reports its limits. The server of the tests does not.
    ['its worker', () => Promise.reject(ApplicationFailure.retryable('[TMPRL1103]', 'PayloadsTooLarge'))],
  ])('is divided if %s refuses the result; every row is completed once', async (by, refused) => {
    const { fixture } = on;
    const name = `refused-by-${by.replace(' ', '-')}`;
    const rows = await writeRows(fixture, name, 3);
    const groups: number[] = [];
    const control = controlQueue(fixture.queuePrefix, fixture.accountId);
    const transfer = transferQueue(fixture.queuePrefix, fixture.accountId);
    const stop = await fixture.startBareWorker({
      queues: { [control]: true, [transfer]: false },
      change: (ours) => ({
        async completeSessions(group) {
          groups.push(group.inputs.length);
          const outcomes = await ours.completeSessions(group);
          return outcomes.length === 1 ? outcomes : refused(outcomes.length);
        },
      }),
    });
    const batch = await startRows(fixture, name, rows);
    expect((await batch.result()).counts).toMatchObject({ rows: 3, completed: 3, failed: 0 });
    await stop();
    // The halves of a divided group run side by side, so either may be first.
    expect(groups[0]).toBe(3);
    expect(groups.slice(1).sort()).toEqual([1, 1, 1, 2]);
    const lines = await resultsOfBatch(fixture, name);
    expect(lines.map(({ uploadId }) => fixture.session(uploadId).completesAccepted)).toEqual([1, 1, 1]);
  });
});

/** The SDK's core sends it; together the values exceed the 2 MB that the server takes. */
async function tooLarge(inputs: number): Promise<{ value: UploadGroups['completeSessions']['value'] }[]> {
  const value = { uploadId: 'x'.repeat(1_100_000), status: 'COMPLETED' as const, parts: [], raw: {} };
  return Array.from({ length: inputs }, () => ({ value }));
}

function pathOf({ source }: UploadGroups['pinSources']['input']): string | undefined {
  return source.kind === 'path' ? source.path : undefined;
}

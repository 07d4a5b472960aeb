import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { Interrupts } from '../../../../../cli/interrupts';
import { waitForReport } from '../../../../../cli/commands/schedules/run';
import type { WaitReason } from '../../../../../temporal/client/wait-reason';
import type { FailureReportResult } from '../../../../../temporal/reports/types';
import { keptOutput } from '../../kept-output';

const RESULT: FailureReportResult = { schedule: 'morning', targets: [], reports: [] };
const LOST: WaitReason = {
  code: 'NoWorker',
  message: 'No worker serves the task queue q.',
  hint: 'Run one.',
};
const OBSTACLE: WaitReason = { code: 'Transport', message: "S3 can't be reached", hint: 'Look at S3.' };

/**
 * A run that is checked `looks` times; then it ends, or somebody presses Ctrl-C. `waitReason`: the reason at each
 * check.
 */
function wait(looks: number, then: 'ends' | 'interrupted', waitReason: readonly WaitReason[] = []) {
  const { terminal, written } = keptOutput();
  const interrupts = new Interrupts(() => undefined);
  const ended = new AbortController();
  let slept = 0;
  const clock = {
    now: () => 0,
    async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
      slept += 1;
      if (slept <= looks) return;
      if (then === 'ends') ended.abort();
      if (then === 'interrupted') interrupts.stop('SIGINT');
      if (signal === undefined) return;
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    },
  };
  const handle = {
    workflowId: 'report/acme/morning/run',
    joined: false,
    zone: 'UTC',
    async result(signal?: AbortSignal): Promise<FailureReportResult> {
      if (signal === undefined) return RESULT;
      const end = AbortSignal.any([signal, ended.signal]);
      if (!end.aborted) await once(end, 'abort');
      signal.throwIfAborted();
      return RESULT;
    },
    need: { queuePrefix: 'media-service', accountId: 'acme', hosts: [] },
    waitReason: () => Promise.resolve(waitReason[slept]),
  };
  return {
    waiting: waitForReport({ terminal, clock, interrupts }, 'morning', handle),
    said: () => written.stderr,
  };
}

describe('waiting for the run of a report', () => {
  test('says why it waits and what to do, once for each reason', async () => {
    const reasons = [OBSTACLE, OBSTACLE, OBSTACLE, LOST, LOST];
    const { waiting, said } = wait(reasons.length, 'ends', reasons);
    expect(await waiting).toBe(RESULT);
    expect(said()).toBe(
      "morning: Retrying for up to 24 h: S3 can't be reached. What to do: Look at S3.\n" +
        'morning: Waiting: No worker serves the task queue q. What to do: Run one.\n',
    );
  });

  test('says that the run continues when somebody interrupts the command', async () => {
    const { waiting, said } = wait(0, 'interrupted');
    await expect(waiting).rejects.toThrow('Interrupted');
    expect(said()).toMatch(/^The run continues in Temporal/);
  });
});

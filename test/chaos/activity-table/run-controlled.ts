import { MediaServiceError } from '../../../api/errors';
import { controlQueue, pagesQueue, transferQueue } from '../../../temporal/upload/types';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { bareWorkerLogs } from '../../support/bare-worker';
import { heldAt } from '../../support/kill-point';
import type { Hold, KillPoint, ReachedCall } from '../../support/kill-point';
import { LONG_LIMIT_MS, until } from '../../support/until';
import type { UploadFixture } from '../../support/upload-fixture';
import type { Evidence, RunContext, Scenario } from './cell';
import { expectIntact } from './invariant';
import { openScenario } from './open-scenario';
import { withinLimit } from './within-limit';

/** A run whose activity is held. */
export interface HeldRun {
  readonly fixture: UploadFixture;
  readonly context: RunContext;
  readonly hold: Hold;
  readonly call: ReachedCall;
}

/** Does something to a held run, lets its activity continue, and resolves with what the run leaves behind. */
export type Control = (run: HeldRun) => Promise<Evidence>;

/** What a user does to an upload, a batch or a report. */
export const CONTROLS = {
  'paused and resumed': pauseAndResume,
  'cancelled and started again': cancelAndStart,
} as const satisfies Record<string, Control>;

/** Runs the scenario on a worker that holds the activity, controls the run meanwhile, and checks what is left. */
export async function runControlled(scenario: Scenario, point: KillPoint, control: Control): Promise<void> {
  const { fixture, config, start, close } = await openScenario(scenario);
  const hold = heldAt(point);
  try {
    await startHoldingWorker(fixture, hold, config);
    const context = await start({ moment: point.moment, resumed: hold.released });
    const ended = reachedBefore(endOf(context), hold).then((call) =>
      control({ fixture, context, hold, call }),
    );
    const evidence = await withinLimit(fixture, ended);
    await expectIntact(fixture, evidence, bareWorkerLogs());
  } finally {
    hold.release();
    await close();
  }
}

/** Starts a worker in this process, which holds an activity. */
export async function startHoldingWorker(
  fixture: UploadFixture,
  { factory }: Hold,
  change: Partial<WorkerConfig>,
): Promise<void> {
  const { queuePrefix, accountId, config } = fixture;
  const queues = {
    [controlQueue(queuePrefix, accountId)]: true,
    [transferQueue(queuePrefix, accountId)]: false,
    [transferQueue(queuePrefix, accountId, config.host)]: false,
    [pagesQueue(queuePrefix, accountId)]: false,
    [pagesQueue(queuePrefix, accountId, config.host)]: false,
  };
  await fixture.startBareWorker({ queues, interceptors: { activity: [factory] } }, change);
}

/** If the run ends before its activity is reached, the scenario proves nothing. */
export async function reachedBefore(end: Promise<unknown>, { reached: call }: Hold): Promise<ReachedCall> {
  const early = end.then((cause) => {
    throw new Error('The run ended before its activity was held.', { cause });
  });
  // From here the run may end.
  early.catch(() => undefined);
  return Promise.race([call, early]);
}

async function cancelAndStart({ context, hold }: HeldRun): Promise<Evidence> {
  await context.handle.cancel();
  hold.release();
  const cancelled = await endOf(context);
  const again = await context.again();
  return context.evidence([cancelled, await again.result()]);
}

async function pauseAndResume({ fixture, context, hold, call }: HeldRun): Promise<Evidence> {
  const { handle } = context;
  await handle.pause();
  hold.release();
  await untilEnded(fixture, call);
  await handle.resume().catch(unlessEnded);
  return context.evidence(await handle.result());
}

/** A workflow whose last activity was held may end before it is resumed. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof MediaServiceError) || error.code !== 'RequestRefused') throw error;
}

/** The result, or the error, and what is shown besides. */
async function endOf({ handle, shown }: RunContext): Promise<unknown> {
  const end: unknown = await handle.result().catch((error: unknown) => error);
  return [end, await shown?.()];
}

/** The server knows the end of the activity. */
async function untilEnded(
  { connection }: UploadFixture,
  { workflowId, activityId }: ReachedCall,
): Promise<void> {
  const handle = connection.client.workflow.getHandle(workflowId);
  await until(
    `activity ${activityId} of ${workflowId} has ended`,
    () => handle.describe(),
    ({ raw }) => raw.pendingActivities?.every((pending) => pending.activityId !== activityId) ?? true,
    { limitMs: LONG_LIMIT_MS },
  );
}

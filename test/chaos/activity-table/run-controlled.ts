import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { controlQueue, hostQueue, transferQueue } from '../../../temporal/contract';
import { heldAt } from '../../support/kill-point';
import type { Hold, KillPoint } from '../../support/kill-point';
import { until } from '../../support/until';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { ControlledScenario, Evidence, RunContext } from './cell';
import { CANARIES, expectIntact } from './invariant';
import { withinLimit } from './within-limit';

/** What happens to the workflow while its activity is held. */
export const CONTROLS = ['paused and resumed', 'cancelled and started again'] as const;
export type Control = (typeof CONTROLS)[number];

/** Waits for a page, and a page that is paused does not end. */
const ENDS_AFTER_RESUME = 'awaitPage';

/**
 * Runs the scenario on a worker that holds the activity, controls its workflow meanwhile, and then lets the activity
 * continue. Checks what is left.
 */
export async function runControlled(
  scenario: ControlledScenario,
  point: KillPoint,
  control: Control,
): Promise<void> {
  const fixture = await openUploadFixture({ simulator: { account: CANARIES } });
  const hold = heldAt(point);
  try {
    await startHoldingWorker(fixture, hold);
    const { moment } = point;
    const context = await scenario.begin({ fixture, moment, resumed: hold.released });
    const evidence = await withinLimit(fixture, controlled(fixture, { context, point, hold, control }));
    await context.close?.();
    await expectIntact(fixture, evidence, { logs: '', events: fixture.simulator.events() });
  } finally {
    hold.release();
    await fixture.close();
  }
}

async function startHoldingWorker(fixture: UploadFixture, { factory }: Hold): Promise<void> {
  const { queuePrefix, accountId, config, folder } = fixture;
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir);
  const queues = {
    [controlQueue(queuePrefix, accountId)]: true,
    [transferQueue(queuePrefix, accountId)]: false,
    [hostQueue(queuePrefix, accountId, config.host)]: false,
  };
  await fixture.startBareWorker({ queues, interceptors: { activity: [factory] } }, { spoolDir });
}

interface ControlledRun {
  readonly context: RunContext;
  readonly point: KillPoint;
  readonly hold: Hold;
  readonly control: Control;
}

async function controlled(
  fixture: UploadFixture,
  { context, point, hold, control }: ControlledRun,
): Promise<Evidence> {
  const { handle } = context;
  // If the activity is not reached, the scenario proves nothing.
  const early = endOf(context).then((end) => {
    throw new Error('The run ended before its activity was held.', { cause: end });
  });
  const call = await Promise.race([hold.reached, early]);
  // From here the run may end.
  early.catch(() => undefined);
  if (control === 'cancelled and started again') {
    await handle.cancel();
    hold.release();
    const cancelled = await endOf(context);
    const again = await context.again();
    return context.evidence([cancelled, await again.result()]);
  }
  await handle.pause();
  hold.release();
  if (point.activity !== ENDS_AFTER_RESUME) await untilEnded(fixture, call);
  await handle.resume();
  return context.evidence(await handle.result());
}

/** The result, or the error, and what is shown besides. */
async function endOf({ handle, shown }: RunContext): Promise<unknown> {
  const end: unknown = await handle.result().catch((error: unknown) => error);
  return [end, await shown?.()];
}

/** The server knows the end of the activity. */
async function untilEnded(
  { connection }: UploadFixture,
  { workflowId, activityId }: { readonly workflowId: string; readonly activityId: string },
): Promise<void> {
  const handle = connection.client.workflow.getHandle(workflowId);
  await until(
    `activity ${activityId} of ${workflowId} has ended`,
    () => handle.describe(),
    ({ raw }) => raw.pendingActivities?.every((pending) => pending.activityId !== activityId) ?? true,
  );
}

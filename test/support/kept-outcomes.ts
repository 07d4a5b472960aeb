import { defaultPayloadConverter } from '@temporalio/common';
import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from '../../temporal/client/connect';
import { groupHeartbeatOf } from '../../temporal/contract/groups';

/** Resolves once the server knows so many outcomes of the group that an upload has under way: a lost worker does not lose them. */
export async function untilOutcomesKept(
  { client }: TemporalConnection,
  workflowId: string,
  outcomes: number,
): Promise<void> {
  for (;;) {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const [details] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    const kept = groupHeartbeatOf(details == null ? undefined : defaultPayloadConverter.fromPayload(details));
    if (kept?.outcomes.length === outcomes) return;
    await systemClock.sleep(50);
  }
}

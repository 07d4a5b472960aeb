import { defaultPayloadConverter } from '@temporalio/common';
import type { TemporalConnection } from '../../temporal/client/connect';
import { groupHeartbeatOf } from '../../temporal/contract/groups';
import type { GroupHeartbeat } from '../../temporal/contract/groups';
import { until } from './until';

/** Resolves once the server has `outcomes` outcomes of an upload's running group, which a lost worker can't lose. */
export async function untilOutcomesKept(
  { client }: TemporalConnection,
  workflowId: string,
  outcomes: number,
): Promise<void> {
  const kept = async (): Promise<GroupHeartbeat | undefined> => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const [details] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    return groupHeartbeatOf(details == null ? undefined : defaultPayloadConverter.fromPayload(details));
  };
  await until(`${outcomes} outcomes are kept`, kept, (now) => now?.outcomes.length === outcomes);
}

import { defaultPayloadConverter } from '@temporalio/common';
import type { TemporalConnection } from '../../temporal/client/connect';
import type { SentParts } from '../../temporal/upload/types';
import { until } from './until';

/** Resolves once the server has `parts` parts of an upload's running run, which a lost worker can't lose. */
export async function untilPartsKept(
  { client }: TemporalConnection,
  workflowId: string,
  parts: number,
): Promise<void> {
  const kept = async (): Promise<SentParts | undefined> => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const [details] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    return details == null ? undefined : defaultPayloadConverter.fromPayload(details);
  };
  await until(`${parts} parts are kept`, kept, (now) => now?.done.length === parts);
}

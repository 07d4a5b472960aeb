import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { given, isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { EarlierSession, KeptPart } from '../../../api/upload/types';
import { payloadReader } from '../../client/wait-reason';
import { earlierSessionOf, SEND_PARTS } from '../types';
import type { Left, UploadMemo } from '../types';

type Payloads = Parameters<ReturnType<typeof payloadReader>>[0];
type Carried = { readonly payloads?: Payloads | null } | null | undefined;

const ENDED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['TERMINATED', 'TIMED_OUT']);

type EndedRun = Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'status' | 'memo'>;

/**
 * What a run that ended without a result left. One that was ended from outside could not note that its `start` had no
 * answer.
 */
export async function leftBy(client: Client, run: EndedRun): Promise<Left> {
  const memo: UploadMemo = run.memo ?? {};
  const session = earlierSessionOf(memo);
  if (session === undefined && ENDED_FROM_OUTSIDE.has(run.status.name)) return { startPending: true };
  const earlier = session === undefined ? undefined : await withParts(client, run, session);
  return given({ earlier, startPending: memo.startPending });
}

/**
 * Adds the parts that the run was started with, or has sent. Its history names them: also that of a terminated run, and
 * no memo or failure must carry them.
 */
async function withParts(
  client: Client,
  { workflowId, runId }: EndedRun,
  session: EarlierSession,
): Promise<EarlierSession> {
  const read = payloadReader({ client });
  const valuesOf = (carried: Carried): Promise<unknown[]> => read(carried?.payloads ?? []);
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const scheduled = new Set<string>();
  const parts: KeptPart[] = [];
  for (const event of events ?? []) {
    const {
      workflowExecutionStartedEventAttributes: started,
      activityTaskScheduledEventAttributes: activity,
      activityTaskCompletedEventAttributes: completed,
      activityTaskFailedEventAttributes: failed,
    } = event;
    const [input] = await valuesOf((started ?? activity)?.input);
    if (started != null && isJsonObject(input) && isOf(session, input['earlier']))
      parts.push(...keptParts(input['earlier']['parts']));
    if (activity?.activityType?.name === SEND_PARTS && isOf(session, input))
      scheduled.add(String(event.eventId));
    if (!scheduled.has(String((completed ?? failed)?.scheduledEventId))) continue;
    const [result] = await valuesOf(completed?.result);
    const [, done] = await valuesOf(failed?.failure?.applicationFailureInfo?.details);
    parts.push(...keptParts(result), ...keptParts(done));
  }
  return { ...session, parts };
}

function isOf({ uploadId }: EarlierSession, value: unknown): value is JsonObject {
  return isJsonObject(value) && value['uploadId'] === uploadId;
}

function keptParts(values: unknown): KeptPart[] {
  if (!Array.isArray(values)) return [];
  return values.filter(isJsonObject).flatMap(({ partNumber, eTag, verified }) => {
    const isPart = typeof partNumber === 'number' && typeof eTag === 'string';
    return isPart ? [{ partNumber, eTag, verified: verified === true }] : [];
  });
}

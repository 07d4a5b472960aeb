import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { given, isJsonObject, textAt } from '../../../api/json';
import type { KeptPart, UploadSteps } from '../../../api/upload/types';
import { payloadReader } from '../../client/wait-reason';
import { earlierSessionOf, SEND_PARTS } from '../types';
import type { Left, UploadMemo } from '../types';

type Payloads = Parameters<ReturnType<typeof payloadReader>>[0];
type Carried = { readonly payloads?: Payloads | null } | null | undefined;

const ENDED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['TERMINATED', 'TIMED_OUT']);

/** The activity that sends `start`. */
const START_SESSION: keyof UploadSteps = 'startSession';

type EndedRun = Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'status' | 'memo'>;

/**
 * What a run that ended without a result left: its newest session, or the one with which it was started. One that was
 * ended from outside could not note that its `start` had no answer.
 */
export async function leftBy(client: Client, run: EndedRun): Promise<Left> {
  const memo: UploadMemo = run.memo ?? {};
  const { input, parts, sentStart } = await readHistory(client, run);
  const inherited = earlierSessionOf({ ...input.earlier });
  const own = earlierSessionOf(memo);
  const session = own ?? inherited;
  const earlier = session && { ...session, parts: parts.get(session.uploadId) ?? [] };
  // A session that it was started with may already have been given up.
  const mayLackStart = own === undefined || (own.uploadId === inherited?.uploadId && sentStart);
  const isPending = memo.startPending === true || (ENDED_FROM_OUTSIDE.has(run.status.name) && mayLackStart);
  return given({ earlier, startPending: isPending || undefined });
}

/**
 * The history names the parts of each session that the run was started with, or has sent: also that of a terminated run,
 * and no memo or failure must carry them. `sentStart`: it may have sent a `start`.
 */
async function readHistory(client: Client, { workflowId, runId }: EndedRun) {
  const read = payloadReader({ client });
  const valuesOf = (carried: Carried): Promise<unknown[]> => read(carried?.payloads ?? []);
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const scheduled = new Map<string, string>();
  const parts = new Map<string, KeptPart[]>();
  const keep = (uploadId: string, values: unknown): void =>
    void parts.set(uploadId, [...(parts.get(uploadId) ?? []), ...keptParts(values)]);
  let input: Left = {};
  let sentStart = false;
  for (const event of events ?? []) {
    const {
      workflowExecutionStartedEventAttributes: started,
      activityTaskScheduledEventAttributes: activity,
      activityTaskCompletedEventAttributes: completed,
      activityTaskFailedEventAttributes: failed,
    } = event;
    if (started != null) {
      const [value] = await valuesOf(started.input);
      if (isJsonObject(value)) input = value;
      if (input.earlier !== undefined) keep(input.earlier.uploadId, input.earlier.parts);
    }
    const name = activity?.activityType?.name;
    sentStart ||= name === START_SESSION;
    if (name === SEND_PARTS) {
      const [value] = await valuesOf(activity?.input);
      const uploadId = isJsonObject(value) ? textAt(value, ['uploadId']) : undefined;
      if (uploadId !== undefined) scheduled.set(String(event.eventId), uploadId);
    }
    const uploadId = scheduled.get(String((completed ?? failed)?.scheduledEventId));
    if (uploadId === undefined) continue;
    const [result] = await valuesOf(completed?.result);
    const [, done] = await valuesOf(failed?.failure?.applicationFailureInfo?.details);
    keep(uploadId, result);
    keep(uploadId, done);
  }
  return { input, parts, sentStart: sentStart || input.startPending === true };
}

function keptParts(values: unknown): KeptPart[] {
  if (!Array.isArray(values)) return [];
  return values.filter(isJsonObject).flatMap(({ partNumber, eTag, verified }) => {
    const isPart = typeof partNumber === 'number' && typeof eTag === 'string';
    return isPart ? [{ partNumber, eTag, verified: verified === true }] : [];
  });
}

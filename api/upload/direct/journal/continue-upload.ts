import { MediaServiceError } from '../../../errors';
import type { UploadRequest, UploadResult } from '../../request/upload-request';
import { runUpload } from '../../run-upload';
import type { UploadControl } from '../../run-upload';
import type { UploadSteps } from '../../upload-steps';
import { earlierResult } from './earlier-result';
import type { JournaledPast, JournalRules } from './journaled-steps';
import { JournaledSteps } from './journaled-steps';

export interface JournaledResult {
  /** Its orphans include sessions of earlier runs that could not be continued. */
  readonly result: UploadResult;
  readonly past: JournaledPast;
}

/**
 * Gives the result of an upload that ended under this key, goes on with one that was cut off, or begins. What ended COMPLETED stays in the journal as
 * its result. After an error the journal stays: the next run goes on, and the error says so; if the session ended FAILED, the next run starts another one.
 * Rejects as `runUpload`.
 */
export async function continueUpload(
  request: UploadRequest,
  steps: UploadSteps<string>,
  { rules, control }: { readonly rules: JournalRules; readonly control: UploadControl },
): Promise<JournaledResult> {
  const earlier = await earlierResult(request, steps, rules);
  if (earlier !== undefined) return { result: earlier, past: ENDED_BEFORE };
  const journaled = new JournaledSteps(steps, rules);
  try {
    const ended = await runUpload(request, journaled.steps(), control);
    const result = { ...ended, orphans: [...journaled.past().abandoned, ...ended.orphans] };
    await journaled.ended(result);
    return { result, past: journaled.past() };
  } catch (error) {
    const isFailed = error instanceof MediaServiceError && error.code === 'ProcessingFailed';
    if (!isFailed && (await isUnfinished(rules))) throw goesOn(error, request.ingestKey);
    throw error;
  }
}

const ENDED_BEFORE: JournaledPast = { continued: false, joined: true, abandoned: [], failure: undefined };

async function isUnfinished({ store }: JournalRules): Promise<boolean> {
  const left = await store.read();
  return left?.session !== undefined && left.result === undefined;
}

/** The key in words: who gave none has another one in the next run. */
function goesOn(error: unknown, ingestKey: string): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const hint =
    `${error.facts.hint ?? ''} The next run under the ingest key ${ingestKey} goes on with the session.`.trim();
  return new MediaServiceError(error.code, error.message, { ...error.facts, hint }, { cause: error });
}

import { hasCode, MediaServiceError } from '../../../errors';
import type { UploadRequest, UploadResult } from '../../request/upload-request';
import { runUpload } from '../../run-upload';
import type { UploadControl } from '../../run-upload';
import type { UploadSteps } from '../../upload-steps';
import { differsFrom, sourceDiffers } from './journal-failure';
import { JournaledSteps } from './journaled-steps';
import type { JournaledPast, JournalRules } from './journaled-steps';
import { requireSamePart } from './same-part';

export interface JournaledResult {
  /** Its orphans include sessions of earlier runs that could not be continued. */
  readonly result: UploadResult;
  readonly past: JournaledPast;
}

/**
 * Returns the result of an upload that ended under this key, continues one that was cut off, or starts one. A COMPLETED
 * upload stays in the journal as its result. After an error the journal stays too: the error says that the next run
 * continues. If the session ended FAILED, the next run starts another one. Rejects as `runUpload` does.
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
    const isFailed = hasCode(error, 'ProcessingFailed');
    if (!isFailed && (await isUnfinished(rules))) throw goesOn(error, request.ingestKey);
    throw error;
  }
}

/**
 * Returns how the upload under this key ended. First it checks that this run asks for the same media fields and the
 * same file, part by part. Undefined if none ended. It sends no request to the service. Rejects with `InputDiffers` or
 * `SourceChanged`.
 */
export async function earlierResult(
  { source }: Pick<UploadRequest, 'source'>,
  steps: Pick<UploadSteps<string>, 'pinSource' | 'releaseSource'>,
  { found, again, about, md5Of }: Pick<JournalRules, 'found' | 'again' | 'about' | 'md5Of'>,
): Promise<UploadResult | undefined> {
  if (again || found?.result === undefined) return undefined;
  const { uploadId } = found.result;
  if (found.meaning !== about.meaning) throw differsFrom(uploadId);
  const pinned = await steps.pinSource({ source });
  try {
    if (pinned.bytes !== found.bytes) throw sourceDiffers(uploadId, pinned.fileName);
    for (const part of found.parts) await requireSamePart(part, { uploadId, source: pinned, md5Of });
    return found.result;
  } finally {
    // A URL without Range was copied for reading. The sweep of the spool folder removes a copy that stays.
    await steps.releaseSource({ source: pinned.source }).catch(() => undefined);
  }
}

const ENDED_BEFORE: JournaledPast = { continued: false, joined: true, abandoned: [], failure: undefined };

async function isUnfinished({ store }: JournalRules): Promise<boolean> {
  const left = await store.read();
  return left?.session !== undefined && left.result === undefined;
}

/** Names the key in the hint, because a caller who gave no key would get another one in the next run. */
function goesOn(error: unknown, ingestKey: string): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const hint =
    `${error.facts.hint ?? ''} The next run under the ingest key ${ingestKey} continues with the session.`.trim();
  return new MediaServiceError(error.code, error.message, { ...error.facts, hint }, { cause: error });
}

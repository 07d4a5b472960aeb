import { redact } from '../../../api/answers/redact';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { runUpload } from '../../../api/upload/run-upload';
import type { UploadControl } from '../../../api/upload/run-upload';
import { directControl } from '../../../api/upload/direct/direct-steps';
import type { DirectSteps } from '../../../api/upload/direct/plain-steps';
import { sourceIdentity } from '../../../api/upload/sources/source-identity';
import type { PinnedSource } from '../../../api/upload/sources/source';
import type { Orphan, StepFailure } from '../../../api/upload/upload-steps';
import type { Processing } from '../files/page-journal';
import { completedLine, failedLine } from '../files/result-line';
import type { EndedLine } from '../types';
import { STEP_RETRY_MS } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import { RowRun, StillProcessing } from './row-steps';
import type { RowContext, RowUpload } from './row-steps';

/** `large`: the pinned file. `unstarted`: cancelled before its `start`. */
export type RowEnd =
  | EndedLine
  | { readonly processing: Processing }
  | { readonly large: PinnedSource }
  | { readonly unstarted: true };

/** Uploads one row in this process. Never rejects. */
export async function uploadRow(context: RowContext, row: RowUpload): Promise<RowEnd> {
  const { name, request } = row;
  const run = new RowRun(context, row);
  const { steps } = run;
  // The upload handles a failure of the pin.
  const pinned = await steps.pinSource({ source: request.source }).catch(() => undefined);
  if (pinned !== undefined && pinned.bytes > context.maxBytes) return { large: pinned };
  try {
    const result = await runUpload(request, steps, controlOf(context, steps));
    const identity = pinned && sourceIdentity(pinned);
    const joined = result.earlier === true && !row.isContinued;
    return { line: completedLine(name, { result, joined, identity }) };
  } catch (error) {
    return endOf(error, row, { run, signal: context.signal });
  }
}

function controlOf({ deps, accountId, signal }: RowContext, steps: DirectSteps): UploadControl {
  const hooks = { signal, retryForMs: STEP_RETRY_MS, onProgress: () => undefined };
  const control = directControl(accountOf(deps, accountId).service, steps, hooks);
  return { ...control, failureOf: (error) => failureOf(error, signal) };
}

function endOf(
  error: unknown,
  row: RowUpload,
  { run, signal }: { readonly run: RowRun; readonly signal: AbortSignal },
): RowEnd {
  const { cause } = error instanceof Error ? error : {};
  const failure = failureOf(error, signal);
  const { uploadId, orphans, startPending } = failure.facts.details ?? {};
  if (cause instanceof StillProcessing) {
    const left = typeof orphans === 'string' ? [{ reason: orphans }] : [];
    return { processing: processingOf(cause, row, { run, orphans: left }) };
  }
  const isUntouched = uploadId === undefined && orphans === undefined && startPending === undefined;
  if (failure.code === 'Cancelled' && isUntouched) return { unstarted: true };
  return { line: failedLine(row.name, { failure, session: run.session }), failure };
}

/** During a cancellation, a step can fail in another way. That counts as part of the cancellation. */
function failureOf(error: unknown, signal: AbortSignal): StepFailure {
  const isOurs = error instanceof MediaServiceError;
  const facts = isOurs ? error.facts : {};
  if (signal.aborted && !(isOurs && error.code === 'ProcessingFailed'))
    return { code: 'Cancelled', message: isOurs ? error.message : 'the upload was cancelled', facts };
  if (isOurs) return { code: error.code, message: error.message, facts };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  return { code: 'Internal', message: redact(message), facts: { outcome: 'ambiguous' } };
}

function processingOf(
  { completedAt }: StillProcessing,
  { name, isContinued }: RowUpload,
  { run, orphans }: { readonly run: RowRun; readonly orphans: readonly Orphan[] },
): Processing {
  const { parts, session } = run;
  const sent = {
    eTags: [...parts].sort((a, b) => a.partNumber - b.partNumber).map(({ eTag }) => eTag),
    verified: parts.every(({ verified }) => verified),
    retries: parts.reduce((sum, { attempts }) => sum + attempts - 1, 0),
  };
  const { uploadId, mediaId, fileType, bytes, identity } = session ?? {};
  return {
    completedAt,
    line: {
      ...name,
      ...given({ uploadId, mediaId, fileType, bytes, identity }),
      ...(parts.length > 0 ? sent : given({ joined: isContinued ? undefined : true })),
      orphans,
    },
  };
}

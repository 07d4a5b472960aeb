import { MediaServiceError } from '../../errors';
import type { ErrorFacts, Outcome } from '../../errors';
import type { UploadControl, UploadTracker } from './upload-tracker';
import type { Orphan, StepFailure } from '../upload-steps';

/** How far an upload got before it ended. It decides what the error says stays behind. */
type Footprint = Pick<UploadTracker, 'session' | 'orphans' | 'startPending' | 'completion'>;

export function stepFailureOf(error: unknown, control: Pick<UploadControl, 'failureOf'>): StepFailure {
  if (!(error instanceof MediaServiceError)) return control.failureOf(error);
  return { code: error.code, message: error.message, facts: error.facts };
}

/**
 * Makes the error that ends an upload: the step's own error, with what stays at the service and the original error as
 * `cause`.
 */
export function uploadErrorOf(
  error: unknown,
  control: Pick<UploadControl, 'failureOf'>,
  footprint: Footprint,
): MediaServiceError {
  const failure = stepFailureOf(error, control);
  const left = whatStays(footprint, failure.facts.outcome);
  if (failure.code === 'Cancelled') return cancelled(error, failure, footprint);
  const hint = [failure.facts.hint, left].filter((text) => text !== undefined).join(' ');
  return new MediaServiceError(
    failure.code,
    failure.message,
    { ...failure.facts, ...(hint === '' ? {} : { hint }), details: detailsOf(failure.facts, footprint) },
    { cause: error },
  );
}

function cancelled(error: unknown, failure: StepFailure, footprint: Footprint): MediaServiceError {
  const { session, completion } = footprint;
  const message = {
    none: 'the upload was cancelled',
    tried: `the upload was cancelled while complete may have been sent for upload session ${session?.uploadId}`,
    accepted: `only the waiting was cancelled: complete was sent for upload session ${session?.uploadId}, and the service continues with it`,
  }[completion];
  const hint =
    completion === 'accepted'
      ? 'Read the session later to learn how it ended.'
      : (whatStays(footprint) ?? 'Nothing was left at the service.');
  return new MediaServiceError(
    'Cancelled',
    message,
    { ...failure.facts, hint, details: detailsOf(failure.facts, footprint) },
    { cause: error },
  );
}

/** `outcome` is that of the failed step. Undefined: unknown. */
function whatStays({ session, startPending, completion }: Footprint, outcome?: Outcome): string | undefined {
  if (completion === 'accepted') return undefined;
  if (session !== undefined) {
    const stays = `The upload session ${session.uploadId} and its parts stay: the interface has no call that removes them; the operator of the service can.`;
    const known = completion === 'none' || outcome === 'unsent' || outcome === 'refused';
    return known
      ? stays
      : `It is not known whether complete arrived: read the session later. PENDING_COMPLETE, COMPLETED or FAILED mean that it did. Otherwise: ${stays}`;
  }
  return startPending
    ? 'An upload session may exist at the service, because the response to start is not known.'
    : undefined;
}

function detailsOf(
  facts: ErrorFacts,
  { session, orphans, startPending }: Footprint,
): NonNullable<ErrorFacts['details']> {
  return {
    ...facts.details,
    ...session,
    ...(startPending ? { startPending } : {}),
    ...(orphans.length === 0 ? {} : { orphans: orphans.map(nameOf).join(', ') }),
  };
}

function nameOf(orphan: Orphan): string {
  const ids = [
    orphan.uploadId === undefined ? '' : `upload ${orphan.uploadId}`,
    orphan.mediaId === undefined ? '' : `media ${orphan.mediaId}`,
  ];
  return `${ids.filter((id) => id !== '').join(' / ')} (${orphan.reason})`;
}

import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import type { Orphan, StepFailure } from '../../../api/upload/upload-steps';
import { isAccepted, isTerminal } from '../../../api/upload/session/session';
import type { UploadSession } from '../../../api/upload/session/session';
import { readSession } from '../../../api/upload/session/session-status';
import type { ForAccount } from '../../contract';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inPatientActivity } from './in-patient-activity';
import { stillRunning } from './still-running';

type Input = ForAccount<{
  readonly uploadId: string;
  /** How long the service may go on processing from now on, ms. */
  readonly limitMs: number;
}>;

/** `open`: it was never completed, or its processing failed, so that the file is to be uploaded anew; `orphan`: it stays at the service. */
export type SettledSession =
  | {
      readonly session: Pick<UploadSession, 'uploadId' | 'mediaId' | 'fileUrl'> & {
        readonly eTags: readonly string[];
      };
    }
  | { readonly open: true; readonly orphan?: Orphan }
  | { readonly failure: StepFailure };

/**
 * Tells what became of the session of an upload that ended without a result: a cancelled one goes on at the service where `complete` had arrived, and
 * must not be uploaded twice. Waits while the service processes it, as `joinUpload` waits.
 */
export function settleSession(deps: ActivityDeps) {
  return ({ accountId, uploadId, limitMs }: Input): Promise<SettledSession> =>
    inPatientActivity(async (signal) => {
      const { service } = accountOf(deps, accountId);
      const session = await readSession(service, uploadId, signal).catch(openWhereUnknown);
      if (session === undefined || session.status === 'FAILED') return { open: true };
      if (!isAccepted(session.status)) return { open: true, orphan: orphanOf(session) };
      if (isTerminal(session.status)) return { session: settled(session) };
      const { info } = Context.current();
      if (service.clock.now() - info.scheduledTimestampMs > limitMs)
        return { failure: stillProcessing(uploadId) };
      throw stillRunning(`The processing of upload session ${uploadId}`, info.attempt);
    });
}

function orphanOf({ uploadId, mediaId }: UploadSession): Orphan {
  return { uploadId, ...(mediaId === undefined ? {} : { mediaId }), reason: 'the upload was cancelled' };
}

function openWhereUnknown(error: unknown): undefined {
  const status = error instanceof MediaServiceError ? error.facts.status : undefined;
  if (status === 400 || status === 404) return undefined;
  throw error;
}

function settled({
  uploadId,
  mediaId,
  fileUrl,
  parts,
}: UploadSession): Extract<SettledSession, { session: unknown }>['session'] {
  return {
    uploadId,
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(fileUrl === undefined ? {} : { fileUrl }),
    eTags: parts.map(({ eTag }) => eTag),
  };
}

function stillProcessing(uploadId: string): StepFailure {
  return {
    code: 'ProcessingTimeout',
    message: `The service still processes upload session ${uploadId}, which an earlier run of this row completed.`,
    facts: {
      details: { uploadId },
      hint: 'It has not failed: start the batch again later with retry-failed.',
    },
  };
}

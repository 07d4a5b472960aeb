import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from '../../temporal/client/connect';
import type { UploadListing } from '../../temporal/client/list-uploads';
import { openUpload } from '../../temporal/client/open-upload';

/** Each is one call. Of older ones `uploads show` tells the error. */
const MAX_ASKED = 50;
const ANSWERED_WITHIN_MS = 4_000;

/** `error`: of one that failed, as far as it was asked for. */
export type ListedUpload = UploadListing & {
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
};

/** The uploads as listed, the newest of those that failed with their error, as far as Temporal gives it within four seconds. Asks no worker. Never rejects. */
export async function withErrors(
  connection: TemporalConnection,
  uploads: readonly UploadListing[],
): Promise<ListedUpload[]> {
  const asked = uploads.filter(hasFailed).slice(0, MAX_ASKED);
  const by = systemClock.now() + ANSWERED_WITHIN_MS;
  const errors = new Map<string, ListedUpload['error']>();
  await Promise.allSettled(
    asked.map(async ({ workflowId, runId }) => {
      const upload = openUpload(connection, workflowId, { runId });
      errors.set(
        runId,
        await connection.connection.withDeadline(by, () => upload.result().then(() => undefined, errorOf)),
      );
    }),
  );
  return uploads.map((upload) => {
    const error = errors.get(upload.runId);
    return error === undefined ? upload : { ...upload, error };
  });
}

function hasFailed({ status }: UploadListing): boolean {
  return status === 'FAILED' || status === 'TIMED_OUT';
}

/** What kept us from asking is no error of the upload. */
function errorOf(error: unknown): ListedUpload['error'] {
  if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') return undefined;
  const { code, message } = error;
  const { hint } = error.facts;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

/** The cells of an upload's line. The id is last: what is last is never cut. */
export function listedRow({
  status,
  label,
  startedAt,
  mediaId,
  error,
  workflowId,
}: ListedUpload): Record<string, string> {
  return {
    status,
    file: label ?? '',
    started: startedAt.toISOString(),
    media: mediaId ?? '',
    error: error?.code ?? '',
    workflow: workflowId,
  };
}

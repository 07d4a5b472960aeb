import { adviceOf } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { TemporalConnection } from '../../temporal/client/connect';
import { shownError } from '../errors/what-to-do';
import type { UploadListing } from '../../temporal/upload/client/list-uploads';
import { openUpload } from '../../temporal/upload/client/open-upload';
import { PROGRESS_QUERY } from '../../temporal/upload/types';
import type { WorkflowProgress } from '../../temporal/upload/types';

/** Each of these costs one call. `uploads show` has the details of older ones. */
const MAX_ASKED = 50;
const ANSWERED_WITHIN_MS = 4_000;

/**
 * What the index doesn't know. `error`: of a failed upload. `paused`: of a running one. Set only if they were requested
 * and answered.
 */
interface Details {
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly paused?: boolean;
}

type ListedUpload = UploadListing & Details;

/**
 * Returns the listed uploads with details. The newest failed ones get their error from Temporal. For the newest running
 * ones, a worker says whether they are paused. Both must answer within four seconds. Never rejects.
 */
export async function withDetails(
  connection: TemporalConnection,
  uploads: readonly UploadListing[],
): Promise<ListedUpload[]> {
  const by = systemClock.now() + ANSWERED_WITHIN_MS;
  const details = new Map<string, Details>();
  const ask = async (upload: UploadListing, read: Promise<Details>): Promise<void> => {
    details.set(upload.runId, await read);
  };
  await Promise.allSettled([
    ...newest(uploads, FAILED).map((upload) => ask(upload, readError(connection, upload, by))),
    ...newest(uploads, ['RUNNING']).map((upload) =>
      ask(
        upload,
        readPaused(connection, upload, by).then((paused) => ({ paused })),
      ),
    ),
  ]);
  return uploads.map((upload) => ({ ...upload, ...details.get(upload.runId) }));
}

const FAILED = ['FAILED', 'TIMED_OUT'];

function newest(uploads: readonly UploadListing[], statuses: readonly string[]): readonly UploadListing[] {
  return uploads.filter(({ status }) => statuses.includes(status)).slice(0, MAX_ASKED);
}

/**
 * Whether a running upload is paused. Only a worker knows, so this rejects if none answers by the given time, epoch
 * ms.
 */
async function readPaused(
  { connection, client }: TemporalConnection,
  { workflowId, runId }: Pick<UploadListing, 'workflowId' | 'runId'>,
  by: number,
): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const { paused } = await connection.withDeadline(by, () => handle.query<WorkflowProgress>(PROGRESS_QUERY));
  return paused;
}

async function readError(
  connection: TemporalConnection,
  { workflowId, runId }: UploadListing,
  by: number,
): Promise<Details> {
  const upload = openUpload(connection, workflowId, { runId });
  return connection.connection.withDeadline(by, () => upload.result().then(() => ({}), errorOf));
}

/** An error of the request itself is not an error of the upload. */
function errorOf(error: unknown): Details {
  if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') return {};
  const { code, message, facts } = error;
  return { error: shownError({ code, message, ...adviceOf(facts) }) };
}

/** Returns the cells of an upload's line. The id is last, because the last cell is never cut. */
export function listedRow({
  status,
  paused,
  label,
  startedAt,
  mediaId,
  error,
  workflowId,
}: ListedUpload): Record<string, string> {
  return {
    status: paused === true ? 'PAUSED' : status,
    file: label ?? '',
    started: startedAt.toISOString(),
    media: mediaId ?? '',
    error: error?.code ?? '',
    workflow: workflowId,
  };
}

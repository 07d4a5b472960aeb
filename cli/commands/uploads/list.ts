import type { Command } from 'commander';
import { given } from '../../../api/json';
import { parseWhen } from '../../../api/when';
import { accountIdOf, readSettings } from '../../../settings/settings';
import type { Settings } from '../../../settings/settings';
import { listUploads, UPLOAD_STATUSES } from '../../../temporal/upload/client/list-uploads';
import type { ListUploads, UploadListing, UploadStatus } from '../../../temporal/upload/client/list-uploads';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { collect, numberFrom, textFrom, wordOf } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { printList } from '../../output/print-records';
import { adviceOf } from '../../../api/advice';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { shownError } from '../../errors/what-to-do';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import { PROGRESS_QUERY } from '../../../temporal/upload/types';
import type { WorkflowProgress } from '../../../temporal/upload/types';

interface ListFlags {
  readonly limit: number;
  readonly status?: readonly UploadStatus[];
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

export function addUploadsList(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('list')
    .description('List uploads, newest first, within the retention time of the namespace.')
    .option('--limit <n>', 'maximum number to list', numberFrom(1), 20)
    .option(
      '--status <status>',
      `${UPLOAD_STATUSES.join(', ')}; repeatable (default: all)`,
      collect(wordOf(UPLOAD_STATUSES)),
    )
    .option('--name <text>', "only files whose name contains this text, or matches it: '*.mov'", textFrom)
    .option('--from <when>', 'started at this time or later: 2026-11-01, -24h, yesterday, or an ISO time')
    .option('--to <when>', 'started before this time');
  addHelp(
    command,
    "Prints a table, newest first; with --json one upload per line. ERROR is the code of a failed upload, and `uploads show` explains it. Temporal's index can be a second or two behind.",
    [
      ['What failed since yesterday', 'media-service uploads list --status FAILED --from yesterday'],
      [
        'Ids of all running uploads',
        'media-service uploads list --status RUNNING --limit 1000 --json | jq -r .workflowId',
      ],
    ],
  ).action((flags: ListFlags) => list(context, flags));
}

async function list({ terminal, clock, interrupts, env }: CliContext, flags: ListFlags): Promise<void> {
  const settings = readSettings(env);
  const filter = { ...filterOf(settings, flags, clock.now()), signal: interrupts.first };
  const found = await withTemporal(settings, async (connection) =>
    withDetails(connection, await listUploads(connection, filter)),
  );
  const json = flags.json === true ? (upload: ListedUpload) => upload : undefined;
  await printList(terminal, found, { json, row: listedRow, noun: 'upload' });
}

function filterOf(settings: Settings, flags: ListFlags, now: number): ListUploads {
  const { limit, status, name, from, to } = flags;
  const at = (text: string, field: string): number => Date.parse(parseWhen(text, { now, field }));
  return {
    limit,
    ...given({ status, name }),
    ...(from === undefined ? {} : { from: at(from, '--from') }),
    ...(to === undefined ? {} : { to: at(to, '--to') }),
    batch: 'none',
    ...given({ queuePrefix: settings.queuePrefix }),
    accountId: accountIdOf(settings),
  };
}

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
async function withDetails(
  connection: TemporalConnection,
  uploads: readonly UploadListing[],
): Promise<ListedUpload[]> {
  const by = systemClock.now() + ANSWERED_WITHIN_MS;
  const details = new Map<string, Details>();
  const ask = (statuses: readonly string[], read: typeof readError): Promise<void>[] =>
    uploads
      .filter(({ status }) => statuses.includes(status))
      .slice(0, MAX_ASKED)
      .map(async (upload) => {
        const answer = await connection.connection.withDeadline(by, () => read(connection, upload));
        details.set(upload.runId, answer);
      });
  await Promise.allSettled([...ask(['FAILED', 'TIMED_OUT'], readError), ...ask(['RUNNING'], readPaused)]);
  return uploads.map((upload) => ({ ...upload, ...details.get(upload.runId) }));
}

/** Whether a running upload is paused. Only a worker knows. */
async function readPaused(
  { client }: TemporalConnection,
  { workflowId, runId }: UploadListing,
): Promise<Details> {
  const { paused } = await client.workflow
    .getHandle(workflowId, runId)
    .query<WorkflowProgress>(PROGRESS_QUERY);
  return { paused };
}

function readError(connection: TemporalConnection, { workflowId, runId }: UploadListing): Promise<Details> {
  return openUpload(connection, workflowId, { runId })
    .result()
    .then(() => ({}), errorOf);
}

/** An error of the request itself is not an error of the upload. */
function errorOf(error: unknown): Details {
  if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') return {};
  const { code, message, facts } = error;
  return { error: shownError({ code, message, ...adviceOf(facts) }) };
}

/** Returns the cells of an upload's line. The id is last, because the last cell is never cut. */
function listedRow({
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

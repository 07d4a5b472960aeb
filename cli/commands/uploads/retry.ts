import { given } from '../../../api/json';
import type { Command } from 'commander';
import { ValidationError } from '../../../api/errors';
import { parseWhen } from '../../../api/when';
import { mapInOrder } from '../../../api/map-in-order';
import { accountIdOf, readSettings } from '../../../settings/settings';
import type { Settings } from '../../../settings/settings';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { listUploads, readListing } from '../../../temporal/upload/client/list-uploads';
import type { UploadListing } from '../../../temporal/upload/client/list-uploads';
import { retryUpload } from '../../../temporal/upload/client/retry-upload';
import type { RetriedUpload } from '../../../temporal/upload/client/retry-upload';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { controlEach } from '../control';
import { ReportedFailure } from '../../exit-codes';
import { addHelp } from '../../command-help';
import { plainLine } from '../../output/plain-text';
import { waitForUploads } from './wait';
import { neededTogether, warnWithoutWorker } from '../../missing-worker';

const MAX_UPLOADS = 10_000;
const CALLS_AT_ONCE = 16;

interface RetryFlags {
  readonly failed?: boolean;
  readonly from?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly debug?: boolean;
}

/** `media-service uploads retry`: starts failed or cancelled uploads again with their original settings. */
export function addUploadsRetry(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('retry')
    .description('Retry uploads that failed or were cancelled, with their original settings.')
    .argument('[workflow-id...]', 'as `upload` and `uploads list` show them')
    .option('--failed', 'all failed uploads of the account, except rows of batches')
    .option('--from <when>', 'with --failed: started at this time or later: 2026-11-01, -24h, yesterday')
    .option('--wait', 'wait for the end, with a progress bar on a terminal');
  addHelp(
    command,
    'Prints one line per upload, or with --wait what `upload --wait` prints. The earlier session is read first: if the service has completed it, its result is returned and nothing is sent twice. To retry a cancelled upload, give its id.',
    [
      ['One upload', 'media-service uploads retry upload/acme-1a2b3c4d/5e6f --wait'],
      ['What failed since yesterday', 'media-service uploads retry --failed --from yesterday'],
    ],
  ).action((ids: string[], flags: RetryFlags) => retry(context, ids, flags));
}

async function retry(context: CliContext, ids: readonly string[], flags: RetryFlags): Promise<void> {
  refuseUnlessOne(ids, flags);
  const { terminal, interrupts } = context;
  const settings = readSettings(context.env);
  const view = { json: flags.json === true, debug: flags.debug === true };
  await withTemporal(settings, async (connection) => {
    const chosen =
      flags.failed === true ? await failedNow(connection, filterOf(settings, flags, context)) : ids;
    const started: RetriedUpload[] = [];
    const { failure } = await controlEach(terminal, chosen, {
      view,
      control: async (workflowId) => {
        interrupts.first.throwIfAborted();
        return retryUpload(connection, workflowId);
      },
      done: async (_workflowId, upload) => {
        started.push(upload);
        if (flags.wait !== true) await printStart(context, upload, view.json);
      },
    });
    if (chosen.length === 0 && !view.json) terminal.note(nothingToRetry(flags.from));
    const [first, ...others] = started.map(({ need }) => need);
    if (first !== undefined) {
      const need = neededTogether(first, others);
      const waits = { need, starts: 'The uploads start', here: settings.host, json: view.json };
      await warnWithoutWorker(terminal, connection, waits);
    }
    if (flags.wait === true) {
      const watched = started.map(({ label, handle }) => ({ file: label, handle }));
      await waitForUploads(context, watched, view);
    }
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}

function refuseUnlessOne(ids: readonly string[], { failed, from }: RetryFlags): void {
  if ((failed === true) === ids.length > 0) {
    throw new ValidationError(
      'workflow-id',
      failed === true ? "Ids and --failed can't be combined." : 'No upload was given.',
      'Give upload ids or --failed.',
    );
  }
  if (from !== undefined && failed !== true)
    throw new ValidationError('--from', '--from is for --failed.', 'Add --failed, or omit --from.');
}

function filterOf(
  settings: Settings,
  { from }: RetryFlags,
  { clock, interrupts }: CliContext,
): Parameters<typeof listUploads>[1] {
  const { queuePrefix } = settings;
  return {
    accountId: accountIdOf(settings),
    status: ['FAILED', 'TIMED_OUT'],
    batch: 'none',
    limit: MAX_UPLOADS,
    signal: interrupts.first,
    ...given({ queuePrefix }),
    ...(from === undefined
      ? {}
      : { from: Date.parse(parseWhen(from, { now: clock.now(), field: '--from' })) }),
  };
}

/**
 * Returns the ids of uploads whose latest run failed. Temporal still lists the failed run of an upload that was started
 * again.
 */
async function failedNow(
  connection: TemporalConnection,
  filter: Parameters<typeof listUploads>[1],
): Promise<string[]> {
  const found = await listUploads(connection, filter);
  const latest = (run: UploadListing): Promise<readonly [UploadListing, UploadListing]> =>
    readListing(connection, run.workflowId).then((last) => [run, last]);
  const ids: string[] = [];
  for await (const [run, last] of mapInOrder(found, CALLS_AT_ONCE, latest))
    if (run.runId === last.runId) ids.push(run.workflowId);
  return ids;
}

async function printStart(
  { terminal }: CliContext,
  { label, handle: { workflowId, joined } }: RetriedUpload,
  json: boolean,
): Promise<void> {
  if (json) return terminal.json({ file: label, workflowId, joined });
  const how = joined ? 'runs already' : 'started again';
  return terminal.data(`${plainLine(label)}: ${how}, ${workflowId}\n`);
}

function nothingToRetry(from: string | undefined): string {
  const since = from === undefined ? '' : ` that was started at ${from} or later`;
  return `No upload${since} has failed. For rows of a batch, use \`media-service batches retry\`.`;
}

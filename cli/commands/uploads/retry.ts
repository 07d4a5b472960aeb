import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { retryUpload } from '../../../temporal/upload/client/retry-upload';
import type { RetriedUpload } from '../../../temporal/upload/client/retry-upload';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { controlEach } from '../control';
import { ReportedFailure } from '../../exit-codes';
import { addHelp } from '../../command-help';
import { plainLine } from '../../output/plain-text';
import { waitForUploads } from './wait';
import { warnWithoutWorker } from '../../missing-worker';

/** `media-service uploads retry`: starts failed or cancelled uploads again with their original settings. */
export function addUploadsRetry(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('retry')
    .description('Retry uploads that failed or were cancelled, with their original settings.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them')
    .option('--wait', 'wait for the end, with a progress bar on a terminal');
  addHelp(
    command,
    'Prints one line per upload, or with --wait what `upload --wait` prints. The earlier session is read first: if the service has completed it, its result is returned and nothing is sent twice.',
    [
      'media-service uploads retry upload/acme-1a2b3c4d/5e6f --wait',
      'media-service uploads list --status FAILED --from yesterday --json | jq -r .workflowId | xargs media-service uploads retry',
    ],
  ).action((ids: string[], { wait }: { readonly wait?: boolean }) => retry(context, ids, wait));
}

async function retry(context: CliContext, ids: readonly string[], wait = false): Promise<void> {
  const { terminal, interrupts } = context;
  const settings = readSettings(context.env);
  await withTemporal(settings, async (connection) => {
    const started: RetriedUpload[] = [];
    const failure = await controlEach(terminal, ids, {
      control: async (workflowId) => {
        interrupts.first.throwIfAborted();
        return retryUpload(connection, workflowId);
      },
      done: async (_workflowId, upload) => {
        started.push(upload);
        if (!wait) await printStart(context, upload);
      },
    });
    const needs = started.map(({ need }) => need);
    const waits = { needs, starts: 'The uploads start' };
    await warnWithoutWorker(terminal, connection, waits);
    const watched = started.map(({ label, handle }) => ({ file: label, handle }));
    if (wait) await waitForUploads(context, watched, failure);
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}

function printStart(
  { terminal }: CliContext,
  { label, handle: { workflowId, joined } }: RetriedUpload,
): Promise<void> {
  const how = joined ? 'runs already' : 'started again';
  return terminal.answer({ file: label, workflowId, joined }, `${plainLine(label)}: ${how}, ${workflowId}\n`);
}

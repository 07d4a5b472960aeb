import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { ReportedFailure } from '../../exit-codes';
import { withWait } from '../../flags/options';
import { plainLine } from '../../output/plain-text';
import { retryUpload } from '../../../temporal/upload/client/retry-upload';
import type { TemporalConnection } from '../../../temporal/client/connect';
import type { WorkerNeed } from '../../../temporal/client/living-workers';
import { controlEach } from '../control';
import type { ControlEach } from '../control';
import { warnWithoutWorker } from '../../missing-worker';
import { waitForUploads } from './wait';
import type { WatchedUpload } from './wait';

/** `media-service uploads retry`: starts failed or cancelled uploads again with their original settings. */
export function addUploadsRetry(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('retry')
    .description('Retry uploads that failed or were cancelled, with their original settings.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  addHelp(
    withWait(command),
    'Prints one line per upload, or with --wait what `upload --wait` prints. The earlier session is read first: if the service has completed it, its result is returned and nothing is sent twice.',
    [
      'media-service uploads retry upload/acme-1a2b3c4d/5e6f --wait',
      'media-service uploads list --status FAILED --from yesterday --json | jq -r .workflowId | xargs media-service uploads retry',
    ],
  ).action((ids: string[], { wait = false }: { readonly wait?: boolean }) =>
    withTemporal(readSettings(context.env), (connection) =>
      startEach(context, connection, {
        ...{ items: ids, wait, words: { joined: 'runs already', begun: 'started again' } },
        start: async (workflowId) => {
          const { label: file, handle, need } = await retryUpload(connection, workflowId);
          return { file, handle, need };
        },
      }),
    ),
  );
}

interface Starts<Item> extends Pick<ControlEach<Item, unknown>, 'subjectOf'> {
  readonly items: readonly Item[];
  readonly wait: boolean;
  /** What happened to an upload that runs already, and to one that did not. */
  readonly words: { readonly joined: string; readonly begun: string };
  /** `need`: the workers that the upload waits for. */
  readonly start: (item: Item) => Promise<WatchedUpload & { readonly need?: WorkerNeed }>;
}

/** Starts uploads one after the other, as `controlEach`, and prints a line for each, or waits for all. */
export async function startEach<Item>(
  context: CliContext,
  connection: TemporalConnection,
  { items, wait, words, start, ...named }: Starts<Item>,
): Promise<void> {
  const { terminal, interrupts } = context;
  const started: WatchedUpload[] = [];
  const needs: WorkerNeed[] = [];
  const failure = await controlEach(terminal, items, {
    ...named,
    control: async (item) => {
      interrupts.first.throwIfAborted();
      return start(item);
    },
    done: async (_item, { file, handle, need }) => {
      started.push({ file, handle });
      if (need !== undefined) needs.push(need);
      const { workflowId, joined, warning } = handle;
      if (warning !== undefined) terminal.warn({ message: warning });
      const line = `${plainLine(file)}: ${joined ? words.joined : words.begun}, ${workflowId}\n`;
      if (!wait) await terminal.answer({ file, workflowId, joined }, line);
    },
  });
  const starts = needs.length === 1 ? 'The upload starts' : 'The uploads start';
  await warnWithoutWorker(terminal, connection, { needs, starts });
  if (wait) await waitForUploads(context, started, failure);
  if (failure !== undefined) throw new ReportedFailure(failure);
}

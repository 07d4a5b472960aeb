import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { readListing } from '../../../temporal/upload/client/list-uploads';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import type { LiveProgress, UploadHandle } from '../../../temporal/upload/client/open-upload';
import { withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { detach } from '../../interrupts';
import { ReportedFailure, exitCodeOf } from '../../exit-codes';
import { formatBytes, formatSpan, plainJson, plainLine } from '../../output/plain-text';
import { BYTES, chooseProgressView } from '../../watch/progress-view';
import type { ProgressView, Reading } from '../../watch/progress-view';
import { watch } from '../../watch/watch';
import type { Watched } from '../../watch/watch';
import { renderError } from '../../errors/render-error';
import type { Terminal } from '../../output/terminal';
import { hasCode } from '../../../api/errors';
import { retryUpload } from '../../../temporal/upload/client/retry-upload';
import type { TemporalConnection } from '../../../temporal/client/connect';
import type { WorkerNeed } from '../../../temporal/client/living-workers';
import { controlEach } from '../control';
import type { ControlEach } from '../control';
import { warnWithoutWorker } from '../../missing-worker';

export function addUploadsWait(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('wait')
    .description('Wait for uploads to end, and show their progress.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  addHelp(command, 'Prints what `upload --wait` prints. Ctrl-C and SIGTERM detach: the upload continues.', [
    'media-service uploads wait upload/acme-1a2b3c4d/5e6f',
    'media-service uploads wait upload/acme-1a2b3c4d/5e6f --json',
  ]).action(async (ids: string[]) => {
    await withTemporal(readSettings(context.env), async (connection) => {
      // An upload that Temporal does not know keeps only its id. Its wait reports that, and the others continue.
      const labels = await Promise.all(
        ids.map((id) =>
          readListing(connection, id).then(
            ({ label }) => label,
            () => undefined,
          ),
        ),
      );
      const uploads = ids.map((id, index) => ({
        file: labels[index] ?? id,
        handle: openUpload(connection, id),
      }));
      await waitForUploads(context, uploads);
    });
  });
}

export interface WatchedUpload {
  /** As the user knows it. */
  readonly file: string;
  readonly handle: UploadHandle;
}

/**
 * Waits for uploads with progress, and prints each upload's end when it comes. Ctrl-C and SIGTERM detach: the uploads
 * continue, and a hint says how to see them again. Throws `ReportedFailure` with the exit code of the first failure.
 * `failure`: that of an earlier one.
 */
export async function waitForUploads(
  context: CliContext,
  uploads: readonly WatchedUpload[],
  failure?: number,
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const all = uploads.map(({ file: name, handle }): Watched<UploadResult> => ({
    ...{ id: handle.workflowId, name, joined: handle.joined },
    look: async () => uploadReading(await handle.progress()),
    result: (signal) => handle.result(signal),
  }));
  const view = chooseProgressView(terminal, { now: () => clock.now(), all });
  const running = new Set(all);
  let exitCode = failure;
  const { first: signal } = interrupts;
  const waitForOne = async (upload: Watched<UploadResult>): Promise<void> => {
    const end = await watch(upload, { view, clock, signal }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (signal.aborted && 'error' in end) throw end.error;
    running.delete(upload);
    if ('error' in end) exitCode ??= exitCodeOf(end.error);
    await reportEnd(upload, end, { terminal, view });
  };
  try {
    await Promise.all(all.map(waitForOne));
  } catch (error) {
    if (!signal.aborted) throw error;
    view.close();
    return detach(context, { noun: 'upload', running: [...running] });
  }
  view.close();
  if (exitCode !== undefined) throw new ReportedFailure(exitCode);
}

/** What an upload's progress is for a view. */
export function uploadReading(progress: LiveProgress): Reading {
  const { phase, paused, sessionStatus, bytesDone, bytesInFlight, bytesTotal, retries } = progress;
  const isPaused = paused && phase === 'uploading';
  const { partsDone, partsTotal, heartbeatAt, waitsForSlot, waitReason } = progress;
  const processing = sessionStatus === undefined ? phase : `${phase} (${plainLine(sessionStatus)})`;
  return {
    unit: BYTES,
    phase: isPaused ? 'paused' : phase === 'processing' ? processing : phase,
    moves: phase === 'uploading' && !paused,
    done: Math.min(bytesDone + bytesInFlight, bytesTotal ?? Number.MAX_SAFE_INTEGER),
    ...{ total: bytesTotal, heartbeatAt, waitsForSlot, waitReason },
    facts: [
      partsTotal === undefined ? '' : `${partsDone} of ${partsTotal} parts`,
      retries === 0 ? '' : `${retries} ${retries === 1 ? 'retry' : 'retries'}`,
    ],
  };
}

async function reportEnd(
  { id: workflowId, name: file, joined }: Watched<UploadResult>,
  end: { readonly result: UploadResult } | { readonly error: unknown },
  { terminal, view }: { terminal: Terminal; view: ProgressView },
): Promise<void> {
  if ('error' in end) {
    view.end(workflowId, hasCode(end.error, 'Cancelled') ? 'cancelled' : 'failed');
    // While bars are drawn, only the view can write without being overwritten.
    if (terminal.screen === undefined) terminal.fail(end.error, file);
    else view.say(renderError(end.error, terminal.view, file).trimEnd());
    return;
  }
  const { result } = end;
  view.end(workflowId, 'completed');
  const line = terminal.isJson
    ? plainJson({ file, workflowId, joined, ...result })
    : `${plainLine(file)}: COMPLETED${howItEnded(result, joined)}, media id ${plainLine(result.mediaId ?? 'unknown')}`;
  if (terminal.isOneScreen) view.say(line);
  else await terminal.data(`${line}\n`);
  if (terminal.isJson) return;
  for (const { uploadId, mediaId, reason } of result.orphans)
    view.say(plainLine(`${file}: left behind ${uploadId ?? mediaId ?? 'a session'}: ${reason}`));
}

function howItEnded({ parts, bytes, durationMs, earlier }: UploadResult, joined: boolean): string {
  if (earlier === true) return ` (an earlier run had sent it), ${formatBytes(bytes)}`;
  const how = joined ? ' (joined an upload that was started before)' : '';
  const verified = parts.filter((part) => part.verified).length;
  const sent = `${formatBytes(bytes)} in ${formatSpan(durationMs)}`;
  return `${how}, ${sent}, ${verified} of ${parts.length} parts verified`;
}

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

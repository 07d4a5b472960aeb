import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { readListing } from '../../../temporal/upload/client/list-uploads';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import type { LiveProgress, UploadHandle } from '../../../temporal/upload/client/open-upload';
import { withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import type { UploadResult } from '../../../api/upload/types';
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
      const uploads = ids.map(async (id) => {
        // An upload that Temporal does not know keeps only its id. Its wait reports that, and the others continue.
        const listing = await readListing(connection, id).catch(() => undefined);
        return { file: listing?.label ?? id, handle: openUpload(connection, id) };
      });
      await waitForUploads(context, await Promise.all(uploads));
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

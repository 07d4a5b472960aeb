import type { Command } from 'commander';
import { given } from '../../../api/json';
import { readSettings } from '../../../settings/settings';
import { readListing } from '../../../temporal/upload/client/list-uploads';
import type { UploadListing } from '../../../temporal/upload/client/list-uploads';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import type { LiveProgress, UploadHandle } from '../../../temporal/upload/client/open-upload';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { detach } from '../../interrupts';
import { exitCodeOf, ReportedFailure } from '../../exit-codes';
import { formatBytes, formatSpan, plainJson, plainLine } from '../../output/plain-text';
import { chooseProgressView } from '../../progress/progress-view';
import type { ProgressView } from '../../progress/progress-view';
import { renderError } from '../../errors/render-error';
import type { Terminal } from '../../output/terminal';
import type { Clock } from '../../../api/clock';
import { hasCode, MediaServiceError } from '../../../api/errors';
import { waitReasonOf } from '../../../temporal/client/wait-reason';
import type { WaitReason } from '../../../temporal/client/wait-reason';
import { STEP_RETRY_MS } from '../../../temporal/upload/types';
import { waitReasonLines } from '../../errors/what-to-do';

export function addUploadsWait(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('wait')
    .description('Wait for uploads to end, and show their progress.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  addHelp(command, 'Prints what `upload --wait` prints. Ctrl-C and SIGTERM detach: the upload continues.', [
    ['Wait again after Ctrl-C', 'media-service uploads wait upload/acme-1a2b3c4d/5e6f'],
    ['Its result as JSON', 'media-service uploads wait upload/acme-1a2b3c4d/5e6f --json'],
  ]).action(async (ids: string[], flags: { readonly json?: boolean; readonly debug?: boolean }) => {
    await withTemporal(readSettings(context.env), async (connection) => {
      const names = uploadNames(await Promise.all(ids.map((id) => listingOf(connection, id))));
      const uploads = ids.map((id, index) => ({
        file: names[index] ?? id,
        handle: openUpload(connection, id),
      }));
      await waitForUploads(context, uploads, { json: flags.json === true, debug: flags.debug === true });
    });
  });
}

/** An upload that Temporal does not know keeps only its id. Its wait reports that, and the others continue. */
async function listingOf(
  connection: TemporalConnection,
  workflowId: string,
): Promise<Pick<UploadListing, 'workflowId' | 'label'>> {
  return readListing(connection, workflowId).catch(() => ({ workflowId }));
}

/** Returns the user's name for each upload: its file's name, or its id if the name is unknown or shared. */
export function uploadNames(uploads: ReadonlyArray<Pick<UploadListing, 'workflowId' | 'label'>>): string[] {
  return uploads.map(({ workflowId, label }) => {
    const isShared = uploads.filter((other) => other.label === label).length > 1;
    return label === undefined || isShared ? workflowId : label;
  });
}

interface WaitFlags {
  readonly json: boolean;
  readonly debug: boolean;
  /** Exit code of an earlier failure. */
  readonly failure?: number | undefined;
}

/**
 * Waits for uploads with progress, and prints each upload's end when it comes. Ctrl-C and SIGTERM detach: the uploads
 * continue, and a hint says how to see them again. Throws `ReportedFailure` with the exit
 * code of the first failure.
 */
export async function waitForUploads(
  context: CliContext,
  uploads: readonly WatchedUpload[],
  flags: WaitFlags,
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const watched = uploads.map(({ handle: { workflowId: id }, file, bytes }) => ({
    id,
    file,
    ...given({ bytes }),
  }));
  const view = chooseProgressView(terminal, { json: flags.json, now: () => clock.now(), uploads: watched });
  const running = new Set(uploads);
  let { failure } = flags;
  const onEnd = async (end: UploadEnd): Promise<void> => {
    running.delete(end.upload);
    if ('error' in end) failure ??= exitCodeOf(end.error);
    await reportEnd(end, { terminal, view, flags });
  };
  try {
    await watchUploads(uploads, { view, clock, signal: interrupts.first, onEnd });
  } catch (error) {
    view.close();
    if (!interrupts.first.aborted) throw error;
    return leave(context, [...running], flags.json);
  }
  view.close();
  if (failure !== undefined) throw new ReportedFailure(failure);
}

interface Reporting {
  readonly terminal: Terminal;
  readonly view: ProgressView;
  readonly flags: WaitFlags;
}

async function reportEnd(end: UploadEnd, { terminal, view, flags }: Reporting): Promise<void> {
  const { file, handle } = end.upload;
  if ('error' in end) {
    view.failed(handle.workflowId, hasCode(end.error, 'Cancelled') ? 'cancelled' : 'failed');
    const text = renderError(end.error, { json: flags.json, debug: flags.debug, subject: file });
    // While bars are drawn, only the view can write without being overwritten.
    if (flags.json && terminal.screen === undefined) terminal.report(text);
    else view.say(text.trimEnd());
    return;
  }
  const { result } = end;
  view.completed(handle.workflowId, result.bytes);
  const line = flags.json
    ? plainJson({ file, workflowId: handle.workflowId, joined: handle.joined, ...result })
    : `${plainLine(file)}: COMPLETED${howItEnded(result, handle.joined)}, media id ${plainLine(result.mediaId ?? 'unknown')}`;
  if (terminal.isOneScreen) view.say(line);
  else await terminal.data(`${line}\n`);
  if (flags.json) return;
  for (const orphan of result.orphans)
    view.say(
      plainLine(`${file}: left behind ${orphan.uploadId ?? orphan.mediaId ?? 'a session'}: ${orphan.reason}`),
    );
}

async function leave(context: CliContext, running: readonly WatchedUpload[], json: boolean): Promise<never> {
  const ids = running.map(({ handle }) => handle.workflowId);
  for (const { file, handle } of json ? running : [])
    await context.terminal.json({ file, workflowId: handle.workflowId, state: 'detached' });
  const commands = { wait: 'media-service uploads wait', cancel: 'media-service uploads cancel' };
  return detach(context, { noun: 'upload', ids, ...commands, json });
}

function howItEnded({ parts, bytes, durations, earlier }: UploadResult, joined: boolean): string {
  if (earlier === true) return ` (an earlier run had sent it), ${formatBytes(bytes)}`;
  const how = joined ? ' (joined an upload that was started before)' : '';
  const verified = parts.filter((part) => part.verified).length;
  const sent = `${formatBytes(bytes)} in ${formatSpan(durations.totalMs)}`;
  return `${how}, ${sent}, ${verified} of ${parts.length} parts verified`;
}

const LOOK_EVERY_MS = 1_000;

export interface WatchedUpload {
  /** As the user knows it. */
  readonly file: string;
  readonly handle: UploadHandle;
  /** Size of its file, if known here. */
  readonly bytes?: number;
}

export type UploadEnd =
  | { readonly upload: WatchedUpload; readonly result: UploadResult }
  | { readonly upload: WatchedUpload; readonly error: unknown };

export interface Watch {
  readonly view: ProgressView;
  readonly clock: Clock;
  /** Ends the watching; the uploads continue. */
  readonly signal: AbortSignal;
  /** Called as soon as one upload ends, well or badly. */
  onEnd(end: UploadEnd): Promise<void>;
}

/**
 * Watches uploads until all have ended. Rejects with the signal's reason when it aborts. A failed upload does not
 * reject.
 */
export async function watchUploads(uploads: readonly WatchedUpload[], watch: Watch): Promise<void> {
  await Promise.all(uploads.map((upload) => watchOne(upload, watch)));
}

async function watchOne(upload: WatchedUpload, watch: Watch): Promise<void> {
  const ended = new AbortController();
  const warn = warner(upload, watch.view);
  const looking = showProgress(upload, { ...watch, warn }, AbortSignal.any([ended.signal, watch.signal]));
  try {
    // A look that is still running would report progress after the end.
    const result = await upload.handle.result(watch.signal).finally(() => ended.abort());
    warn(result);
    await watch.onEnd({ upload, result });
  } catch (error) {
    watch.signal.throwIfAborted();
    await watch.onEnd({ upload, error });
  } finally {
    ended.abort();
    await looking;
  }
}

/** Shows a warning once, although every look and the result contain it. */
function warner({ file }: WatchedUpload, view: ProgressView): (about: { warning?: string }) => void {
  let said: string | undefined;
  return ({ warning }) => {
    if (warning !== undefined && warning !== said) view.say(plainLine(`${file}: ${warning}`));
    said = warning ?? said;
  };
}

/**
 * Looks every second until the signal aborts. If a look fails, or the upload can't continue, it reports the reason once
 * it has occurred twice in a row. That is not a failure of the upload.
 */
async function showProgress(
  { file, handle }: WatchedUpload,
  watch: Watch & { readonly warn: (progress: LiveProgress) => void },
  signal: AbortSignal,
): Promise<void> {
  let said = '';
  let last = '';
  const hasEnded = (): boolean => signal.aborted;
  while (!hasEnded()) {
    let text: string;
    try {
      const progress = await handle.progress();
      if (hasEnded()) return;
      watch.view.show(handle.workflowId, progress);
      watch.warn(progress);
      text = reasonText(progress.waitReason);
    } catch (error) {
      text = obstacleOf(error);
    }
    // A single look proves little: a worker may have died while another one takes over, and a step may fail for a
    // moment.
    const isSure = text === last;
    if (isSure && text !== '' && reasonOf(text) !== reasonOf(said)) watch.view.say(`${file}: ${text}`);
    if (isSure || text === '') said = text;
    last = text;
    // The loop checks what ended the wait.
    await watch.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Returns a temporary reason why an upload does not continue. Anything else shows in its result. */
function obstacleOf(error: unknown): string {
  if (!(error instanceof MediaServiceError)) return '';
  if (error.code === 'NoWorker') return reasonText(waitReasonOf(error));
  return error.code === 'TemporalUnreachable' ? `${error.message} Still trying.` : '';
}

function reasonText(waitReason: WaitReason | undefined): string {
  const [why = '', ...rest] = waitReasonLines(waitReason, STEP_RETRY_MS).map(plainLine);
  return rest.length === 0 ? why : [why.replace(/(?<![.!?])$/, '.'), ...rest].join(' ');
}

/** `start` waits because it failed, and then because its host does not answer either. Both count as one reason. */
function reasonOf(text: string): string {
  return text.replace(/\bupload (start|host): /, '').replace(/; it is tried again in \d+ s(?=\.)/, '');
}

import type { UploadResult } from '../../api/upload/request/upload-request';
import type { CliContext } from '../context';
import { detach } from '../detach';
import { EXIT_CODES, exitCodeOf, ReportedFailure } from '../exit-codes';
import { formatBytes, formatSpan } from '../output/units';
import { plainJson, plainLine } from '../output/plain-text';
import { chooseProgressView } from '../progress/progress-view';
import type { ProgressView } from '../progress/progress-view';
import { renderError } from '../errors/render-error';
import type { Terminal } from '../output/terminal';
import { watchUploads } from './watch-uploads';
import type { UploadEnd, WatchedUpload } from './watch-uploads';

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
  const view = chooseProgressView(terminal, { json: flags.json, now: () => clock.now(), uploads });
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
    view.failed(file, exitCodeOf(end.error) === EXIT_CODES.CANCELLED.code ? 'cancelled' : 'failed');
    const text = renderError(end.error, { json: flags.json, debug: flags.debug, subject: file });
    // While bars are drawn, only the view can write without being overwritten.
    if (flags.json && terminal.screen === undefined) terminal.report(text);
    else view.say(text.trimEnd());
    return;
  }
  const { result } = end;
  view.completed(file, result.bytes);
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
  const commands = { watch: 'media-service uploads wait', cancel: 'media-service uploads cancel' };
  return detach(context, { noun: 'upload', ids, ...commands, json });
}

function howItEnded({ parts, bytes, durations, earlier }: UploadResult, joined: boolean): string {
  if (earlier === true) return ` (an earlier run had sent it), ${formatBytes(bytes)}`;
  const how = joined ? ' (joined an upload that was started before)' : '';
  const verified = parts.filter((part) => part.verified).length;
  const sent = `${formatBytes(bytes)} in ${formatSpan(durations.totalMs)}`;
  return `${how}, ${sent}, ${verified} of ${parts.length} parts verified`;
}

import type { Command } from 'commander';
import { shown, waitReasonLines } from '../../errors/what-to-do';
import { readSettings } from '../../../settings/settings';
import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { Clock } from '../../../api/clock';
import { readListing } from '../../../temporal/upload/client/list-uploads';
import type { UploadListing } from '../../../temporal/upload/client/list-uploads';
import { progressOf } from '../../../temporal/client/run-handle';
import type { WaitReason } from '../../../temporal/client/wait-reason';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import type { LiveProgress } from '../../../temporal/upload/client/open-upload';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { readSession } from '../../../api/upload/protocol/session';
import { withService, withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { ReportedFailure, exitCodeOf } from '../../exit-codes';
import { STEP_RETRY_MS } from '../../../temporal/upload/types';
import { counted, plainLine } from '../../output/plain-text';
import { Progress } from '../../watch/progress-view';
import { uploadReading } from './wait';

export function addUploadsShow(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('show')
    .description('Show the current state of an upload.')
    .argument('<workflow-id>', 'as `upload` and `uploads list` show it')
    .option(
      '--session',
      'instead: what the service says about the session with this upload id, without Temporal',
    );
  addHelp(
    command,
    'Prints one line, and the reason if the upload waits; with --json one object. The error of an upload that failed is on stderr, and the exit code is that of `uploads wait`.',
    ['media-service uploads show upload/acme-1a2b3c4d/5e6f', 'media-service uploads show 5e6f7a8b --session'],
  ).action((workflowId: string, { session }: { readonly session?: boolean }) =>
    session === true
      ? showSession(context, workflowId)
      : withTemporal(readSettings(context.env), (connection) => show(context, connection, workflowId)),
  );
}

/** api.md, "GET {upload_url}/upload/{uploadId}". */
async function showSession(context: CliContext, uploadId: string): Promise<void> {
  if (uploadId.startsWith('upload/')) {
    throw new ValidationError(
      'workflow-id',
      `${uploadId} is the id of an upload in Temporal, and --session takes the id of a session at the service.`,
      `\`media-service uploads show ${uploadId} --json\` names it as uploadId.`,
    );
  }
  const session = await withService(context, (service) =>
    readSession(service, uploadId, context.interrupts.first),
  );
  const { status, mediaId, parts, failureReason } = session;
  const facts = [
    status,
    ...(mediaId === undefined ? [] : [`media id ${mediaId}`]),
    `${counted(parts.length, 'part')} registered`,
    ...(failureReason === undefined ? [] : [failureReason]),
  ];
  await context.terminal.answer(session, `${plainLine(`${uploadId}: ${facts.join(', ')}`)}\n`);
}

/** Throws `ReportedFailure` with the exit code of an upload that failed or was cancelled. */
async function show(
  { terminal, clock }: CliContext,
  connection: TemporalConnection,
  workflowId: string,
): Promise<void> {
  const listing = await readListing(connection, workflowId);
  const { label: subject = workflowId, runId, closedAt, status } = listing;
  const endedBadly = closedAt !== undefined && status !== 'COMPLETED';
  const handle = openUpload(connection, workflowId, { runId });
  const live: { readonly progress?: LiveProgress; readonly waitReason?: WaitReason } = endedBadly
    ? {}
    : await progressOf(handle);
  const { progress } = live;
  const waitReason = progress?.waitReason ?? (closedAt === undefined ? live.waitReason : undefined);
  // Without a progress, this is only what Temporal itself knows: no worker answered, or the upload has failed.
  const known = progress === undefined ? listing : { workflowId, ...progress };
  const line = progress === undefined ? listingLine(listing) : progressLine(workflowId, progress, clock);
  const reasons = waitReasonLines(waitReason, STEP_RETRY_MS).map((reason) => `  ${plainLine(reason)}`);
  await terminal.answer(
    { ...known, ...given({ waitReason: shown(waitReason) }) },
    [line, ...reasons, ''].join('\n'),
  );
  if (!endedBadly) return;
  const error = await handle.result().catch((failure: unknown) => failure);
  terminal.fail(error, subject);
  throw new ReportedFailure(exitCodeOf(error));
}

function progressLine(workflowId: string, progress: LiveProgress, clock: Clock): string {
  const shown = new Progress(progress.fileName ?? workflowId);
  shown.add(uploadReading(progress), clock.now());
  return shown.text;
}

/** Shows what Temporal itself knows. */
function listingLine({ workflowId, label, status, startedAt, closedAt, mediaId }: UploadListing): string {
  const facts = [
    status,
    `started ${startedAt.toISOString()}`,
    ...(closedAt === undefined ? [] : [`ended ${closedAt.toISOString()}`]),
    ...(mediaId === undefined ? [] : [`media id ${mediaId}`]),
  ];
  return plainLine(`${label ?? workflowId}: ${facts.join(', ')}`);
}

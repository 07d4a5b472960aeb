import { given } from '../../../api/json';
import type { Command } from 'commander';
import { MediaServiceError } from '../../../api/errors';
import type { RetryingService } from '../../../api/service/service';
import { pollToTheEnd } from '../../../api/upload/direct/reach';
import { readSession } from '../../../api/upload/session/poll-session';
import type { UploadSession } from '../../../api/upload/session/session';
import { withService } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { plainLine } from '../../output/plain-text';

/** A service that does not answer is tolerated for this long. */
const RETRY_FOR_MS = 10 * 60_000;

interface SessionFlags {
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** `media-service uploads session`: api.md, "GET {upload_url}/upload/{uploadId}". */
export function addUploadsSession(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('session')
    .description('Show the session of an upload in the service, without Temporal.')
    .argument('<upload-id>', 'as results, errors and `uploads list --json` show it')
    .option('--wait', 'wait until it is COMPLETED or FAILED');
  addHelp(command, {
    output:
      'One line. --json: {"uploadId","mediaId","status","fileUrl","failureReason","sanitizedTitle",' +
      '"parts":[{"partNumber","eTag"}]}. With --wait, a FAILED session is an error.',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK', 'UPLOAD_FAILED'],
    examples: [
      { says: 'What became of it?', run: 'media-service uploads session 5e6f7a8b' },
      {
        says: 'Keep waiting for a slow upload',
        run: 'media-service uploads session 5e6f7a8b --wait --json | jq -r .mediaId',
      },
    ],
  }).action((uploadId: string, flags: SessionFlags) =>
    withService(context, (service) => show(service, context, { uploadId, flags })),
  );
}

async function show(
  service: RetryingService,
  context: CliContext,
  { uploadId, flags }: { readonly uploadId: string; readonly flags: SessionFlags },
): Promise<void> {
  const { terminal, interrupts } = context;
  const now = await readSession(service, uploadId, interrupts.first);
  const session =
    flags.wait === true ? await waitFor(service, context, { now, quiet: flags.json === true }) : now;
  const { raw: _raw, ...shown } = session;
  return flags.json === true ? terminal.json(shown) : terminal.data(`${lineOf(session)}\n`);
}

/** Waits without a limit, because the user asked for it. */
async function waitFor(
  service: RetryingService,
  { terminal, interrupts }: CliContext,
  { now, quiet }: { readonly now: UploadSession; readonly quiet: boolean },
): Promise<UploadSession> {
  const { uploadId } = now;
  let last = '';
  const onSessionStatus = (status: string): void => {
    if (status !== last && !quiet) terminal.note(plainLine(`${uploadId}: ${status}`));
    last = status;
  };
  const input = { uploadId, completedAt: service.clock.now(), limitMs: Infinity };
  const hooks = { signal: interrupts.first, retryForMs: RETRY_FOR_MS, onSessionStatus };
  return refuseFailed(await pollToTheEnd(service.once, input, hooks));
}

function refuseFailed(session: UploadSession): UploadSession {
  if (session.status !== 'FAILED') return session;
  const { uploadId, failureReason } = session;
  const why = failureReason === undefined ? '' : `: ${plainLine(failureReason)}`;
  throw new MediaServiceError(
    'ProcessingFailed',
    `the service could not process upload session ${uploadId}${why}`,
    {
      operation: 'processing',
      outcome: 'refused',
      details: { uploadId, ...given({ failureReason }) },
    },
  );
}

function lineOf({ uploadId, status, mediaId, parts, failureReason }: UploadSession): string {
  const facts = [
    status,
    mediaId === undefined ? '' : `media id ${mediaId}`,
    `${parts.length} part${parts.length === 1 ? '' : 's'} registered`,
    failureReason ?? '',
  ];
  return plainLine(`${uploadId}: ${facts.filter((fact) => fact !== '').join(', ')}`);
}

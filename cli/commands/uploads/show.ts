import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import type { Clock } from '../../../api/clock';
import type { UploadListing } from '../../../temporal/client/list-uploads';
import type { LiveProgress } from '../../../temporal/client/upload-handle';
import { readUploadState, type UploadState } from '../../../temporal/client/upload-state';
import { withTemporal, type CliContext } from '../../context';
import { teach } from '../../help-text';
import { heldUpLines } from '../../output/held-up-lines';
import { plainLine } from '../../output/plain-text';
import { bytesSoFar, progressLine } from '../../progress/progress-text';
import { createTransferMeter } from '../../progress/transfer-meter';

export function addUploadsShow(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('show')
    .description('Show where an upload stands, now.')
    .argument('<workflow-id>', 'as `upload` and `uploads list` show it');
  teach(command, {
    output:
      'One line, and the reason if it waits: a step that is tried again, or no worker. --json: {"workflowId","phase","paused",\n' +
      '"fileName","bytesTotal","bytesDone","bytesInFlight","partsTotal","partsDone","partsRunning","retries","uploadId","mediaId",\n' +
      '"sessionStatus","heldUpBy":{"code","message","hint"}}. If no worker is there to answer it is what Temporal itself knows:\n' +
      '{"workflowId","runId","status","startedAt","closedAt","label","ingestKey","uploadId","mediaId","heldUpBy"}.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
    examples: [
      { says: 'Where does it stand?', run: 'media-service uploads show upload/acme-1a2b3c4d/5e6f' },
      {
        says: 'Parts done, as a number',
        run: 'media-service uploads show upload/acme-1a2b3c4d/5e6f --json | jq .partsDone',
      },
    ],
  }).action(async (workflowId: string, flags: { readonly json?: boolean }) => {
    const state = await withTemporal(readSettings(), (connection) => readUploadState(connection, workflowId));
    const { terminal, clock } = context;
    if (flags.json === true) return terminal.json(jsonOf(workflowId, state));
    const [line, heldUp] =
      'progress' in state
        ? [lineOf(workflowId, state.progress, clock), state.progress.heldUpBy]
        : [listingLine(state.listing), state.heldUpBy];
    const lines = [line, ...heldUpLines(heldUp).map((reason) => `  ${plainLine(reason)}`)];
    return terminal.data(`${lines.join('\n')}\n`);
  });
}

function jsonOf(workflowId: string, state: UploadState): object {
  if ('progress' in state) return { workflowId, ...state.progress };
  const { listing, heldUpBy } = state;
  return { ...listing, ...(heldUpBy === undefined ? {} : { heldUpBy }) };
}

function lineOf(workflowId: string, progress: LiveProgress, clock: Clock): string {
  const meter = createTransferMeter();
  meter.add({ at: clock.now(), bytes: bytesSoFar(progress), bytesDone: progress.bytesDone });
  return progressLine(progress.fileName ?? workflowId, progress, meter);
}

/** What Temporal itself knows. */
function listingLine({ workflowId, label, status, startedAt, closedAt, mediaId }: UploadListing): string {
  const facts = [
    status,
    `started ${startedAt.toISOString()}`,
    ...(closedAt === undefined ? [] : [`ended ${closedAt.toISOString()}`]),
    ...(mediaId === undefined ? [] : [`media id ${mediaId}`]),
  ];
  return plainLine(`${label ?? workflowId}: ${facts.join(', ')}`);
}

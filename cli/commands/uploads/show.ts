import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { openUpload } from '../../../temporal/client/open-upload';
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
      'One line, and what holds it up where a step is tried again. --json: {"workflowId","phase","paused","fileName","bytesTotal","bytesDone","bytesInFlight","partsTotal",\n' +
      '"partsDone","partsRunning","retries","uploadId","mediaId","sessionStatus","heldUpBy":{"code","message","hint"}}. A worker has to be there to answer.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'NO_WORKER'],
    examples: [
      { says: 'Where does it stand?', run: 'media-service uploads show upload/acme-1a2b3c4d/5e6f' },
      {
        says: 'Parts done, as a number',
        run: 'media-service uploads show upload/acme-1a2b3c4d/5e6f --json | jq .partsDone',
      },
    ],
  }).action(async (workflowId: string, flags: { readonly json?: boolean }) => {
    const progress = await withTemporal(readSettings(), (connection) =>
      openUpload(connection, workflowId).progress(),
    );
    if (flags.json === true) return context.terminal.json({ workflowId, ...progress });
    const meter = createTransferMeter();
    meter.add({ at: context.clock.now(), bytes: bytesSoFar(progress), bytesDone: progress.bytesDone });
    const lines = [
      progressLine(progress.fileName ?? workflowId, progress, meter),
      ...heldUpLines(progress.heldUpBy).map((line) => `  ${plainLine(line)}`),
    ];
    return context.terminal.data(`${lines.join('\n')}\n`);
  });
}

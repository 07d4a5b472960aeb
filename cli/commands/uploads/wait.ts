import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { openUpload } from '../../../temporal/client/open-upload';
import { withTemporal, type CliContext } from '../../context';
import { teach } from '../../help-text';
import { waitForUploads } from '../../uploads/wait-for-uploads';

export function addUploadsWait(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('wait')
    .description('Wait for uploads that were started before, with progress.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  teach(command, {
    output: 'As `media-service upload --wait`; "file" is the workflow id.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'UPLOAD_FAILED', 'STILL_PROCESSING', 'CANCELLED'],
    examples: [
      {
        says: 'See an upload again after Ctrl-C',
        run: 'media-service uploads wait upload/acme-1a2b3c4d/5e6f',
      },
      { says: 'Its result as JSON', run: 'media-service uploads wait upload/acme-1a2b3c4d/5e6f --json' },
    ],
  }).action(async (ids: string[], flags: { readonly json?: boolean; readonly debug?: boolean }) => {
    await withTemporal(readSettings(), (connection) =>
      waitForUploads(
        context,
        ids.map((id) => ({ file: id, handle: openUpload(connection, id) })),
        { json: flags.json === true, debug: flags.debug === true },
      ),
    );
  });
}

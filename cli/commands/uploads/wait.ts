import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { readListing } from '../../../temporal/upload/client/list-uploads';
import type { UploadListing } from '../../../temporal/upload/client/list-uploads';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { waitForUploads } from '../../uploads/wait-for-uploads';

export function addUploadsWait(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('wait')
    .description('Wait for uploads to end, and show their progress.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  addHelp(command, {
    output:
      'As `media-service upload --wait`; "file" is the name of the file, or the workflow id if the name is unknown.\n' +
      'Ctrl-C and SIGTERM detach: the upload continues.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'UPLOAD_FAILED', 'STILL_PROCESSING', 'CANCELLED'],
    examples: [
      {
        says: 'Watch an upload again after Ctrl-C',
        run: 'media-service uploads wait upload/acme-1a2b3c4d/5e6f',
      },
      { says: 'Its result as JSON', run: 'media-service uploads wait upload/acme-1a2b3c4d/5e6f --json' },
    ],
  }).action(async (ids: string[], flags: { readonly json?: boolean; readonly debug?: boolean }) => {
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

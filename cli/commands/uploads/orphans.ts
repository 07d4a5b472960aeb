import type { Command } from 'commander';
import type { OrphanSearch, Orphan } from '../../../api/upload/upload-steps';
import { readListing, type UploadListing } from '../../../temporal/client/list-uploads';
import { withService, withTemporal, type CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { plainLine } from '../../output/plain-text';
import { given } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { findOrphans } from '../../../api/upload/session/orphans';

/** `media-service uploads orphans`: only searches, because the interface can't remove a session or its parts. */
export function addUploadsOrphans(uploads: Command, context: CliContext): void {
  const command = uploads
    .command('orphans')
    .description('Find unused sessions and media that uploads left in the service.')
    .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
  addHelp(command, {
    output:
      'One line per orphan. --json: one line per upload ' +
      '{"workflowId","orphans":[{"uploadId","mediaId","reason"}],"verifiable"}; "verifiable" is false if the service ' +
      "can't search for the ingest tag. It takes ten seconds per upload. It removes nothing: the service has no call for that.",
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK', 'TEMPORAL'],
    examples: [
      { says: 'One upload', run: 'media-service uploads orphans upload/acme-1a2b3c4d/5e6f' },
      {
        says: 'All failed uploads',
        run: `media-service uploads list --limit 1000 --json | jq -r 'select(.status=="FAILED").workflowId' | xargs media-service uploads orphans --json`,
      },
    ],
  }).action((ids: string[], flags: { readonly json?: boolean }) =>
    withService(context, (service, settings) =>
      withTemporal(settings, async (connection) => {
        for (const workflowId of ids) {
          const listing = await readListing(connection, workflowId);
          const search = await leftBehind(service, listing, context.interrupts.first);
          if (flags.json === true) await context.terminal.json({ workflowId, ...search });
          else await report(context, workflowId, search);
        }
      }),
    ),
  );
}

async function report(
  { terminal }: CliContext,
  workflowId: string,
  { orphans, verifiable }: OrphanSearch,
): Promise<void> {
  for (const { uploadId, mediaId, reason } of orphans) {
    const session = uploadId === undefined ? '' : `session ${uploadId} `;
    const media = mediaId === undefined ? '' : `media ${mediaId} `;
    await terminal.data(`${plainLine(`${workflowId}: ${session}${media}(${reason})`)}\n`);
  }
  const more = verifiable ? '' : " There can be others: the service can't search for the ingest tag.";
  terminal.note(plainLine(`${workflowId}: ${orphans.length === 0 ? 'none' : orphans.length} found.${more}`));
}

/**
 * Returns what an upload left in the service. That is the session of a failed or cancelled upload, and other media with
 * its ingest key. Such media come from a lost `start`, or from earlier tries under the same key. "None" means "none
 * found"; `verifiable` is false if the search is inconclusive, see `findOrphans`. Takes ten seconds, because an index
 * may lag behind.
 */
export async function leftBehind(
  service: Service,
  { ingestKey, uploadId, mediaId, status }: UploadListing,
  signal?: AbortSignal,
): Promise<OrphanSearch> {
  const ids = given({ uploadId, mediaId });
  const endedWell = status === 'RUNNING' || status === 'COMPLETED';
  const own: Orphan[] =
    endedWell || uploadId === undefined ? [] : [{ ...ids, reason: `its upload ended as ${status}` }];
  if (ingestKey === undefined) return { orphans: own, verifiable: false };
  const found = await findOrphans(service, { ingestKey, known: Object.values(ids) }, signal);
  const others = found.orphans.map((orphan) => ({ ...orphan, reason: 'it carries the ingest key' }));
  return { orphans: [...own, ...others], verifiable: found.verifiable };
}

import { given } from '../../api/json';
import type { Service } from '../../api/service/service';
import { findOrphans } from '../../api/upload/session/orphans';
import type { Orphan, OrphanSearch } from '../../api/upload/upload-steps';
import type { UploadListing } from '../../temporal/client/list-uploads';

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

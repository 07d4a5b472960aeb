import type { Service } from '../../api/service/service';
import { findOrphans } from '../../api/upload/session/orphans';
import type { Orphan, OrphanSearch } from '../../api/upload/upload-steps';
import type { UploadListing } from '../../temporal/client/list-uploads';

/**
 * What an upload left in the service: the session of one that ended badly, and media that carry its ingest key and are not its own
 * (of a lost `start`, or of earlier tries under the same key). "None" means "none found"; `verifiable` is false where the search
 * cannot tell, see `findOrphans`. Takes ten seconds, since an index may lag behind.
 */
export async function leftBehind(
  service: Service,
  { ingestKey, uploadId, mediaId, status }: UploadListing,
  signal?: AbortSignal,
): Promise<OrphanSearch> {
  const ids = {
    ...(uploadId === undefined ? {} : { uploadId }),
    ...(mediaId === undefined ? {} : { mediaId }),
  };
  const endedWell = status === 'RUNNING' || status === 'COMPLETED';
  const own: Orphan[] =
    endedWell || uploadId === undefined ? [] : [{ ...ids, reason: `its upload ended as ${status}` }];
  if (ingestKey === undefined) return { orphans: own, verifiable: false };
  const found = await findOrphans(service, { ingestKey, known: Object.values(ids) }, signal);
  const others = found.orphans.map((orphan) => ({ ...orphan, reason: 'it carries the ingest key' }));
  return { orphans: [...own, ...others], verifiable: found.verifiable };
}

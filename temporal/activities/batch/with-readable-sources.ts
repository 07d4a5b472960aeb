import { MediaServiceError } from '../../../api/errors';
import { secretHeadersOf } from '../../../api/upload/sources/http/secret-headers';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { isMistake } from '../../../manifest/row';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';
import { sourceOf } from '../../../manifest/row-request';
import type { RowContext } from '../../../manifest/row-request';
import type { ActivityDeps } from '../context/activity-deps';

type Deps = Pick<ActivityDeps, 'files' | 'secrets'>;

/**
 * Yields the rows unchanged. Rejects with `Configuration` at the first http row whose secret this worker does not
 * have, and at the first S3 row that its configuration can't read. Otherwise every row would fail one by one. A
 * problem of only one source is left to its row.
 */
export async function* withReadableSources(
  deps: Deps,
  {
    rows,
    rowContext,
  }: { readonly rows: AsyncIterable<ManifestRow | ManifestMistake>; readonly rowContext: RowContext },
  signal: AbortSignal,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const seen = new Set<SourceDescriptor['kind']>();
  for await (const item of rows) {
    if (!isMistake(item)) {
      const source = sourceOf(item.source, rowContext);
      if (!seen.has(source.kind)) await requireSetUp(deps, source, signal);
      seen.add(source.kind);
    }
    yield item;
  }
}

async function requireSetUp(
  { files, secrets }: Deps,
  source: SourceDescriptor,
  signal: AbortSignal,
): Promise<void> {
  if (source.kind === 'http') await secretHeadersOf({ secrets }, source);
  if (source.kind !== 's3') return;
  try {
    await files.s3.facts(source, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof MediaServiceError) || error.code === 'Configuration') throw error;
  }
}

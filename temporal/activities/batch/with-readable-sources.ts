import { requireSetUp } from '../../../api/upload/sources/read-source';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { isMistake, type ManifestItem } from '../../../manifest/row';
import { sourceOf, type RowContext } from '../../../manifest/row-request';
import type { ActivityDeps } from '../context/activity-deps';

/**
 * Yields the rows unchanged. Rejects with `Configuration` at the first row of a kind for which this worker lacks a
 * setting or secret. Otherwise every row would fail one by one. A problem of only one source is left to its row.
 */
export async function* withReadableSources(
  { files, secrets }: Pick<ActivityDeps, 'files' | 'secrets'>,
  { rows, rowContext }: { readonly rows: AsyncIterable<ManifestItem>; readonly rowContext: RowContext },
  signal: AbortSignal,
): AsyncGenerator<ManifestItem> {
  const seen = new Set<SourceDescriptor['kind']>();
  for await (const item of rows) {
    if (!isMistake(item)) {
      const source = sourceOf(item.source, rowContext);
      if (!seen.has(source.kind)) await requireSetUp({ s3: files.s3, secrets }, source, signal);
      seen.add(source.kind);
    }
    yield item;
  }
}

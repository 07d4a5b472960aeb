import { Context } from '@temporalio/activity';
import { openSource, pinAnySize, releaseSource } from '../../../api/upload/sources/read-source';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import type { SourceAccess } from '../../../api/upload/sources/source-access';
import { isOurs } from '../../../api/upload/sources/source-rules';
import { manifestFailure } from '../../../manifest/manifest-failure';
import { readManifest } from '../../../manifest/read-manifest';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';
import type { BatchOptions, ManifestInput } from '../../contract/batch';
import type { ForAccount } from '../../contract/upload';
import { openedRows } from '../../sealed-rows';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { sourceAccess } from '../context/source-access';
import { rowContextOf } from '../../batch/row-context';

type Input = ForAccount<{ readonly manifest: ManifestInput; readonly options: BatchOptions }>;

/** The checked rows of a batch's manifest, and its mistakes. Repeated ids are not looked for. */
export async function* manifestRows(
  deps: ActivityDeps,
  { accountId, manifest, options }: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const { ingestTag } = accountOf(deps, accountId).service.options;
  const rules = { rowContext: rowContextOf(options), ingestTag };
  if ('rows' in manifest) {
    const { sealKeys } = accountOf(deps, accountId);
    const lines = openedRows(manifest.rows, sealKeys).map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
    yield* readManifest(each(lines), { ...rules, format: 'jsonl' });
    return;
  }
  const { source, format } = manifest;
  const bytes = sourceBytes(deps, { accountId, source }, signal);
  yield* readManifest(bytes, { ...rules, format });
}

async function* sourceBytes(
  deps: ActivityDeps,
  { accountId, source }: { readonly accountId: string; readonly source: SourceDescriptor },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const access = manifestAccess(deps, accountId, source);
  const pinned = await pinAnySize(access, source, signal).catch((error: unknown) => {
    throw manifestFailure(error);
  });
  try {
    if (pinned.bytes === 0) return;
    // The source reuses its chunks, but the manifest reader may keep them.
    for await (const chunk of openSource(access, pinned).read(0, pinned.bytes, signal))
      yield Buffer.from(chunk);
  } finally {
    // A copy of it; a handed-over manifest itself is needed until its rows are pages.
    if (!isOurs(source)) await releaseSource(access, pinned.source);
  }
}

/**
 * Manifests from stdin and manifests of failed rows are in the folders for output. Sources that their rows name must
 * be in the root folders.
 */
function manifestAccess(deps: ActivityDeps, accountId: string, source: SourceDescriptor): SourceAccess {
  const access = sourceAccess(deps, accountId, source);
  return { ...access, roots: [...access.roots, ...deps.files.outputRoots] };
}

/**
 * A handed-over manifest is needed until its rows are pages. The batch continues even if the manifest can't be deleted.
 */
export async function releaseManifest(
  deps: ActivityDeps,
  { accountId, manifest }: Omit<Input, 'options'>,
): Promise<void> {
  if ('rows' in manifest) return;
  const access = sourceAccess(deps, accountId, manifest.source);
  await releaseSource(access, manifest.source).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    Context.current().log.warn(`The manifest stays: ${reason}`);
  });
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

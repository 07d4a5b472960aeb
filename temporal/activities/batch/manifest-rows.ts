import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { releaseSource } from '../../../api/upload/sources/read-source';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import type { SourceAccess } from '../../../api/upload/sources/source-access';
import { manifestBytes } from '../../../manifest/manifest-bytes';
import { repeatedId } from '../../../manifest/mistakes';
import { Repeats } from '../../../manifest/check/repeats';
import { readManifest } from '../../../manifest/read-manifest';
import { readableCells, type ManifestItem } from '../../../manifest/row';
import type { BatchOptions, ManifestInput } from '../../contract/batch';
import type { ForAccount } from '../../contract/upload';
import { rowsFromHistory } from '../../batch/sealed-rows';
import { accountOf, type ActivityDeps } from '../context/activity-deps';
import { sourceAccess } from '../context/source-access';
import { rowContextOf } from '../../batch/row-context';

type Input = ForAccount<{ readonly manifest: ManifestInput; readonly options: BatchOptions }>;

/** The checked rows of a batch's manifest and its mistakes. At the end come mistakes for repeated ids. */
export async function* manifestRows(
  deps: ActivityDeps,
  input: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestItem> {
  const folder = await mkdtemp(join(tmpdir(), 'media-service-batch-'));
  try {
    const repeats = new Repeats(folder);
    for await (const item of readRows(deps, input, signal)) {
      const { id } = readableCells(item);
      if (id !== undefined) await repeats.add(id, item.line);
      yield item;
    }
    for await (const { key, line, firstLine } of repeats.found()) yield repeatedId(key, line, firstLine);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* readRows(
  deps: ActivityDeps,
  { accountId, manifest, options }: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestItem> {
  const { ingestTag } = accountOf(deps, accountId).service.options;
  const rules = { rowContext: rowContextOf(options), ingestTag };
  if ('rows' in manifest) {
    const { sealKeys } = accountOf(deps, accountId);
    const lines = rowsFromHistory(manifest.rows, sealKeys).map((row) =>
      Buffer.from(`${JSON.stringify(row)}\n`),
    );
    yield* readManifest(each(lines), { ...rules, format: 'jsonl' });
    return;
  }
  const { source, format } = manifest;
  const bytes = manifestBytes(manifestAccess(deps, accountId, source), source, signal);
  yield* readManifest(bytes, { ...rules, format });
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

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { hasCode } from '../../api/errors';
import { given } from '../../api/json';
import { hashed } from '../../api/upload/sources/path/hand-over-file';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { checkManifest } from '../../manifest/check/check-manifest';
import type { CheckOptions, ManifestSummary } from '../../manifest/check/check-manifest';
import type { RowContext } from '../../manifest/row-request';
import type { Settings } from '../../settings/settings';
import type { CliContext } from '../context';
import { whileSlow } from '../output/while-slow';
import { rowsText } from '../text/batch-text';
import { withSourceAccess } from '../with-source-access';
import type { ManifestToRead } from './manifest-argument';
import { sourceWarningOf } from './outside-roots';
import { pathSize } from './path-size';

interface CheckHere extends Pick<CheckOptions, 'onFinding' | 'manifestWarnings' | 'partBytes'> {
  readonly settings: Settings;
  readonly rowContext: RowContext;
  /** Checks whether files exist, and their sizes, with warnings about sources. */
  readonly looksAtPaths: boolean;
  /** Whether a file may be gone, because the batch may have uploaded it before. Asked at the first missing file. */
  readonly mayBeGone?: () => Promise<boolean>;
  readonly json: boolean;
}

export interface CheckedHere {
  readonly summary: ManifestSummary;
  /** SHA-256 of the manifest's text. */
  readonly digest: string;
  /** Whether any row names a path. */
  readonly hasPaths: boolean;
}

/** Reads a whole manifest on this machine and checks it with the settings of this command. */
export async function checkHere(
  context: CliContext,
  manifest: ManifestToRead,
  { settings, looksAtPaths, mayBeGone, json, ...options }: CheckHere,
): Promise<CheckedHere> {
  const { cwd, interrupts } = context;
  const { ingestTag, maxParts } = settings.options;
  const signal = interrupts.first;
  const hash = createHash('sha256');
  let [rows, hasPaths] = [0, false];
  let gone: Promise<boolean> | undefined;
  const slowness = { json, doing: 'checking the manifest', soFar: () => rowsText(rows) };
  const summary = await withSourceAccess(settings, cwd, (access) => {
    return whileSlow(context, slowness, () =>
      checkManifest(hashed(manifest.bytes(access, signal), hash), {
        ...options,
        format: manifest.format,
        tempDir: tmpdir(),
        maxParts,
        ...given({ ingestTag }),
        ...(!looksAtPaths ? {} : { warningOf: sourceWarningOf({ settings, cwd }) }),
        sizeOf: async (source) => {
          const path = pathOfSource(source);
          if (path === undefined) return undefined;
          hasPaths = true;
          if (!looksAtPaths) return undefined;
          return pathSize(path).catch(async (error: unknown) => {
            if (hasCode(error, 'SourceMissing') && (await (gone ??= mayBeGone?.())) === true)
              return undefined;
            throw error;
          });
        },
        onRow: (count) => {
          signal.throwIfAborted();
          rows = count;
        },
      }),
    );
  });
  return { summary, digest: hash.digest('hex'), hasPaths };
}

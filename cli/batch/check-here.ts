import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { hasCode } from '../../api/errors';
import { given } from '../../api/json';
import { hashed } from '../../api/upload/sources/path/hand-over-file';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { checkManifest, type CheckOptions, type ManifestSummary } from '../../manifest/check/check-manifest';
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
  readonly json: boolean;
}

export interface CheckedHere {
  readonly summary: ManifestSummary;
  /** SHA-256 of the manifest's text. */
  readonly digest: string;
  /** Whether any row names a path. */
  readonly hasPaths: boolean;
  /** Rows whose source does not exist. */
  readonly missing: number;
}

/** Reads a whole manifest on this machine and checks it with the settings of this command. */
export async function checkHere(
  context: CliContext,
  manifest: ManifestToRead,
  { settings, looksAtPaths, json, ...options }: CheckHere,
): Promise<CheckedHere> {
  const { cwd, interrupts } = context;
  const { ingestTag, maxParts } = settings.options;
  const signal = interrupts.first;
  const hash = createHash('sha256');
  let [rows, missing, hasPaths] = [0, 0, false];
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
          return pathSize(path).catch((error: unknown) => {
            if (hasCode(error, 'SourceMissing')) missing += 1;
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
  return { summary, digest: hash.digest('hex'), hasPaths, missing };
}

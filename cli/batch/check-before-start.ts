import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { hashed } from '../../api/upload/sources/path/hand-over-file';
import { hasCode } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { checkManifest } from '../../manifest/check/check-manifest';
import type { ManifestFormat } from '../../manifest/format';
import type { RowContext } from '../../manifest/row-request';
import type { Settings } from '../../settings/settings';
import type { CliContext } from '../context';
import { ReportedFailure, EXIT_CODES } from '../exit-codes';
import { plainJson } from '../output/plain-text';
import { whileSlow } from '../output/while-slow';
import { withSourceAccess } from '../with-source-access';
import { findingText } from '../text/check-text';
import { sourceWarningOf, manifestWarnings } from './outside-roots';
import { sourceSizes } from './source-sizes';
import { formatCount } from '../output/units';
import { shownFinding } from '../errors/what-to-do';

interface ManifestCheck {
  readonly settings: Settings;
  readonly format: ManifestFormat;
  readonly rowContext: RowContext;
  readonly partBytes?: number | undefined;
  /** Files named by path are on this machine, so that they can be checked. */
  readonly pathsAreHere: boolean;
  readonly json: boolean;
  /** The manifest itself, if workers read it from their own machine. */
  readonly manifest?: SourceDescriptor | undefined;
}

export interface CheckedManifest {
  /** SHA-256 of its text. */
  readonly digest: string;
  /** Whether any row names a path. */
  readonly hasPaths: boolean;
}

/**
 * Reads a whole manifest and reports every mistake on stderr. Throws `ReportedFailure` if there is any. Warnings do not
 * prevent the start.
 */
export async function checkBeforeStart(
  context: CliContext,
  bytes: AsyncIterable<Uint8Array>,
  { settings, format, rowContext, partBytes, pathsAreHere, json, manifest }: ManifestCheck,
): Promise<CheckedManifest> {
  const { terminal, cwd, interrupts } = context;
  const { ingestTag, maxParts } = settings.options;
  const hash = createHash('sha256');
  let [rows, missing, hasPaths] = [0, 0, false];
  const here = { settings, cwd };
  const warnings = pathsAreHere && manifest !== undefined ? await manifestWarnings(here, manifest) : [];
  const check = withSourceAccess(settings, cwd, (access) => {
    const sizeOf = sourceSizes(pathsAreHere ? 'paths' : 'none', access, interrupts.first);
    return checkManifest(hashed(bytes, hash), {
      format,
      rowContext,
      tempDir: tmpdir(),
      manifestWarnings: warnings,
      ...(pathsAreHere ? { warningOf: sourceWarningOf(here) } : {}),
      partBytes,
      maxParts,
      ...(ingestTag === undefined ? {} : { ingestTag }),
      sizeOf: (source) => {
        if (pathOfSource(source) !== undefined) hasPaths = true;
        return sizeOf(source).catch((error: unknown) => {
          if (hasCode(error, 'SourceMissing')) missing += 1;
          throw error;
        });
      },
      onRow: (count) => {
        interrupts.first.throwIfAborted();
        rows = count;
      },
      onFinding: (finding) =>
        terminal.report(json ? `${plainJson(shownFinding(finding))}\n` : findingText(finding)),
    });
  });
  const soFar = (): string => `${formatCount(rows)} rows`;
  const { mistakes } = await whileSlow(context, { json, doing: 'checking the manifest', soFar }, () => check);
  if (mistakes === 0) return { digest: hash.digest('hex'), hasPaths };
  const { code: exitCode } = EXIT_CODES.USAGE;
  const message = `The manifest has ${formatCount(mistakes)} mistake${mistakes === 1 ? '' : 's'}: nothing was started.`;
  // Not with other mistakes, because the workers would still refuse the manifest.
  const hint = missing === mistakes ? WITHOUT_FILES : undefined;
  const error = { code: 'Validation', field: 'MANIFEST', message, hint, exitCode };
  terminal.note(json ? plainJson({ error }) : message);
  if (!json && hint !== undefined) terminal.note(`What to do: ${hint}`);
  throw new ReportedFailure(exitCode);
}

const WITHOUT_FILES =
  'If these files were removed since the batch uploaded them, start it with --no-check: rows that are completed are not read again.';

import { MediaServiceError } from '../../api/errors';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import type { Settings } from '../../settings/settings';
import type { CliContext } from '../context';
import { shownFinding } from '../errors/what-to-do';
import { ReportedFailure, EXIT_CODES } from '../exit-codes';
import type { BatchFlags } from '../flags/batch-flags';
import { plainJson } from '../output/plain-text';
import { formatCount } from '../output/units';
import { findingText } from '../text/check-text';
import { checkHere, type CheckedHere } from './check-here';
import type { ManifestToRead } from './manifest-argument';
import { manifestWarnings } from './outside-roots';

export interface Preparing {
  readonly context: CliContext;
  readonly settings: Settings;
  readonly flags: BatchFlags;
}

/**
 * Reads a whole manifest and reports every mistake on stderr. Throws `ReportedFailure` if there is any. Warnings do not
 * prevent the start. Undefined if only workers can reach the manifest, and so check it.
 */
export async function checkBeforeStart(
  preparing: Preparing,
  manifest: ManifestToRead,
): Promise<CheckedHere | undefined> {
  const { context, settings, flags } = preparing;
  const { terminal, cwd } = context;
  const json = flags.json === true;
  // A path that every worker mounts need not be mounted here.
  const pathsAreHere = flags.sharedPath !== true;
  const warnings = pathsAreHere ? await manifestWarnings({ settings, cwd }, manifest.source) : [];
  try {
    const checked = await checkHere(context, manifest, {
      settings,
      rowContext: { folder: manifest.sourceFolder },
      looksAtPaths: pathsAreHere,
      partBytes: flags.partSize,
      json,
      manifestWarnings: warnings,
      onFinding: (finding) =>
        terminal.report(json ? `${plainJson(shownFinding(finding))}\n` : findingText(finding)),
    });
    refuseMistakes(context, checked, json);
    return checked;
  } catch (error) {
    if (!isOnlyForWorkers(error, manifest)) throw error;
    terminal.note(`The manifest can't be read here, so only the workers check it: ${error.message}`);
    return undefined;
  }
}

/** A missing manifest is still an error. */
function isOnlyForWorkers(error: unknown, { source }: ManifestToRead): error is MediaServiceError {
  return (
    error instanceof MediaServiceError &&
    source !== undefined &&
    pathOfSource(source) === undefined &&
    ['Transport', 'Configuration', 'SourceNotAllowed', 'RequestRefused'].includes(error.code)
  );
}

function refuseMistakes(
  { terminal }: CliContext,
  { summary: { mistakes }, missing }: CheckedHere,
  json: boolean,
): void {
  if (mistakes === 0) return;
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

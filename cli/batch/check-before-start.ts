import { accountId } from '../../api/account';
import { MediaServiceError } from '../../api/errors';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import type { Settings } from '../../settings/settings';
import { runBefore, runningBatch } from '../../temporal/batch/client/running-batch';
import { errorOfRpc, isNotFound } from '../../temporal/client/rpc-failure';
import { batchWorkflowId } from '../../temporal/batch/ids';
import { checkedAccount } from '../checked-account';
import { withTemporal } from '../context';
import type { CliContext } from '../context';
import { shownFinding } from '../errors/what-to-do';
import { EXIT_CODES, ReportedFailure } from '../exit-codes';
import type { BatchFlags } from '../flags/batch-flags';
import { plainJson } from '../output/plain-text';
import { formatCount } from '../output/units';
import { findingText } from '../text/check-text';
import { checkHere } from './check-here';
import type { CheckedHere } from './check-here';
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
  batchId: string,
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
      mayBeGone: () => wasStarted(settings, batchId),
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
  { summary: { mistakes } }: CheckedHere,
  json: boolean,
): void {
  if (mistakes === 0) return;
  const { code: exitCode } = EXIT_CODES.USAGE;
  const message = `The manifest has ${formatCount(mistakes)} mistake${mistakes === 1 ? '' : 's'}: nothing was started.`;
  const error = { code: 'Validation', field: 'MANIFEST', message, exitCode };
  terminal.note(json ? plainJson({ error }) : message);
  throw new ReportedFailure(exitCode);
}

/** Whether Temporal knows a start of this batch whose manifest was accepted. */
async function wasStarted(settings: Settings, batchId: string): Promise<boolean> {
  const workflowId = batchWorkflowId(accountId(checkedAccount(settings)), batchId);
  return withTemporal(settings, async (connection) => {
    try {
      return runBefore(await runningBatch(connection, workflowId)) !== undefined;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw errorOfRpc(connection, workflowId, error);
    }
  });
}

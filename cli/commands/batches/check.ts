import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { namedManifest, withManifestFlags } from '../../batch/manifest-argument';
import type { ManifestFlags } from '../../batch/manifest-argument';
import { addHelp } from '../../context';
import type { CliContext } from '../../context';
import { shown } from '../../errors/what-to-do';
import { rowContextOf } from '../../../temporal/batch/files/planned-row';
import { checkHere, checkSummaryText, findingText } from '../../batch/check-here';
import { BATCH_OPTIONS } from '../../../api/options/batch-options';
import { optionsIn, withOptions } from '../../flags/options';
import { EXIT_CODES, ReportedFailure } from '../../exit-codes';

/** `media-service batches check MANIFEST`: reports every mistake of a manifest before anything starts. */
export function addBatchesCheck(batches: Command, context: CliContext): void {
  const command = withManifestFlags(
    batches
      .command('check')
      .description('Check a manifest: list every mistake with its line.')
      .argument('<manifest>', 'CSV or JSON lines: a path, an http(s) URL or s3://bucket/key'),
  );
  withOptions(command, BATCH_OPTIONS, ['sourceSecret']);
  addHelp(
    command,
    "Prints every mistake and warning with its line, then the valid rows by file type and their bytes. With --json one object per line, the summary last. Memory use doesn't grow with the manifest.",
    ['media-service batches check harbour.csv', 'media-service batches check harbour.csv --json | jq .line'],
  ).action(async (text: string, flags: ManifestFlags) => {
    const { terminal } = context;
    const manifest = await namedManifest(context, { text, flags });
    const { summary } = await checkHere(context, manifest, {
      settings: readSettings(context.env),
      rowContext: rowContextOf({ ...optionsIn(flags, BATCH_OPTIONS), sourceFolder: manifest.sourceFolder }),
      looksAtPaths: true,
      onFinding: (finding) => terminal.answer(shown(finding), findingText(finding)),
    });
    const ok = summary.mistakes === 0;
    await terminal.answer({ summary: { ok, ...summary } }, checkSummaryText(summary));
    if (!ok) throw new ReportedFailure(EXIT_CODES.USAGE.code);
  });
}

import type { Command } from 'commander';
import { MANIFEST_FORMATS } from '../../../manifest/format';
import type { ManifestFormat } from '../../../manifest/format';
import { requireAccount } from '../../../settings/settings';
import { failedManifest, resultsCsv } from '../../../temporal/batch/files/result-files';
import type { PageRow } from '../../../temporal/batch/files/page-journal';
import { readBatchInput } from '../../../temporal/batch/client/open-batch';
import type { ResultLine } from '../../../temporal/batch/types';
import { sealKeysOf } from '../../../temporal/seal';
import { resultsSoFar, withBatch, withBatchFolder } from '../../batch/batch-folder';
import { rowsText } from '../../batch/batch-text';
import { given } from '../../../api/json';
import { shownError } from '../../errors/what-to-do';
import type { CliContext } from '../../context';
import { addHelp } from '../../context';
import { formatCount, plainJson } from '../../output/plain-text';
import { formatOfOutput, withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';

interface ReportFlags extends OutputFlags {
  readonly failed?: boolean;
}

export function addBatchesResults(batches: Command, context: CliContext): void {
  const command = batches
    .command('results')
    .description('Print the results of a batch so far: one line for each row that has ended.')
    .argument('<id>', 'as `batches start` and `batches list` show it')
    .option('--failed', 'only the failed rows, as a manifest that can be started');
  withOutputFlags(command, 'only this user can read it');
  addHelp(
    command,
    "Prints CSV, with --json one row per line; with --failed a manifest. It reads the batch's folder, which must be readable here; no batch or worker needs to run.",
    [
      'media-service batches results harbour-1a2b3c4d -o results.csv',
      'media-service batches results harbour-1a2b3c4d --failed > failed.csv',
    ],
  ).action((id: string, flags: ReportFlags) => report(context, id, flags));
}

async function report(context: CliContext, id: string, flags: ReportFlags): Promise<void> {
  const { terminal, cwd, interrupts } = context;
  const format = terminal.isJson ? 'jsonl' : formatOfOutput(flags, MANIFEST_FORMATS);
  const { settings, folder, batchId, options } = await withBatch(context, id, async (batch) => ({
    ...{ settings: batch.settings, ...(await readBatchInput(batch.connection, batch.workflowId)) },
  }));
  await withBatchFolder({ settings, cwd, folder }, async (access) => {
    const batch = { access, folder, batchId };
    let [rows, ended] = [0, 0];
    const read = async function* (): AsyncGenerator<PageRow, void, undefined> {
      [rows, ended] = [0, 0];
      for await (const row of resultsSoFar(batch, interrupts.first)) {
        rows += 1;
        if (row.result !== undefined) ended += 1;
        yield row;
      }
    };
    const pieces =
      flags.failed === true
        ? failedManifest({
            format,
            read,
            sealKeys: sealKeysOf(requireAccount(settings).secretKey, settings.previousSecretKeys),
            sourceFolder: options.sourceFolder,
          })
        : resultsText(linesOf(read()), { format, output: flags.output });
    if (flags.output === undefined) for await (const piece of pieces) await terminal.remoteData(piece);
    else {
      // The addresses of failed rows are written as given, with their queries.
      const target = { cwd, path: flags.output, ownerOnly: true };
      const { path } = await writeOutputFile(target, pieces);
      terminal.note(`Written to ${path}.`);
    }
    if (ended < rows || rows === 0) {
      terminal.warn({
        message: `${formatCount(ended)} of ${rowsText(rows)} ${ended === 1 ? 'has' : 'have'} a result here so far: a row that runs gets one when it ends`,
        hint: 'If the batch has ended, results.jsonl in its folder also has the rows that never began.',
      });
    }
  });
}

async function* linesOf(rows: AsyncIterable<PageRow>): AsyncGenerator<ResultLine, void, undefined> {
  for await (const { result } of rows) if (result !== undefined) yield result;
}

async function* resultsText(
  lines: AsyncIterable<ResultLine>,
  { format, output }: { readonly format: ManifestFormat; readonly output: string | undefined },
): AsyncGenerator<string, void, undefined> {
  if (format === 'jsonl')
    for await (const { error, ...line } of lines)
      yield `${plainJson({ ...line, ...given({ error: error && shownError(error) }) })}\n`;
  else yield* resultsCsv(lines, { byteOrderMark: output !== undefined });
}

import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import { MANIFEST_FORMATS } from '../../../manifest/format';
import type { ManifestFormat } from '../../../manifest/format';
import { planManifest, SKIP_REASONS } from '../../../manifest/plan/plan-manifest';
import { listPlanned, plannedFolder } from '../../../manifest/plan/planned-files';
import type { PlanSummary, SkipReason } from '../../../manifest/plan/plan-manifest';
import { readSettings } from '../../../settings/settings';
import { withFileAccess, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { millisecondsOf, wordOf } from '../../flags/options';
import { formatOfOutput, withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';
import { counted, formatBytes, formatCount, plainLine } from '../../output/plain-text';
import { fileTypesText } from '../../batch/check-here';

interface PlanFlags extends OutputFlags {
  readonly format?: ManifestFormat;
  readonly exclude?: readonly string[];
  /** ms. */
  readonly minAge?: number;
}

/** `media-service batches plan FOLDER|PATTERN|s3://bucket/prefix`: writes a manifest of existing files. */
export function addBatchesPlan(batches: Command, context: CliContext): void {
  const command = batches
    .command('plan')
    .description('Write a manifest of the files in a folder, under an S3 prefix, or matching a pattern.')
    .argument('<what...>', 'folders, files, patterns in quotes, or s3://bucket/prefix')
    .option(
      '--format <format>',
      'csv or jsonl (default: as the name of the file ends, else csv)',
      wordOf(MANIFEST_FORMATS),
    )
    .option('--exclude <pattern...>', 'leave out files and folders whose name or path below WHAT matches')
    .option(
      '--min-age <span>',
      'leave out files that were written to within this time, for example 10m: they may still grow',
      millisecondsOf,
    );
  withOutputFlags(command);
  addHelp(
    command,
    "Prints the manifest or, with --output, writes it: one row per file whose type the service accepts, sorted by path. Files that can't be uploaded are counted and named. Paths are relative to the manifest's folder, so keep it there. Plan it again with the same options, and `batches start` uploads only the new files.",
    [
      'media-service batches plan clips > clips.csv',
      'media-service batches plan s3://incoming/2026 -o clips.csv',
    ],
  ).action((what: string[], flags: PlanFlags) => plan(context, what, flags));
}

async function plan(context: CliContext, what: readonly string[], flags: PlanFlags): Promise<void> {
  const { terminal, cwd, interrupts } = context;
  if (terminal.isJson && flags.output === undefined) {
    throw new ValidationError(
      '--json',
      '--json prints the path of the file; without --output, stdout has the manifest itself.',
      'For JSON lines use --format jsonl; for the summary name a file with --output.',
    );
  }
  const format = formatOfOutput(flags, MANIFEST_FORMATS);
  const settings = readSettings(context.env);
  const folders = await Promise.all(what.map((text) => plannedFolder(text, cwd)));
  // The user may list a folder that they name, even outside the roots.
  const named = folders.flatMap(({ folder }) => (folder.kind === 'path' ? [folder.path] : []));
  const fileRoots = [...(settings.fileRoots ?? [cwd]), ...named];
  await withFileAccess({ ...settings, fileRoots }, cwd, async (access) => {
    const { text: pieces, summary } = planManifest(
      listPlanned(access, folders, { signal: interrupts.first, ...given({ exclude: flags.exclude }) }),
      {
        format,
        relativeTo: flags.output === undefined ? cwd : dirname(resolve(cwd, flags.output)),
        ...given({ minAgeMs: flags.minAge }),
      },
    );
    const text = orNothing(pieces, summary);
    if (flags.output === undefined) {
      for await (const piece of text) await terminal.data(piece);
      terminal.report(planSummaryText(summary()));
      return;
    }
    const { path } = await writeOutputFile({ cwd, path: flags.output }, text);
    await terminal.answer(
      { file: path, format, ...summary() },
      `${planSummaryText(summary())}Written to ${path}.\n`,
    );
  });
}

/** Rejects before anything is written if there is no file to upload. */
async function* orNothing(
  pieces: AsyncIterable<string>,
  summary: () => PlanSummary,
): AsyncGenerator<string, void, undefined> {
  yield* pieces;
  if (summary().files > 0) return;
  const left = leftOutText(summary());
  const linked = summary().skipped.linkedOutside > 0;
  throw new ValidationError(
    'what',
    `No file can be uploaded${left === undefined ? ': nothing matches' : `; left out: ${left}`}.`,
    linked
      ? 'Name the folder that the links lead to, or add it to MEDIA_SERVICE_FILE_ROOTS.'
      : 'Check the folder or the pattern.',
  );
}

/** Returns what a manifest contains, and what was left out. */
function planSummaryText(summary: PlanSummary): string {
  const { files, bytes, fileTypes } = summary;
  const types = files === 0 ? '' : `: ${fileTypesText(fileTypes)}`;
  const left = leftOutText(summary);
  const also = left === undefined ? '' : `Left out: ${left}.\n`;
  return `${counted(files, 'file')}, ${formatBytes(bytes)}${types}.\n${also}`;
}

/** `2 empty (a.mp4, b.mp4), 1 too large (c.mp4)`; undefined if nothing was left out. */
function leftOutText({ skipped, skippedNames }: PlanSummary): string | undefined {
  const left = Object.entries(SKIP_REASONS).flatMap(([reason, text]) => {
    const count = skipped[reason as SkipReason];
    const names = skippedNames[reason as SkipReason] ?? [];
    const more = count > names.length ? ', …' : '';
    return count === 0 ? [] : [`${formatCount(count)} ${text} (${names.map(plainLine).join(', ')}${more})`];
  });
  return left.length === 0 ? undefined : left.join(', ');
}

import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ManifestFormat } from '../../../manifest/format';
import {
  checkManifest,
  type SourceWarning,
  type ManifestSummary,
} from '../../../manifest/check/check-manifest';
import type { RowContext } from '../../../manifest/row-request';
import { readSettings, type Settings } from '../../../settings/settings';
import { sourceWarningOf, manifestWarnings } from '../../batch/outside-roots';
import { manifestArgument, refuseFolder } from '../../batch/manifest-argument';
import { checkSummaryText, findingText } from '../../text/check-text';
import { sourceSizes, SOURCES_TO_LOOK_AT, type SourcesToLookAt } from '../../batch/source-sizes';
import { withStdinManifest } from '../../batch/stdin-manifest';
import { withManifestBytes } from '../../batch/with-manifest-bytes';
import type { CliContext } from '../../context';
import { ReportedFailure, EXIT_CODES } from '../../exit-codes';
import { withManifestFlags, type ManifestFlags } from '../../flags/manifest-flags';
import { wordOf } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { whileSlow } from '../../output/while-slow';
import { withSourceAccess } from '../../with-source-access';
import { shownFinding } from '../../errors/what-to-do';

interface CheckFlags extends ManifestFlags {
  readonly stat: SourcesToLookAt;
  readonly json?: boolean;
}

/** `media-service batch check MANIFEST`: reports every mistake of a manifest before anything starts. */
export function addBatchCheck(batch: Command, context: CliContext): void {
  const command = withManifestFlags(
    batch
      .command('check')
      .description('Check a manifest: list every mistake with its line, and estimate the cost of its batch.')
      .argument('<manifest>', 'CSV or JSON lines: a path, an http(s) URL, s3://bucket/key, or - for stdin'),
  ).option(
    '--stat <which>',
    'sources whose existence and size to check: none, paths, or all (S3 and http, too)',
    wordOf(SOURCES_TO_LOOK_AT),
    'paths',
  );
  addHelp(command, {
    output:
      'Every mistake and warning with its line, then a summary: valid rows by file type, bytes, and the minimum number of parts, ' +
      'service calls and Temporal actions. Duplicates come last, each with the line of the first. --json: one line for each ' +
      '{"severity","line","column","message","hint"}, then {"summary":{"ok","rows","mistakes","warnings","sized","bytes",' +
      '"parts","fileTypes","separator","serviceCalls","temporalActions"}}. Memory use doesn’t grow with the manifest.',
    exits: ['CONFIGURATION', 'NETWORK', 'SOURCE', 'CHECK_FAILED'],
    examples: [
      { says: 'Before starting a batch', run: 'media-service batch check harbour.csv' },
      {
        says: 'Numbers of wrong lines, from a pipe',
        run: 'jq -c .files[] export.json | media-service batch check - --json | jq .line',
      },
    ],
  }).action((text: string, flags: CheckFlags) => check(context, text, flags));
}

async function check(context: CliContext, text: string, flags: CheckFlags): Promise<void> {
  const settings = readSettings();
  const { cwd, interrupts } = context;
  if (text === '-') {
    if (process.stdin.isTTY)
      context.terminal.note('Reading the manifest from this terminal; Ctrl-D ends it.');
    return withStdinManifest(process.stdin, (stdin) => {
      const format = flags.format ?? stdin.format;
      return checkBytes(context, stdin.bytes(), { settings, flags, format, folder: cwd });
    });
  }
  await refuseFolder(text, cwd);
  const { sourceSecret: secret, requesterPays } = flags;
  const named = manifestArgument(text, { cwd, format: flags.format, secret, requesterPays });
  const { source, format, sourceFolder: folder } = named;
  const warnings = await manifestWarnings({ settings, cwd }, source);
  return withManifestBytes({ settings, cwd, source, signal: interrupts.first }, (bytes) =>
    checkBytes(context, bytes, { settings, flags, format, folder, warnings }),
  );
}

interface Checking {
  readonly settings: Settings;
  readonly flags: CheckFlags;
  readonly format: ManifestFormat;
  readonly folder: string;
  readonly warnings?: readonly SourceWarning[];
}

async function checkBytes(
  context: CliContext,
  bytes: AsyncIterable<Uint8Array>,
  { settings, flags, format, folder, warnings = [] }: Checking,
): Promise<void> {
  const { terminal, cwd, interrupts } = context;
  const json = flags.json === true;
  const { ingestTag, maxParts } = settings.options;
  let rows = 0;
  const summary = await withSourceAccess(settings, cwd, (access) =>
    whileSlow(context, { json, doing: 'checking', soFar: () => `${rows} rows` }, () =>
      checkManifest(bytes, {
        format,
        rowContext: rowContextOf(flags, flags.folder === undefined ? folder : resolve(cwd, flags.folder)),
        tempDir: tmpdir(),
        maxParts,
        manifestWarnings: warnings,
        warningOf: sourceWarningOf({ settings, cwd }),
        ...(ingestTag === undefined ? {} : { ingestTag }),
        ...(flags.stat === 'none' ? {} : { sizeOf: sourceSizes(flags.stat, access, interrupts.first) }),
        onRow: (count) => {
          interrupts.first.throwIfAborted();
          rows = count;
        },
        onFinding: (finding) =>
          json ? terminal.json(shownFinding(finding)) : terminal.data(findingText(finding)),
      }),
    ),
  );
  await report(context, summary, json);
}

function rowContextOf({ sourceSecret, requesterPays }: CheckFlags, folder: string): RowContext {
  return {
    folder,
    ...(sourceSecret === undefined ? {} : { secret: sourceSecret }),
    ...(requesterPays === undefined ? {} : { requesterPays }),
  };
}

async function report({ terminal }: CliContext, summary: ManifestSummary, json: boolean): Promise<void> {
  const ok = summary.mistakes === 0;
  if (json) await terminal.json({ summary: { ok, ...summary } });
  else await terminal.data(checkSummaryText(summary));
  if (!ok) throw new ReportedFailure(EXIT_CODES.CHECK_FAILED.code);
}

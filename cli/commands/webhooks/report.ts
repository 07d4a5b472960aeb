import type { Command } from 'commander';
import { given } from '../../../api/json';
import { ValidationError } from '../../../api/errors';
import { collectReport } from '../../../reports/collect-report';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { NAMED_PERIODS, periodNamed } from '../../../reports/period/named-period';
import type { NamedPeriod } from '../../../reports/period/named-period';
import type { DeliveryReport } from '../../../reports/report';
import { GROUPS } from '../../../reports/report-request';
import type { Group, ReportRequest } from '../../../reports/report-request';
import { renderText } from '../../../reports/mail/report-text';
import { subjectOf } from '../../../reports/words/report-words';
import { withService } from '../../context';
import type { CliContext } from '../../context';
import { collect, numberFrom, wordOf } from '../../flags/option-values';
import { addHelp } from '../../command-help';
import { whileSlow } from '../../output/terminal';
import { withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';

const FORMATS = ['text', 'html', 'csv', 'json'] as const;

interface ReportFlags extends OutputFlags {
  readonly period?: NamedPeriod;
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly mediaId?: string;
  readonly subAccount?: string;
  readonly by?: readonly Group[];
  readonly top?: number;
  readonly compare: boolean;
  readonly format?: (typeof FORMATS)[number];
  readonly json?: boolean;
}

/** `media-service webhooks report`: what happened to the deliveries of a period, for people and programs. */
export function addWebhooksReport(webhooks: Command, context: CliContext): void {
  const command = webhooks
    .command('report')
    .description('Count the webhook deliveries of a period: by status, time, media and sub-account.')
    .option('--period <period>', `${NAMED_PERIODS.join(', ')} (default: yesterday)`, wordOf(NAMED_PERIODS))
    .option('--from <when>', 'start, instead of --period: 2026-11-01, -24h, or an ISO time')
    .option('--to <when>', 'end, exclusive, with --from (default: now)')
    .option('--timezone <zone>', 'time zone of days and hours (default: UTC)')
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)')
    .option('--by <group>', `${GROUPS.join(' or ')}; repeatable (default: media)`, collect(wordOf(GROUPS)))
    .option('--top <n>', 'rows of each group (default: 10)', numberFrom(1, 100))
    .option('--no-compare', "don't compare with the previous period")
    .option('--format <format>', `${FORMATS.join(', ')} (default: text)`, wordOf(FORMATS));
  withOutputFlags(command);
  addHelp(command, {
    output:
      'The report in the requested format. html is one file with a chart, ready to send by mail.\n' +
      '--json: the figures, as --format json; with --output {"file","format","bytes","subject","complete"}',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK'],
    examples: [
      { says: 'What failed yesterday', run: 'media-service webhooks report --timezone Europe/Berlin' },
      {
        says: 'Last week as a page to mail',
        run: 'media-service webhooks report --period lastWeek --format html -o report.html',
      },
    ],
  }).action((flags: ReportFlags) => report(context, flags));
}

async function report(context: CliContext, flags: ReportFlags): Promise<void> {
  const json = flags.json === true;
  await withService(context, async (service) => {
    const request = requestOf(flags, service.clock.now());
    const counted = await whileSlow(context, { json }, () =>
      collectReport(service, request, context.interrupts.first),
    );
    await print(context, flags, counted);
  });
}

async function print(
  { terminal, cwd }: CliContext,
  flags: ReportFlags,
  counted: DeliveryReport,
): Promise<void> {
  const { output, json = false } = flags;
  const format = flags.format ?? (json && output === undefined ? 'json' : 'text');
  if (output === undefined) {
    await (format === 'json'
      ? terminal.json(counted)
      : terminal.remoteData(await rendered(counted, format, false)));
    return;
  }
  const destination = { cwd, path: output, replace: flags.force === true };
  const { path, bytes } = await writeOutputFile(destination, piecesOf(counted, format));
  const { complete } = counted;
  if (json) await terminal.json({ file: path, format, bytes, subject: subjectOf(counted), complete });
  else await terminal.data(`${subjectOf(counted)}. Written to ${path}.\n`);
}

async function* piecesOf(counted: DeliveryReport, format: (typeof FORMATS)[number]): AsyncGenerator<string> {
  yield await rendered(counted, format, true);
}

/** A byte order mark helps Excel open a file, but disturbs programs that read a pipe. */
async function rendered(
  counted: DeliveryReport,
  format: (typeof FORMATS)[number],
  byteOrderMark: boolean,
): Promise<string> {
  switch (format) {
    case 'html':
      return renderHtml(counted);
    case 'csv':
      return renderCsv(counted, { byteOrderMark });
    case 'json':
      return `${JSON.stringify(counted, null, 2)}\n`;
    case 'text':
      return renderText(counted);
  }
}

function requestOf(flags: ReportFlags, now: number): ReportRequest {
  const { timezone: zone = 'UTC', mediaId, subAccount, by, top, compare } = flags;
  return {
    query: {
      ...rangeOf(flags, now, zone),
      zone,
      ...given({ mediaId, subAccountId: subAccount }),
    },
    compare,
    ...given({ groups: by, top }),
  };
}

function rangeOf(
  { period, from, to }: ReportFlags,
  now: number,
  zone: string,
): { from: string; to?: string } {
  if (from === undefined) {
    if (to !== undefined) throw new ValidationError('--to', '--to needs --from.', 'Give both, or --period.');
    return periodNamed(period ?? 'yesterday', now, zone);
  }
  if (period !== undefined) {
    throw new ValidationError('--period', '--period and --from exclude each other.', 'Give one of them.');
  }
  return to === undefined ? { from } : { from, to };
}

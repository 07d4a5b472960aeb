import type { Command } from 'commander';
import { given } from '../../../api/json';
import { localZone, optionsIn, withOptions, wordOf } from '../../flags/options';
import type { FlagValues } from '../../flags/options';
import { DELIVERY_OPTIONS } from '../../../api/options/search-options';
import { withService, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { ValidationError } from '../../../api/errors';
import { formatOfOutput, withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';
import { collectReport } from '../../../reports/collect-report';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { periodNamed } from '../../../reports/period/period';
import type { DeliveryReport } from '../../../reports/report';
import { GROUPS } from '../../../reports/report-request';
import type { ReportRequest } from '../../../reports/report-request';
import { renderText } from '../../../reports/mail/report-mail';
import { subjectOf } from '../../../reports/words/report-words';

const REPORT_FORMATS = ['text', 'html', 'csv', 'json'] as const;

interface ReportFlags extends OutputFlags, FlagValues {
  readonly format?: (typeof REPORT_FORMATS)[number];
}

/** `media-service deliveries report`: what happened to the deliveries of a period, for people and programs. */
export function addDeliveriesReport(deliveries: Command, context: CliContext): void {
  const command = withOptions(
    deliveries
      .command('report')
      .description('Count the webhook deliveries of a period: by status, time, media and sub-account.'),
    DELIVERY_OPTIONS,
    ['from', 'to', 'zone', 'mediaId', 'subAccountId'],
  ).option(
    '--format <format>',
    `${REPORT_FORMATS.join(', ')} (default: as the name of the file ends, else text)`,
    wordOf(REPORT_FORMATS),
  );
  withOutputFlags(command);
  addHelp(
    command,
    'Without --from it counts yesterday. Prints figures: by status, time, media or sub-account, and compared with the period before. html is one file with ' +
      'a chart, ready to send by mail. With --json the figures are JSON; with --output it prints the path of the file.',
    [
      'media-service deliveries report --timezone Europe/Berlin',
      'media-service deliveries report --from -7d --format html -o report.html',
    ],
  ).action((flags: ReportFlags) => report(context, flags));
}

async function report(context: CliContext, flags: ReportFlags): Promise<void> {
  await withService(context, async (service) => {
    const request = requestOf(flags, service.clock.now());
    await print(context, flags, await collectReport(service, request, context.interrupts.first));
  });
}

async function print(
  { terminal, cwd }: CliContext,
  flags: ReportFlags,
  counted: DeliveryReport,
): Promise<void> {
  const { output } = flags;
  const onStdout = terminal.isJson && output === undefined ? 'json' : undefined;
  const format = formatOfOutput({ output, format: flags.format ?? onStdout }, REPORT_FORMATS);
  if (output === undefined) {
    await (format === 'json' ? terminal.json(counted) : terminal.remoteData(RENDER[format](counted, false)));
    return;
  }
  const { path, bytes } = await writeOutputFile({ cwd, path: output }, [RENDER[format](counted, true)]);
  const { complete } = counted;
  const subject = subjectOf(counted);
  await terminal.answer(
    { file: path, format, bytes, subject, complete },
    `${subject}. Written to ${path}.\n`,
  );
}

type Render = (counted: DeliveryReport, byteOrderMark: boolean) => string;

/** A byte order mark helps Excel open a file, but disturbs programs that read a pipe. */
const RENDER: Readonly<Record<(typeof REPORT_FORMATS)[number], Render>> = {
  text: (counted) => renderText(counted),
  html: (counted) => renderHtml(counted),
  csv: (counted, byteOrderMark) => renderCsv(counted, { byteOrderMark }),
  json: (counted) => `${JSON.stringify(counted, null, 2)}\n`,
};

function requestOf(flags: ReportFlags, now: number): ReportRequest {
  const { from, to, zone = localZone(), ...scope } = optionsIn(flags, DELIVERY_OPTIONS);
  if (from === undefined && to !== undefined)
    throw new ValidationError('--to', '--to needs --from.', 'Give both, or neither.');
  const period = from === undefined ? periodNamed('yesterday', now, zone) : { from, ...given({ to }) };
  return {
    query: { ...scope, ...period, zone },
    groups: scope.subAccountId === undefined ? GROUPS : ['media'],
  };
}

import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { runSchedule } from '../../../temporal/reports/client/run-report';
import type { ReportRunHandle } from '../../../temporal/reports/client/run-report';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { reportResultText } from './show';
import { warnWithoutWorker } from '../../missing-worker';
import type { FailureReportResult } from '../../../temporal/reports/types';
import { waitReasonLines } from '../../errors/what-to-do';
import { plainLine } from '../../output/plain-text';

interface RunFlags {
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function addSchedulesRun(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('run')
    .description('Send the report that is due now. What was delivered is not sent again.')
    .argument('<id>', 'as `schedules list` shows it')
    .option('--wait', 'wait for the end');
  addHelp(
    command,
    "What was delivered is not sent again. With --wait it prints the number of deliveries and one line per target, and fails if a target can't be reached. If no worker is running, the run waits for one.",
    [
      ['Now, instead of at the next time', 'media-service schedules run morning --wait'],
      [
        'Was anything sent?',
        "media-service schedules run morning --wait --json | jq -r '.targets[].outcome'",
      ],
    ],
  ).action((id: string, flags: RunFlags) => run(context, id, flags));
}

async function run(context: CliContext, id: string, flags: RunFlags): Promise<void> {
  const { terminal } = context;
  const settings = readSettings(context.env);
  const json = flags.json === true;
  await withTemporal(settings, async (connection) => {
    const name = { accountId: accountIdOf(settings), id };
    const handle = await runSchedule(connection, name, context.interrupts.first);
    const { workflowId, joined, need } = handle;
    await warnWithoutWorker(terminal, connection, {
      need,
      starts: 'The report is sent',
      here: settings.host,
      json,
    });
    if (flags.wait !== true) {
      return json ? terminal.json({ workflowId, joined }) : terminal.data(`${workflowId}\n`);
    }
    if (joined && !json) terminal.note(`A run is already in progress: ${workflowId}`);
    const result = await waitForReport(context, handle);
    return json
      ? terminal.json({ workflowId, joined, ...result })
      : terminal.data(reportResultText(result, handle.zone));
  });
}

const LOOK_EVERY_MS = 10_000;

/**
 * Waits for a run's end. Every ten seconds it reports that the run continues, or why it waits: a step is retried, or
 * there is no worker. Rejects with the run's own failure.
 */
export async function waitForReport(
  { terminal, clock, interrupts }: Pick<CliContext, 'terminal' | 'clock' | 'interrupts'>,
  handle: ReportRunHandle,
): Promise<FailureReportResult> {
  const over = new AbortController();
  const watching = (async (): Promise<never> => {
    let said = '';
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, over.signal);
      terminal.note(`Still waiting for ${handle.workflowId}.`);
      const lines = waitReasonLines(await handle.waitReason());
      if (lines.join() !== said) for (const line of lines) terminal.note(plainLine(line));
      said = lines.join();
    }
  })();
  try {
    return await Promise.race([handle.result(AbortSignal.any([interrupts.first, over.signal])), watching]);
  } catch (error) {
    if (interrupts.first.aborted) terminal.note(STAYS);
    throw error;
  } finally {
    over.abort();
    // The race above handled its failure, or it was just ended.
    await watching.catch(() => undefined);
  }
}

const STAYS = 'The run continues in Temporal. `media-service schedules show` shows how it ends.';

import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { runSchedule } from '../../../temporal/reports/client/run-report';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { reportResultText } from './show';
import { warnWithoutWorker } from '../../missing-worker';

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
      'media-service schedules run morning --wait',
      "media-service schedules run morning --wait --json | jq -r '.targets[].outcome'",
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
    if (!json) terminal.note(`${joined ? 'A run is already in progress' : 'Waiting for'}: ${workflowId}`);
    const result = await handle.result(context.interrupts.first);
    return json
      ? terminal.json({ workflowId, joined, ...result })
      : terminal.data(reportResultText(result, handle.zone));
  });
}

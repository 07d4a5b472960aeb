import type { Command } from 'commander';
import { addHelp, withAccount } from '../../context';
import type { CliContext } from '../../context';
import { runSchedule } from '../../../temporal/reports/client/run-report';
import { reportResultText } from './show';
import { warnWithoutWorker } from '../../missing-worker';

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
  ).action((id: string, { wait = false }: { readonly wait?: boolean }) =>
    withAccount(context, async ({ connection, accountId }) => {
      const { terminal, interrupts } = context;
      const handle = await runSchedule(connection, { accountId, id }, interrupts.first);
      const { workflowId, joined, need } = handle;
      await warnWithoutWorker(terminal, connection, { needs: [need], starts: 'The report is sent' });
      if (!wait) return terminal.answer({ workflowId, joined }, `${workflowId}\n`);
      terminal.note(`${joined ? 'A run is already in progress' : 'Waiting for'}: ${workflowId}`);
      const result = await handle.result(interrupts.first);
      return terminal.answer({ workflowId, joined, ...result }, reportResultText(result, handle.zone));
    }),
  );
}

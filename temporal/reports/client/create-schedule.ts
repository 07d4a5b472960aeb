import { accountId, checkAccount } from '../../../api/account';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import type { TemporalConnection } from '../../client/connect';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../upload/types';
import { REPORT_WORKFLOW, reportRunId, reportScheduleId } from '../types';
import type { FailureReportInput } from '../types';
import { sealKeysOf } from '../../seal';
import { checkSchedule } from './report-schedule';
import type { ScheduleRequest } from './report-schedule';
import type { TargetReading } from './parse-targets';
import { errorOfRpc } from '../../client/rpc-failure';
import { describeSchedule } from './describe-schedule';
import type { ScheduleView } from './describe-schedule';

/**
 * After an outage, the first missed firing comes at once, and its period covers all missed ones. The other firings are
 * skipped while it runs.
 */
const CATCHUP_WINDOW_MS = 7 * 24 * 3_600_000;

export interface CreateSchedule {
  readonly account: Account;
  readonly serviceOptions?: ServiceOptions;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  readonly request: ScheduleRequest;
  /** The folder of relative paths, and the machine that has them. */
  readonly paths: Pick<TargetReading, 'cwd' | 'host'>;
}

/**
 * Makes a Temporal Schedule for a report. Checks everything possible first. Throws a `ValidationError` that names the
 * field, and `InputDiffers` if a schedule has this id.
 */
export async function createSchedule(
  connection: TemporalConnection,
  create: CreateSchedule,
): Promise<ScheduleView> {
  const { serviceOptions, request, paths, queuePrefix = DEFAULT_QUEUE_PREFIX } = create;
  const account = checkAccount(create.account, serviceOptions);
  const reading = {
    ...paths,
    sealKeys: sealKeysOf(account.secretKey),
    allowPlainHttp: serviceOptions?.allowPlainHttp,
  };
  const schedule = await checkSchedule(request, reading, systemClock.now());
  const { baseUrl, uploadUrl, externalId } = account;
  const input: FailureReportInput = {
    account: { baseUrl, uploadUrl, externalId, accountId: accountId(account) },
    queuePrefix,
    schedule,
  };
  const { accountId: of } = input.account;
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  try {
    await connection.client.schedule.create({
      scheduleId: reportScheduleId(of, schedule.id),
      spec: { cronExpressions: [schedule.cron], timezone: schedule.zone },
      action: {
        type: 'startWorkflow',
        workflowType: REPORT_WORKFLOW,
        workflowId: reportRunId(of, schedule.id),
        taskQueue: controlQueue(queuePrefix, of),
        args: [input],
        staticSummary: `Report ${schedule.id} of failed deliveries`,
      },
      policies: {
        overlap: ScheduleOverlapPolicy.SKIP,
        catchupWindow: CATCHUP_WINDOW_MS,
        pauseOnFailure: false,
      },
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScheduleAlreadyRunning')
      throw errorOfRpc(connection, undefined, error);
    throw new MediaServiceError('InputDiffers', `A schedule "${schedule.id}" exists.`, {
      outcome: 'refused',
      details: { schedule: schedule.id },
      hint: `Delete that one first (\`media-service schedules delete ${schedule.id}\`), or give this one another id.`,
    });
  }
  return describeSchedule(connection, { accountId: of, id: schedule.id });
}

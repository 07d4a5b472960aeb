import { accountId, checkAccount } from '../../../api/account';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import type { TemporalConnection } from '../../client/connect';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../../upload/types';
import { REPORT_INPUT_SCHEMA, REPORT_WORKFLOW, reportRunId, reportScheduleId } from '../types';
import type { FailureReportInput, ReportSchedule } from '../types';
import { sealKeysOf } from '../../seal';
import { checkSchedule, differingSettings } from './report-schedule';
import type { CheckedSchedule, ScheduleRequest } from './report-schedule';
import type { TargetReading } from './parse-targets';
import { describeSchedule, errorOfSchedule } from './describe-schedule';
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

export interface CreatedSchedule {
  readonly schedule: ScheduleView;
  /** The schedule existed already, with the same settings. */
  readonly existed: boolean;
}

/**
 * Makes a Temporal Schedule for a report. The same schedule again is joined. Checks everything possible first. Throws
 * a `ValidationError` that names the field, and `InputDiffers` if a schedule with this id has other settings.
 */
export async function createSchedule(
  connection: TemporalConnection,
  create: CreateSchedule,
): Promise<CreatedSchedule> {
  const { serviceOptions, request, paths, queuePrefix = DEFAULT_QUEUE_PREFIX } = create;
  const account = checkAccount(create.account, serviceOptions);
  const reading = {
    ...paths,
    sealKeys: sealKeysOf(account.secretKey),
    allowPlainHttp: serviceOptions?.allowPlainHttp,
  };
  const checked = await checkSchedule(request, reading, systemClock.now());
  const { baseUrl, uploadUrl, externalId } = account;
  const input: FailureReportInput = {
    schema: REPORT_INPUT_SCHEMA,
    account: { baseUrl, uploadUrl, externalId, accountId: accountId(account) },
    queuePrefix,
    schedule: checked.schedule,
  };
  const existed = await createOrJoin(connection, checked, input);
  const { accountId: of } = input.account;
  return {
    schedule: await describeSchedule(connection, { accountId: of, id: checked.schedule.id }),
    existed,
  };
}

async function createOrJoin(
  connection: TemporalConnection,
  checked: CheckedSchedule,
  input: FailureReportInput,
): Promise<boolean> {
  const { schedule } = checked;
  const { accountId: id } = input.account;
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  try {
    await connection.client.schedule.create({
      scheduleId: reportScheduleId(id, schedule.id),
      spec: { cronExpressions: [checked.timing.cron], timezone: schedule.zone },
      action: {
        type: 'startWorkflow',
        workflowType: REPORT_WORKFLOW,
        workflowId: reportRunId(id, schedule.id),
        taskQueue: controlQueue(input.queuePrefix, id),
        args: [input],
        staticSummary: `Report ${schedule.id} of failed deliveries`,
      },
      policies: {
        overlap: ScheduleOverlapPolicy.SKIP,
        catchupWindow: CATCHUP_WINDOW_MS,
        pauseOnFailure: false,
      },
    });
    return false;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScheduleAlreadyRunning') {
      throw errorOfSchedule(connection, schedule.id, error);
    }
    const found = await describeSchedule(connection, { accountId: id, id: schedule.id });
    refuseOther(schedule, found.input.schedule);
    return true;
  }
}

function refuseOther(mine: ReportSchedule, theirs: ReportSchedule): void {
  const { id } = mine;
  const differing = differingSettings(mine, theirs);
  if (differing.length === 0) return;
  throw new MediaServiceError(
    'InputDiffers',
    `A schedule "${id}" exists with other settings: ${differing.join(', ')}.`,
    {
      outcome: 'refused',
      details: { schedule: id, differs: differing.join(', ') },
      hint: `Delete that one first (\`media-service schedules delete ${id}\`), or give this one another id.`,
    },
  );
}

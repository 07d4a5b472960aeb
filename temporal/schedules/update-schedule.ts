import { checkAccount } from '../../api/account/check-account';
import { accountId } from '../../api/account/account-id';
import { systemClock } from '../../api/clock';
import type { TemporalConnection } from '../client/connect';
import { differingParts } from '../client/input-digest';
import type { FailureReportInput } from '../contract/failure-report';
import { reportScheduleId } from '../contract/failure-report';
import { sealKeysOf } from '../seal';
import { refuseLargeSchedule, specOf, type CreateSchedule } from './create-schedule';
import { describeSchedule, type ScheduleView } from './describe-schedule';
import { checkSchedule, scheduleDigest } from './report-schedule';
import { askSchedule } from './schedule-failure';

/** `request` contains only the changes. Without targets, the schedule keeps its targets. */
export type UpdateSchedule = Omit<CreateSchedule, 'queuePrefix'>;

export interface UpdatedSchedule {
  readonly schedule: ScheduleView;
  /** Names of the settings that have changed. Empty if the schedule had all of them already. */
  readonly changed: readonly string[];
}

/**
 * Changes settings of a report schedule. Other settings, what targets have received, the runs and a pause stay. An active run ends with
 * the settings with which it began. Throws a `ValidationError` that names the flag. Rejects with `RequestRefused` if
 * the account has no schedule with this id.
 */
export async function updateSchedule(
  connection: TemporalConnection,
  { serviceOptions, request, paths, ...update }: UpdateSchedule,
): Promise<UpdatedSchedule> {
  const account = checkAccount(update.account, serviceOptions);
  const name = { accountId: accountId(account), id: request.id };
  const { input: before } = await describeSchedule(connection, name);
  const reading = {
    ...paths,
    sealKeys: sealKeysOf(account.secretKey),
    allowPlainHttp: serviceOptions?.allowPlainHttp,
  };
  const checked = await checkSchedule(request, reading, { now: systemClock.now(), current: before.schedule });
  const input: FailureReportInput = { ...before, schedule: checked.schedule };
  refuseLargeSchedule(input);
  const handle = connection.client.schedule.getHandle(reportScheduleId(name.accountId, name.id));
  await askSchedule(connection, name.id, () =>
    handle.update(({ action, policies, state }) => ({
      spec: specOf(checked),
      action: { ...action, args: [input] },
      policies,
      state,
    })),
  );
  return {
    schedule: await describeSchedule(connection, name),
    changed: differingParts(scheduleDigest(before.schedule), scheduleDigest(checked.schedule)),
  };
}

import { accountId } from '../../api/account/account-id';
import { requireAccount, type Settings } from '../../settings/settings';
import type { ScheduleName } from '../../temporal/schedules/control-schedule';

/** Returns the schedule with this id, in the environment's account. */
export function scheduleNameOf(settings: Settings, id: string): ScheduleName {
  return { accountId: accountId(requireAccount(settings)), id };
}

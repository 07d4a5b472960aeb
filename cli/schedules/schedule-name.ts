import { accountId } from '../../api/account/account-id';
import { requireAccount, type Settings } from '../../settings/settings';
import type { ScheduleName } from '../../temporal/schedules/control-schedule';

/** The schedule of this id of the account in the environment. */
export function scheduleNameOf(settings: Settings, id: string): ScheduleName {
  return { accountId: accountId(requireAccount(settings)), id };
}

import { createNamedSecrets } from '../../api/named-secrets';
import { MediaServiceError } from '../../api/errors';
import type { Settings } from '../../settings/settings';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';

/** What there is to say of the schedule's secrets before a worker reads them: one sentence each. They are the worker's, so that nothing here refuses them. */
export async function secretWarnings(settings: Settings, wish: ScheduleWish): Promise<string[]> {
  const names = [wish.smtpSecret, wish.webhookSecret].filter((name) => name !== undefined);
  if (names.length === 0) return [];
  if (settings.secrets === undefined) {
    return [
      `Not checked here: ${names.map((name) => `"${name}"`).join(' and ')}; MEDIA_SERVICE_SECRETS is a setting of the worker.`,
    ];
  }
  const secrets = createNamedSecrets(settings.secrets);
  const problems: string[] = [];
  for (const name of names) {
    await secrets.read(name).catch((error: unknown) => {
      if (!(error instanceof MediaServiceError)) throw error;
      problems.push(`Warning: ${error.message}.`);
    });
  }
  return problems;
}

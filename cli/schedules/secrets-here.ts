import { createNamedSecrets } from '../../api/named-secrets';
import { MediaServiceError } from '../../api/errors';
import type { Settings } from '../../settings/settings';
import type { ScheduleRequest } from '../../temporal/reports/client/report-schedule';

/**
 * Returns warnings about the schedule's secrets, one sentence each. The worker reads the secrets, so nothing here
 * refuses them.
 */
export async function secretWarnings(settings: Settings, request: ScheduleRequest): Promise<string[]> {
  const names = [request.smtpSecret, request.webhookSecret].filter((name) => name !== undefined);
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

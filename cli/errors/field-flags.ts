/** The flags for fields that errors name as in TypeScript. */
const FLAGS: Readonly<Record<string, string>> = {
  at: '--at',
  cron: '--cron',
  every: '--every',
  from: '--from',
  id: '--id',
  limit: '--limit',
  mailFrom: '--mail-from',
  on: '--on',
  size: '--size',
  smtpSecret: '--smtp-secret',
  timezone: '--timezone',
  to: '--to',
  webhookSecret: '--webhook-secret',
};

/** Returns undefined if no flag sets the field. A field of the command line is already a flag. */
export function flagOf(field: string): string | undefined {
  if (field.startsWith('--')) return field;
  return Object.hasOwn(FLAGS, field) ? FLAGS[field] : undefined;
}

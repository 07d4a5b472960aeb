/** Binds a webhook's sealed URL to its displayed name. */
export function webhookUrlPurpose(key: string): string {
  return `webhook URL ${key}`;
}

/** Binds a webhook's sealed address to the name that is shown for it. */
export function webhookUrlPurpose(key: string): string {
  return `webhook URL ${key}`;
}

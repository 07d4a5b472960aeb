import { createHash } from 'node:crypto';
import type { AccountName } from './account';
import { normaliseName } from './check-account';

const MAX_SLUG = 40;

/**
 * A short, readable name of an account, the same on every machine: the external id as a slug, then 8 hexadecimal digits over
 * (base URL, upload URL, external id). Release candidate and production are two accounts. Fit for queue and file names.
 */
export function accountId(name: AccountName): string {
  const { baseUrl, uploadUrl, externalId } = normaliseName(name);
  const slug = externalId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(JSON.stringify([baseUrl, uploadUrl, externalId]));
  return `${slug === '' ? 'account' : slug}-${hash.digest('hex').slice(0, 8)}`;
}

import { createHash } from 'node:crypto';
import type { AccountName } from './account';
import { normaliseName } from './check-account';

const MAX_SLUG = 40;

/**
 * A short, readable name of an account: the slug of the external id, then 8 hexadecimal digits. The digits hash base
 * URL, upload URL and external id, so that release candidate and production are two accounts. The name is the same on
 * every machine and fits queue and file names.
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

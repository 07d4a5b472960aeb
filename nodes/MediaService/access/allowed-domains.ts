import { isDomainAllowed } from 'n8n-workflow';
import { ConfigurationError } from '../../../api/errors';

/**
 * The domains that the credential's owner restricts it to (n8n adds these two fields to every credential), as n8n's HTTP helper
 * takes and enforces them; undefined where there is no restriction. "None" forbids other nodes only, never the credential's own.
 */
export function allowedDomainsOf(data: Readonly<Record<string, unknown>>): string | undefined {
  if (data['allowedHttpRequestDomains'] !== 'domains') return undefined;
  const domains = data['allowedDomains'];
  if (typeof domains === 'string' && domains.trim() !== '') return domains;
  throw new ConfigurationError(
    'allowedDomains',
    'The credential is restricted to certain domains and lists none',
    'List the domains of the base URL and the upload URL, or lift the restriction.',
  );
}

/** Throws a `ConfigurationError` where the credential's owner keeps it from this address. */
export function requireAllowedDomain(data: Readonly<Record<string, unknown>>, url: string): void {
  const allowedDomains = allowedDomainsOf(data);
  if (allowedDomains === undefined || isDomainAllowed({ url, allowedDomains })) return;
  throw new ConfigurationError(
    'allowedDomains',
    `Domain not allowed: the credential may be used for ${allowedDomains}, not for ${new URL(url).host}`,
    'Add the domains of the base URL and the upload URL.',
  );
}

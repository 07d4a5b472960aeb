import { ConfigurationError } from '../api/errors';

/**
 * The domains to which the credential's owner restricts it, in the form that n8n's HTTP helper takes and enforces. n8n
 * adds these two fields to every credential. Undefined if there is no restriction. "None" forbids only other nodes,
 * never the credential's own.
 */
export function allowedDomainsOf(data: Readonly<Record<string, unknown>>): string | undefined {
  if (data['allowedHttpRequestDomains'] !== 'domains') return undefined;
  const domains = data['allowedDomains'];
  if (typeof domains === 'string' && domains.trim() !== '') return domains;
  throw new ConfigurationError(
    'allowedDomains',
    'The credential is restricted to certain domains, but lists none',
    'List the domains of the base URL and the upload URL, or lift the restriction.',
  );
}

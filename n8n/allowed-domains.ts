import { isDomainAllowed, UserError } from 'n8n-workflow';
import { ConfigurationError } from '../api/errors';
import type { HttpHelper } from './n8n-transport';

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

/** The helper of a credential's login, which also refuses other domains in an n8n before 2.40.1. */
export function withinDomains(helper: HttpHelper, data: Readonly<Record<string, unknown>>): HttpHelper {
  const allowedDomains = allowedDomainsOf(data);
  if (allowedDomains === undefined) return helper;
  return {
    async httpRequest(options) {
      const { url } = options;
      if (isDomainAllowed({ url, allowedDomains })) return helper.httpRequest(options);
      const { hostname } = new URL(url);
      throw new UserError(`Domain not allowed: ${hostname} is not in the credential's ${allowedDomains}`);
    },
  };
}

import { ConfigurationError } from '../../../errors';
import { isJsonObject, isTexts } from '../../../json';
import type { JsonObject } from '../../../json';
import type { HttpSource } from '../source';

/** Secrets that descriptors, schedules and settings refer to by name, so that no input or history contains them. */
export interface NamedSecrets {
  /**
   * Reads the secret now, so that a change needs no restart. Rejects with `Configuration`, which names the secret and
   * never shows one.
   */
  read(name: string): Promise<string | JsonObject>;
}

/** Headers that give access to a source, and the hosts that may receive them. */
export interface SecretHeaders {
  readonly name: string;
  /** In lower case, `host` or `host:port`. Without a port it means the default port of the address's scheme. */
  readonly hosts: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** We set these headers ourselves, or they would change what is read. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'host',
  'if-match',
  'if-range',
  'range',
  'transfer-encoding',
]);
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the headers of the secret that a source names, `{"hosts": ["cdn.example"], "headers": {"authorization":
 * "…"}}`. Undefined if it names none. Rejects with `Configuration`, which never shows a value.
 */
export async function secretHeadersOf(
  { secrets }: { readonly secrets?: NamedSecrets },
  { headersSecret: name, label }: Pick<HttpSource, 'headersSecret' | 'label'>,
): Promise<SecretHeaders | undefined> {
  if (name === undefined) return undefined;
  if (secrets === undefined) {
    throw new ConfigurationError(
      'secrets',
      `only workers can read the secret of ${label}`,
      'Upload through Temporal, or give an address that needs no login.',
    );
  }
  const secret = await secrets.read(name);
  const { hosts, headers } = typeof secret === 'string' ? {} : secret;
  if (!isTexts(hosts) || hosts.length === 0) {
    throw wrong(name, 'does not list the hosts that may receive it');
  }
  if (headers === undefined || !isJsonObject(headers)) throw wrong(name, 'holds no headers');
  return { name, hosts: hosts.map((host) => host.trim().toLowerCase()), headers: checked(name, headers) };
}

/** Returns whether the headers may be sent to this address. */
export function mayReceive({ hosts }: SecretHeaders, { protocol, host }: URL): boolean {
  return hosts.some((entry) => {
    const named = `${protocol}//${entry}`;
    return URL.canParse(named) && new URL(named).host === host;
  });
}

/** Without its headers the request would be refused, with an error that hides the real reason. */
export function refuseOtherHost(secret: SecretHeaders, url: URL): void {
  if (mayReceive(secret, url)) return;
  throw wrong(
    secret.name,
    `may go to ${secret.hosts.join(', ')}, not to ${url.host}`,
    'Add the host to the secret, with its port if that is not the default one, or name another secret.',
  );
}

function checked(name: string, headers: JsonObject): Record<string, string> {
  const entries = Object.entries(headers).map(([key, value]): [string, string] => {
    const header = key.trim().toLowerCase();
    if (!NAME.test(header)) throw wrong(name, 'holds an invalid header name');
    if (RESERVED.has(header)) throw wrong(name, `holds the header ${header}, which a secret must not set`);
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw wrong(name, `holds a value for the header ${header} that is not a single line of text`);
    }
    return [header, value];
  });
  return Object.fromEntries(entries);
}

function wrong(
  name: string,
  what: string,
  hint = 'Write it as {"hosts": ["cdn.example"], "headers": {"authorization": "…"}}.',
): ConfigurationError {
  return new ConfigurationError('secrets', `the secret named "${name}" ${what}`, hint);
}

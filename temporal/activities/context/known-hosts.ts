import type { Clock } from '../../../api/clock';
import { hasCode, MediaServiceError } from '../../../api/errors';
import type { Transport } from '../../../api/transport/transport';

/**
 * Hosts that have answered this process. A host name that does not exist is a mistake in a URL, unless the host
 * answered before.
 */
export interface KnownHosts {
  /** The same transport, which also notes the hosts that answer. */
  noting(transport: Transport): Transport;
  /**
   * Judges a step's error after this number of tries. An unknown name of a host that never answered is retried for a
   * minute, and the facts say so (`retryForMs`). After that it is final (`permanent`). Any other error stays
   * unchanged.
   */
  judge(error: unknown, tries: number): unknown;
}

const UNKNOWN_NAME = 'ENOTFOUND';
/** A name server that has just started may not know all names yet. */
const MIN_TRIES = 4;
const MIN_MS = 25_000;
/** Includes the last try and the pause before it. */
const RETRY_FOR_MS = 60_000;
/** Sources can name any number of new hosts. */
const MAX_KNOWN_HOSTS = 10_000;

export function createKnownHosts(clock: Pick<Clock, 'now'>): KnownHosts {
  /** For each host: that it answered, or since when its name is unknown, epoch ms. */
  const hosts = new Map<string, 'answered' | number>();
  const keep = (host: string, state: 'answered' | number): void => {
    hosts.set(host, state);
    const [oldest] = hosts.size > MAX_KNOWN_HOSTS ? hosts.keys() : [];
    if (oldest !== undefined) hosts.delete(oldest);
  };
  return {
    noting: (transport) => ({
      ...transport,
      async send(request) {
        const answer = await transport.send(request);
        keep(new URL(request.url).host, 'answered');
        return answer;
      },
    }),
    judge(error, tries) {
      const host = unknownHost(error);
      if (host === undefined || !(error instanceof MediaServiceError)) return error;
      const state = hosts.get(host) ?? clock.now();
      if (state === 'answered') return error;
      keep(host, state);
      const isFinal = tries >= MIN_TRIES && clock.now() - state >= MIN_MS;
      const details = isFinal ? { permanent: true } : { retryForMs: RETRY_FOR_MS };
      const message = isFinal ? `${error.message}; it was tried ${tries} times` : error.message;
      const facts = { ...error.facts, details: { ...error.facts.details, ...details } };
      return new MediaServiceError(error.code, message, facts, { cause: error });
    },
  };
}

/** The host, if the error says that its name does not exist. */
function unknownHost(error: unknown): string | undefined {
  if (!hasCode(error, 'Transport')) return undefined;
  const { code, host } = error.facts.details ?? {};
  return code === UNKNOWN_NAME && typeof host === 'string' ? host : undefined;
}

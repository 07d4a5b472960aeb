import type { Clock } from '../../../api/clock';
import { hasCode, MediaServiceError } from '../../../api/errors';
import type { Transport } from '../../../api/transport/transport';

const UNKNOWN_NAME = 'ENOTFOUND';
/** A name server that has just started may not know all names yet. */
const MIN_TRIES = 4;
const MIN_MS = 25_000;
/** Includes the last try and the pause before it. */
const RETRY_FOR_MS = 60_000;
/** Sources can name any number of new hosts. */
const MAX_KNOWN_HOSTS = 10_000;

/**
 * Hosts that have answered this process. A host name that does not exist is a mistake in a URL, unless the host
 * answered before.
 */
export class KnownHosts {
  /** For each host: that it answered, or since when its name is unknown, epoch ms. */
  readonly #hosts = new Map<string, 'answered' | number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The same transport, which also notes the hosts that answer. */
  noting(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request) => {
        const answer = await transport.send(request);
        this.#keep(new URL(request.url).host, 'answered');
        return answer;
      },
    };
  }

  /**
   * Judges a step's error after this number of tries. An unknown name of a host that never answered is retried for a
   * minute at most, and the facts say so (`retryForMs`). After that it is final (`permanent`). Any other error stays
   * unchanged.
   */
  judge(error: unknown, tries: number): unknown {
    const host = unknownHost(error);
    if (host === undefined || !(error instanceof MediaServiceError)) return error;
    const now = this.clock.now();
    const since = this.#hosts.get(host) ?? now;
    if (since === 'answered') return error;
    this.#keep(host, since);
    const isFinal = tries >= MIN_TRIES && now - since >= MIN_MS;
    const details = isFinal ? { permanent: true } : { retryForMs: RETRY_FOR_MS };
    const message = isFinal ? `${error.message}; it was tried ${tries} times` : error.message;
    const facts = { ...error.facts, details: { ...error.facts.details, ...details } };
    return new MediaServiceError(error.code, message, facts, { cause: error });
  }

  #keep(host: string, state: 'answered' | number): void {
    this.#hosts.set(host, state);
    const [oldest] = this.#hosts.size > MAX_KNOWN_HOSTS ? this.#hosts.keys() : [];
    if (oldest !== undefined) this.#hosts.delete(oldest);
  }
}

/** The host, if the error says that its name does not exist. */
function unknownHost(error: unknown): string | undefined {
  if (!hasCode(error, 'Transport')) return undefined;
  const { code, host } = error.facts.details ?? {};
  return code === UNKNOWN_NAME && typeof host === 'string' ? host : undefined;
}

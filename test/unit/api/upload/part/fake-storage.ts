import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../../api/clock';
import type { HttpRequest, RequestStream, Transport } from '../../../../../api/transport/transport';
import { bytesOf } from '../../../../support/bytes-of';

export interface Answer {
  readonly status: number;
  /** Unset: the MD5 of what arrived. Empty: none. */
  readonly eTag?: string;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface FakeStorage {
  readonly transport: Transport;
  readonly puts: HttpRequest[];
  readonly bodies: Buffer[];
}

export const md5Of = (body: Uint8Array): string => createHash('md5').update(body).digest('hex');

/** Storage that reads each PUT to its end and answers one after another. The last answer repeats. */
export function fakeStorage(answers: readonly Answer[], onRead = (): unknown => undefined): FakeStorage {
  const puts: HttpRequest[] = [];
  const bodies: Buffer[] = [];
  const send = async (request: HttpRequest): ReturnType<Transport['send']> => {
    const answer: Answer = answers[puts.length] ?? answers.at(-1) ?? { status: 200 };
    const { status, code, message, headers } = answer;
    puts.push(request);
    const body = await bytesOf((request.body as RequestStream).open());
    bodies.push(body);
    onRead();
    const { eTag = `"${md5Of(body)}"` } = answer;
    const text = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
    return {
      status,
      headers: { ...(status === 200 && eTag !== '' && { etag: eTag }), ...headers },
      body: (async function* () {
        if (code !== undefined) yield Buffer.from(text);
      })(),
    };
  };
  return { transport: { send }, puts, bodies };
}

export const aborted = (signal?: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** Takes one piece and passes it on for ever. */
export const STUCK: Transport = {
  async send({ body, signal }) {
    await (body as RequestStream).open()[Symbol.asyncIterator]().next();
    return aborted(signal);
  },
};

/** Time passes in sleeps. */
export function movingClock(): Clock {
  let now = 1_000_000_000_000;
  return { now: () => now, sleep: (ms) => turn().then(() => void (now += ms)) };
}

import type { HttpAnswer, HttpRequest, Transport } from '../transport/transport';

/** Observes every request of one account's service, including logins, for metrics and traces. */
export interface CallObserver {
  /** `operation` in the interface's words: `media search`, `login`. */
  begin(operation: string): SeenCall;
}

export interface SeenCall {
  /** Sent with the request, only to the service. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer began. `status` is undefined if there is no answer. */
  end(status: number | undefined): void;
}

/** Returns the same transport with an observer: one `begin` and one `end` for each request. */
export function observedTransport(
  transport: Transport,
  observer: CallObserver | undefined,
  operation: string,
): Pick<Transport, 'send'> {
  if (observer === undefined) return transport;
  return {
    async send(request: HttpRequest): Promise<HttpAnswer> {
      const seen = observer.begin(operation);
      let status: number | undefined;
      try {
        const answer = await transport.send({ ...request, headers: { ...request.headers, ...seen.headers } });
        status = answer.status;
        return answer;
      } finally {
        seen.end(status);
      }
    },
  };
}

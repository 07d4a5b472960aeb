import type { Service } from './service';

/**
 * The same service for callers that can wait elsewhere: if it asks for a wait of more than a few seconds, its calls
 * reject at once with `RateLimited` and `retryAfterMs`.
 */
export function withoutLongWaits(service: Service): Service {
  return {
    ...service,
    waitsLong: false,
    call: (call) => service.call({ ...call, waitsLong: false }),
    stream: (call) => service.stream({ ...call, waitsLong: false }),
  };
}

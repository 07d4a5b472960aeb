import type { Service } from '../../service/service';
import { requestUrls } from '../session/additional-urls';
import { createAimdLimiters } from '../parts/aimd-limiter';
import type { DirectHooks } from './direct-hooks';
import type { SendPartDeps } from '../parts/send-part';
import { sendPart } from '../parts/send-part';
import { createPartRate } from '../parts/part-rate';
import { createReach } from './reach';
import { withRetries } from '../run/with-retries';
import type { PartScope } from '../run-upload';
import type { SourceAccess } from '../sources/source-access';
import { openSource } from '../sources/read-source';
import type { PartInput, PartResult, PartUrl } from '../upload-steps';

const STORAGE_HINT =
  'The service stores the parts of the file at this host: let this machine reach it (DNS, proxy, firewall), then upload again.';

interface DirectParts {
  readonly openPartScope: () => PartScope;
  readonly sendPart: (input: PartInput<string>) => Promise<PartResult>;
}

/**
 * Sends parts in this process and retries each one until its time limit. It keeps one limiter per storage origin, the
 * rate of earlier parts, and the fresh URL of an earlier try. When a scope is cancelled, its parts end.
 */
export function createDirectParts(
  service: Service,
  access: SourceAccess,
  hooks: DirectHooks & { readonly retryForMs: number },
): DirectParts {
  const limiters = createAimdLimiters();
  const storage = createReach({ ...hooks, clock: service.clock, hint: STORAGE_HINT });
  let scope = new AbortController();
  const rate = createPartRate();

  const depsOf = (input: PartInput<string>): SendPartDeps => ({
    ...sendingOf(service, access, input),
    limiterOf: (url) => limiters.of(url),
    bytesPerSecond: () => rate.bytesPerSecond(),
    ...(hooks.hash === undefined ? {} : { hash: hooks.hash }),
  });

  async function sendWithRetries(input: PartInput<string>): Promise<PartResult> {
    const { partNumber } = input;
    const ending = linked([storage.signal, scope.signal]);
    const deps = depsOf(input);
    let url: PartUrl<string> | undefined = input.url;
    let attempts = 0;
    try {
      const result = await withRetries(
        {
          clock: service.clock,
          signal: ending.signal,
          retryForMs: hooks.retryForMs,
          onRetry: (error) => hooks.onPartRetry?.(partNumber, error),
          giveUp: storage.giveUp,
        },
        (tries) => {
          attempts = tries;
          return storage.note(() =>
            sendPart(deps, url === undefined ? input : { ...input, url }, {
              signal: ending.signal,
              onBytes: (bytes) => hooks.onPartBytes?.(partNumber, bytes),
              onFreshUrl: (fresh) => (url = fresh),
            }),
          );
        },
      );
      rate.note(result);
      return { partNumber, attempts, ...result };
    } finally {
      ending.unlink();
    }
  }

  return {
    sendPart: sendWithRetries,
    openPartScope: () => {
      scope = new AbortController();
      return scopeOf(scope);
    },
  };
}

function sendingOf(
  service: Service,
  access: SourceAccess,
  { source, uploadId }: PartInput<string>,
): SendPartDeps {
  return {
    transport: access.transport,
    reader: openSource(access, source),
    clock: service.clock,
    requestUrls: (partNumbers, signal) => requestUrls(service, { uploadId, partNumbers }, signal),
    contentType: service.options.partContentType,
  };
}

function scopeOf(scope: AbortController): PartScope {
  return { run: (step) => step(), cancel: () => scope.abort() };
}

/** Combines several signals into one. `unlink` removes its listeners from signals that live longer. */
function linked(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; unlink(): void } {
  const controller = new AbortController();
  const listeners = signals.map((signal) => {
    const onAbort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  });
  return { signal: controller.signal, unlink: () => listeners.forEach((remove) => remove()) };
}

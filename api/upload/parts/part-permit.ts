import { MINUTE_MS } from '../../clock';
import { hasCode, MediaServiceError } from '../../errors';
import type { AimdLimiter, Permit, PermitOutcome } from './part-rate';
import { ANSWER_STALLS, requestPart } from './part-request';
import type { PartHooks, PartRequest, PartRequestDeps, PartRequestResult } from './part-request';

/** Pause after a wait for a permit was given up, ms. */
const NEXT_PERMIT_MS = 5_000;
/** Longest time without a byte of a part that goes alone, ms. */
const MAX_STILL_MS = 15 * MINUTE_MS;

export interface PermittedDeps extends PartRequestDeps {
  /** The limiter of storage's origin. Unset: no limit. */
  limiterOf?(url: string): AimdLimiter;
  /** Resolves when a part may begin at its storage. Rejects with an error that the driver handles. Unset: at once. */
  acquire?(part: Pick<PartRequest, 'url' | 'partNumber'>, signal: AbortSignal): Promise<void>;
  /** Longest wait for a permit, ms. Unset: no limit. */
  readonly permitWaitMs?: number;
}

/**
 * Tries once to send a part when storage and line have room for it, and reports to the limiter how it went. Rejects as
 * `requestPart`, and with `StorageBusy` if no permit came in time.
 */
export async function requestWithPermit(
  deps: PermittedDeps,
  part: PartRequest,
  hooks: PartHooks,
): Promise<PartRequestResult> {
  // Waits for `acquire` last. Otherwise a part that then waits for a permit would begin together with later ones.
  const request = async (): Promise<PartRequestResult> => {
    await deps.acquire?.(part, hooks.signal);
    return requestPart(deps, limiter?.limit() === 1 ? withTimeForBuffers(part) : part, hooks);
  };
  const limiter = deps.limiterOf?.(part.url);
  if (limiter === undefined) return request();
  const permit = await permitOf(limiter, deps, { partNumber: part.partNumber, signal: hooks.signal });
  let outcome: PermitOutcome = 'failed';
  try {
    const result = await request();
    outcome = 'ok';
    return result;
  } catch (error) {
    if (hasCode(error, 'StorageBusy')) outcome = 'busy';
    if (isSlowLine(error)) outcome = 'slow';
    throw error;
  } finally {
    permit.release(outcome);
  }
}

/**
 * A proxy or the system's buffers can take megabytes at once and pass them on slowly. A part that goes alone may
 * therefore take as long for all its bytes as the minimum throughput allows.
 */
function withTimeForBuffers(part: PartRequest): PartRequest {
  const { bytes, minimumThroughput, stallMs } = part;
  const neededMs = (bytes * 1000) / Math.max(1, minimumThroughput);
  const stillMs = Math.max(stallMs * ANSWER_STALLS, Math.min(MAX_STILL_MS, neededMs));
  return { ...part, stallMs: stillMs, answerMs: stillMs };
}

/** Too few bytes left, or all left and storage did not answer in time. */
function isSlowLine(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { waitsFor, code } = error.facts.details ?? {};
  return error.code === 'PartStalled' ? waitsFor === 'line' : code === 'UND_ERR_HEADERS_TIMEOUT';
}

/**
 * Returns a permit in time, or throws `StorageBusy`. A try's time is for sending, and the driver can wait without a
 * slot.
 */
async function permitOf(
  limiter: AimdLimiter,
  { clock, permitWaitMs }: PermittedDeps,
  { partNumber, signal }: { readonly partNumber: number; readonly signal: AbortSignal },
): Promise<Permit> {
  const tooLong = new AbortController();
  let stopWaiting = (): void => undefined;
  const onWaiting = (): void => {
    if (permitWaitMs === undefined) return;
    const ended = new AbortController();
    stopWaiting = () => ended.abort();
    clock.sleep(permitWaitMs, ended.signal).then(
      () => tooLong.abort(noPermit(partNumber, permitWaitMs)),
      () => undefined,
    );
  };
  try {
    return await limiter.acquire(AbortSignal.any([signal, tooLong.signal]), { onWaiting });
  } finally {
    stopWaiting();
  }
}

function noPermit(partNumber: number, waitedMs: number): MediaServiceError {
  const seconds = Math.round(waitedMs / 1000);
  return new MediaServiceError(
    'StorageBusy',
    `part ${partNumber}: not begun within ${seconds} s, because storage accepts no more parts at once for now`,
    {
      operation: `part ${partNumber}`,
      outcome: 'unsent',
      retryAfterMs: NEXT_PERMIT_MS,
      details: { partNumber },
    },
  );
}

import { createHash } from 'node:crypto';
import type { Window } from '../../../../reports/period/window';

/** What makes one message the same message, whoever sends it how often. */
export interface DeliveryIdentity {
  readonly accountId: string;
  readonly schedule: string;
  /** `next`, `backfill`, `test` or `failed`. */
  readonly kind: string;
  readonly target: string;
  /** Unset: a run that failed before it had one. */
  readonly window?: Window;
  /** Of the workflow's run, where the same window may be told of again: tests and failures. */
  readonly runId?: string;
}

/** 32 hexadecimal digits: the Idempotency-Key of a post and the first half of a Message-ID. */
export function deliveryName(identity: DeliveryIdentity): string {
  const { accountId, schedule, kind, target, window, runId } = identity;
  const parts = [accountId, schedule, kind, target, window?.from ?? '', window?.to ?? '', runId ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

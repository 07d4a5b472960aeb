import { createHash } from 'node:crypto';
import type { Period } from '../../../../reports/period/period';

/** What identifies a message, whoever sends it and however often. */
interface DeliveryIdentity {
  readonly accountId: string;
  readonly schedule: string;
  /** `report` or `failed`. */
  readonly kind: string;
  readonly target: string;
  /** Unset: the run failed before it had a period. */
  readonly period?: Period;
  /** Id of the workflow's run, for failures. */
  readonly runId?: string;
}

/** 32 hexadecimal digits: the Idempotency-Key of a post and the first half of a Message-ID. */
export function deliveryName(identity: DeliveryIdentity): string {
  const { accountId, schedule, kind, target, period, runId } = identity;
  const parts = [accountId, schedule, kind, target, period?.from ?? '', period?.to ?? '', runId ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

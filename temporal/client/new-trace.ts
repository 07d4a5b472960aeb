import { randomBytes } from 'node:crypto';
import type { TraceIds } from '../telemetry/types';

const RECORDED = '01';

/** A new trace with random ids, marked as recorded. */
export function newTrace(): TraceIds {
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    flags: RECORDED,
  };
}

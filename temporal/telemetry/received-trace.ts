import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import { isJsonObject } from '../../api/json';
import { parseTraceparent, TRACE_HEADER } from './types';

/** The W3C trace context in the headers of a workflow or activity. Undefined if it is missing or malformed. */
export function traceparentIn(headers: Headers): string | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  const carrier: unknown = defaultPayloadConverter.fromPayload(payload);
  const traceparent: unknown = isJsonObject(carrier) ? carrier['traceparent'] : undefined;
  return parseTraceparent(traceparent) === undefined ? undefined : String(traceparent);
}

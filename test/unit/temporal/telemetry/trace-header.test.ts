import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import { traceparentIn } from '../../../../temporal/telemetry/received-trace';
import { TRACE_HEADER } from '../../../../temporal/telemetry/types';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace in the headers of a task', () => {
  it.each([
    ['that carry one', { traceparent }, traceparent],
    ['whose trace is malformed', { traceparent: '00-short-01' }, undefined],
    ['whose carrier has no trace', {}, undefined],
    ['whose carrier is only a text', traceparent, undefined],
  ])('%s', (_name, carrier, expected) => {
    expect(traceparentIn({ [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) })).toBe(expected);
  });

  it('without the header is none', () => {
    expect(traceparentIn({})).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import { parseTraceparent } from '../../../../temporal/contract/telemetry';
import type { FinishedSpan } from '../../../../temporal/traces/span-sender';
import { tracingOver } from '../../../../temporal/traces/tracing';

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function kept(): { readonly spans: FinishedSpan[]; readonly tracing: ReturnType<typeof tracingOver> } {
  const spans: FinishedSpan[] = [];
  const sender = { send: (span: FinishedSpan) => void spans.push(span), close: () => Promise.resolve() };
  return { spans, tracing: tracingOver(sender) };
}

describe('the spans of a process', () => {
  it('nest calls in activities, and pass on their own context', async () => {
    const { spans, tracing } = kept();
    const activity = { name: 'startSession', traceparent: PARENT, attributes: { attempt: 1 } };
    const headers = await tracing.inActivity(activity, () => {
      const call = tracing.beginCall('upload start', 'acme-1');
      call.end(200);
      return Promise.resolve(call.headers);
    });
    const [call, outer] = spans;
    expect(outer).toMatchObject({ name: 'startSession', parent: 'b'.repeat(16), attributes: { attempt: 1 } });
    expect(call).toMatchObject({ name: 'upload start', parent: outer?.ids.spanId, kind: 'client' });
    expect(headers['traceparent']).toContain(call?.ids.spanId);
  });

  it('have the code of an error, never its message', async () => {
    const { spans, tracing } = kept();
    const failing = tracing.inActivity({ name: 'sendPart', traceparent: PARENT, attributes: {} }, () =>
      Promise.reject(new MediaServiceError('UrlExpired', 'canary')),
    );
    await expect(failing).rejects.toThrow('canary');
    expect(spans).toMatchObject([{ error: 'UrlExpired' }]);
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  it.each([
    ['no context', undefined],
    ['a context that is not recorded', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`],
    ['something else', 'canary'],
  ])('do not exist for an activity with %s, and its calls get no header', async (_what, traceparent) => {
    const { spans, tracing } = kept();
    const headers = await tracing.inActivity({ name: 'x', traceparent, attributes: {} }, () =>
      Promise.resolve(tracing.beginCall('login', 'a').headers),
    );
    expect([headers, spans]).toEqual([{}, []]);
  });
});

it.each([`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, '00-a-b-01', '', 7])(
  'parseTraceparent does not accept %p',
  (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  },
);

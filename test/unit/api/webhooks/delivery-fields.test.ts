import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../api/json';
import { createDeliveryReader } from '../../../../api/webhooks/delivery-fields';

const AT = '2026-11-01T06:00:00Z';
const SENT = Date.parse(AT);

describe('a delivery read by role', () => {
  test.each<[string, JsonObject]>([
    ['camel case', { id: 'd1', sentAt: AT, status: 'OK', mediaId: 'm1', subAccountId: 's1' }],
    [
      'snake case',
      { delivery_id: 'd1', sent_at: AT, delivery_status: 'OK', media_id: 'm1', tenant_id: 's1' },
    ],
    ['kebab case', { UUID: 'd1', TIMESTAMP: AT, State: 'OK', 'Media-ID': 'm1', 'Sub-Account-ID': 's1' }],
    ['objects', { _id: 'd1', createdAt: AT, result: ' OK ', media: { id: 'm1' }, subAccount: { id: 's1' } }],
    ['other names', { id: 'd1', date: AT, status: 'OK', assetId: 'm1', tenantId: 's1' }],
  ])('with %s is understood', (_what, record) => {
    const reader = createDeliveryReader();
    expect({
      id: reader.identity(record),
      time: reader.sentAt(record),
      status: reader.text(record, 'status'),
      media: reader.text(record, 'media'),
      subAccount: reader.text(record, 'subAccount'),
    }).toEqual({ id: 'd1', time: SENT, status: 'OK', media: 'm1', subAccount: 's1' });
  });

  test.each<JsonValue>([
    ...[SENT, `${SENT}`, SENT / 1000, SENT * 1000, `${SENT}000000`, [2026, 11, 1, 6, 0], '2026-11-01 06:00'],
    ...['2026-11-01 06:00:00 UTC', '2026-11-01T07:00:00+01:00', 'Sun, 01 Nov 2026 06:00:00 GMT'],
  ])('was sent at %j', (sentAt) => {
    expect(createDeliveryReader().sentAt({ sentAt })).toBe(SENT);
  });

  test('keeps all digits of a number as ID', () => {
    expect(createDeliveryReader().identity({ id: 17 })).toBe('17');
  });

  test.each<[string, JsonObject]>([
    ['an empty record', {}],
    ['null', { sentAt: null, mediaId: null }],
    ['texts that are not dates', { sentAt: 'yesterday', mediaId: ' ' }],
    ['a small number', { sentAt: 0, mediaId: true }],
    ['a list that is not a date', { sentAt: [2026, 13, 1], mediaId: [1] }],
    ['a list of texts', { sentAt: ['2026', '11', '1'], mediaId: [1] }],
    ['a time of day', { time: '06:00' }],
    ['a count under the name of a date', { date: '20261101' }],
  ])('with %s has neither time nor media', (_what, record) => {
    const reader = createDeliveryReader();
    expect([reader.sentAt(record), reader.text(record, 'media')]).toEqual([undefined, undefined]);
  });

  test("uses the next candidate if one can't be read", () => {
    const record = { sentAt: null, deliveredAt: AT };
    expect(createDeliveryReader().sentAt(record)).toBe(SENT);
  });

  test('uses only the field that the user named, by its path', () => {
    const reader = createDeliveryReader({ time: 'payload.meta.sent', id: 'event_key' });
    const record = { id: 'shared', sentAt: 0, eventKey: 'e9', payload: { meta: { sent: SENT } } };
    expect([reader.identity(record), reader.sentAt(record)]).toEqual(['e9', SENT]);
    expect(reader.sentAt({ sentAt: SENT })).toBeUndefined();
  });

  test('does not take an ID of the event or the webhook for its own', () => {
    const reader = createDeliveryReader();
    const first = { eventId: 'e1', webhookId: 'w1', attempt: 1 };
    expect(reader.identity(first)).not.toBe(reader.identity({ ...first, attempt: 2 }));
  });

  test('without an ID is the same record only if its JSON means the same', () => {
    const reader = createDeliveryReader({ id: 'none' });
    const reversed = (record: JsonObject): JsonObject => Object.fromEntries(Object.entries(record).reverse());
    const objects = fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue())
      .map((value): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject);
    fc.assert(
      fc.property(objects, (record) => {
        expect(reader.identity(reversed(record))).toBe(reader.identity(record));
        expect(reader.identity({ ...record, other: 1 })).not.toBe(reader.identity({ ...record, other: 2 }));
      }),
    );
  });
});

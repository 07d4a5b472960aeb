import { withSimulator } from '../bare-client';

const HEADER =
  'id,eventType,mediaId,subAccountId,status,httpStatus,targetUrl,attempt,durationMs,message,sentAt';
const SENT_AT = '2026-11-01T00:00:00.000Z';

test('the CSV of deliveries quotes texts with quotes, commas and line breaks', () =>
  withSimulator({ seed: { media: 1, deliveries: 0 } }, async (simulator, client) => {
    simulator.addDelivery({ id: 'd1', mediaId: 'm', message: 'one, "two"\nthree ü', sentAt: SENT_AT });
    const { text, headers } = await client.webhooks('', 'text/csv');
    expect(headers.get('content-type')).toBe('text/csv;charset=UTF-8');
    expect(text).toBe(
      `${HEADER}\nd1,media.processed,m,demo-studio,FAILED,500,https://hooks.example.com/media,1,42,"one, ""two""\nthree ü",${SENT_AT}\n`,
    );
  }));

import type { Json, JsonRecord } from '../../../simulator/json';
import { startSimulator } from '../../../simulator/start-simulator';
import { BareClient, type LoginChange, type Reply, record, SMALL } from './bare-client';

let client: BareClient;
beforeAll(async () => {
  client = new BareClient(await startSimulator(SMALL));
});
afterAll(() => client.simulator.close());

type Row<T> = readonly [what: string, given: T, message: string, status?: number];

/** The simulator refuses each, says why, and has started and issued nothing for it. */
function describeRefused<T>(
  operation: string,
  ask: (given: T) => Promise<Reply>,
  rows: readonly Row<T>[],
): void {
  describe(`${operation} is refused`, () => {
    test.each(rows)('with %s', async (_what, given, message, status = 400) => {
      await client.token();
      const { starts, logins } = client.simulator.seen();
      const reply = await ask(given);
      expect([reply.status, record(reply)['message']]).toEqual([status, expect.stringContaining(message)]);
      expect(client.simulator.seen()).toMatchObject({ starts, logins });
    });
  });
}

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

describeRefused<LoginChange>('a login', (change) => client.login(change), [
  ['a wrong API key', { apiKey: 'other' }, 'Unknown API key.', 401],
  ['a wrong secret key', { secretKey: 'other' }, 'The signature does not match.', 401],
  ['a signature that is not hexadecimal', { signature: 'x' }, 'The signature does not match.', 401],
  ['a signature in upper case', { signature: 'AB'.repeat(32) }, 'The signature does not match.', 401],
  ['an unknown external id', { externalId: 'nobody' }, 'Unknown external id.', 401],
  ['a timestamp of 31 minutes ago', { timestamp: ago(31) }, 'The timestamp is too old.', 401],
  ['a timestamp far ahead', { timestamp: ago(-10) }, 'The timestamp is in the future.', 401],
  ['a timestamp without zone', { timestamp: '2026-11-21T10:00:00' }, 'not an ISO 8601'],
  ['no date as timestamp', { timestamp: '2026-13-41T10:00:00Z' }, 'not an ISO 8601'],
  ['no timestamp', { body: '{}' }, 'timestamp is required'],
  ['a further field', { body: '{"timestamp":"x","a":1}' }, 'fields that are not known: a'],
  ['broken JSON', { body: '{' }, 'not a JSON object'],
  ['another content type', { contentType: 'text/plain' }, 'must be application/json', 415],
]);

describeRefused<JsonRecord>('a start', (change) => client.start(change), [
  ['no parts', { amountOfParts: 0 }, 'amountOfParts'],
  ['121 parts', { amountOfParts: 121 }, 'amountOfParts'],
  ['half a part', { amountOfParts: 1.5 }, 'amountOfParts'],
  ['amountOfParts as text', { amountOfParts: '1' }, 'amountOfParts'],
  ['no media', { media: null }, 'media is required'],
  ['an unknown field', { parts: 1 }, 'parts'],
  ['metadata that is not an object', { metadata: [] }, 'metadata'],
  ['the reserved key failureReason', { metadata: { failureReason: 'x' } }, 'failureReason'],
  ['the reserved key failureTimestamp', { metadata: { failureTimestamp: 'x' } }, 'failureTimestamp'],
  ['metadata over 16 MB', { metadata: { a: 'x'.repeat(16 * 1024 * 1024) } }, '16 MB'],
]);

const startOf = (media: JsonRecord): Promise<Reply> => client.start({ media: { fileType: 'MP4', ...media } });

describeRefused<JsonRecord>('a start of media', startOf, [
  ['an unsupported extension', { fileType: 'EXE' }, 'media.fileType'],
  ['3GP, which is not in the table', { fileType: '3GP' }, 'media.fileType'],
  ['a dot before the extension', { fileType: '.mp4' }, 'media.fileType'],
  ['a creator of 256 characters', { creator: 'x'.repeat(256) }, 'media.creator'],
  ['a title that is not text', { title: 7 }, 'media.title'],
  ['a duration with a fraction', { duration: 1.5 }, 'media.duration'],
  ['a negative duration', { duration: -1 }, 'media.duration'],
  ['an unknown resolution', { resolution: '4K' }, 'media.resolution'],
  ['tags as an array', { tags: ['a'] }, 'media.tags'],
  ['a tag that is an object', { tags: { a: {} } }, 'media.tags'],
  ['insights that are not booleans', { insights: { isLibrary: 'yes' } }, 'media.insights'],
  ['unknown insights', { insights: { isPublic: true } }, 'isPublic'],
  ['an unknown media field', { name: 'a' }, 'name'],
  ['metadata inside media', { metadata: {} }, 'metadata'],
]);

test('a start with everything that is allowed is accepted', async () => {
  const insights = { isLibrary: true, includeInReport: false };
  const tags = { '': 'a', n: 1, f: false };
  const texts = { creator: '🚪'.repeat(255), title: '', resolution: 'HIGH' };
  const full = { fileType: '3GPP', duration: 0, ...texts, tags, insights };
  const change = { amountOfParts: 120, media: full, metadata: { deep: [{}] } };
  expect((await client.start(change)).status).toBe(201);
});

describeRefused('a media search', (query) => client.search({}, query), [
  ['page -1', '?page=-1', 'page'],
  ['size -1', '?size=-1', 'size'],
  ['size 1001', '?size=1001', 'size'],
  ['a page that is not a number', '?page=one', 'page'],
  ['two pages', '?page=1&page=2', 'page is given more than once'],
  ['an unknown parameter', '?limit=2', 'limit'],
  ['an unknown property to sort by', '?sort=weight', 'weight'],
  ['an unknown direction', '?sort=title,DOWN', 'title,DOWN'],
  ['a separator without a direction', '?sort=title,', 'title,'],
]);

describeRefused<Json>('a filter of media', (filter) => client.search(filter), [
  ['ids with a null element', { ids: ['a', null] }, 'ids'],
  ['ids that are not an array', { ids: 'a' }, 'ids'],
  ['an unknown type', { type: 'FILM' }, 'type'],
  ['tags that are not an object', { tags: ['a'] }, 'tags'],
  ['isActive as text', { isActive: 'true' }, 'isActive'],
  ['an unknown field', { title: 'a' }, 'title'],
  ['an array as body', [], 'not a JSON object'],
]);

describeRefused('a webhook search', (query) => client.webhooks(query), [
  ['page -1', '?page=-1', 'page'],
  ['size 0', '?size=0', 'size'],
  ['size 1001', '?size=1001', 'size'],
  ['an unknown status', '?status=OPEN', 'status'],
  ['a date without zone', '?from=2026-11-01T00:00:00', 'from'],
  ['a plus that was not encoded', '?from=2026-11-01T00:00:00+01:00', 'URL-encoded'],
  ['from after to', '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'from is after to'],
  ['an unknown parameter', '?since=1', 'since'],
]);

type Called = readonly [
  method: string,
  address: 'baseUrl' | 'uploadUrl',
  path: string,
  headers?: Record<string, string>,
];
const call = ([method, address, path, headers]: Called): Promise<Reply> =>
  client.call(method, client.simulator[address] + path, undefined, headers);

describeRefused('a call', call, [
  ['a path of uploads at the base URL', ['POST', 'baseUrl', '/upload/start'], 'There is no', 404],
  ['a path of searches at the upload URL', ['POST', 'uploadUrl', '/api/media/search'], 'There is no', 404],
  ['a slash at the end', ['GET', 'uploadUrl', '/upload/start/'], 'There is no', 404],
  ['another method', ['DELETE', 'uploadUrl', '/upload/abc'], 'There is no', 404],
  ['no token', ['POST', 'uploadUrl', '/upload/start', { authorization: '' }], 'token is required', 401],
  ['neither CSV nor JSON', ['GET', 'baseUrl', '/api/webhook/search', { accept: '*/*' }], 'Accept', 406],
]);

import { startSession } from '../../../../../api/upload/protocol/start-session';
import type { StartInput } from '../../../../../api/upload/types';
import { failureOf } from '../failure-of';
import { LOST, scriptedService } from '../scripted-service';

const INPUT: StartInput = {
  media: { fileType: 'MP4', title: 'A film', tags: { season: '2' }, insights: { isLibrary: true } },
  metadata: { order: 7 },
  ingestKey: 'key-1',
  amountOfParts: 2,
  limitMs: 60_000,
};
const URLS = [1, 2].map((n) => `https://s3.example.com/key?partNumber=${n}&X-Amz-Signature=canary`);
const STARTED = { uploadId: 'u-1', mediaId: 'm-1', presignedUrls: URLS };

describe('the start call', () => {
  it('sends parts, media with the ingest key as a tag, and metadata; it reads IDs and URLs', async () => {
    const { service, calls, bodies } = scriptedService(() => ({ status: 201, body: STARTED }));
    const urls = URLS.map((url, index) => ({ partNumber: index + 1, url }));
    expect(await startSession(service, INPUT)).toEqual({ uploadId: 'u-1', mediaId: 'm-1', urls });
    expect(calls).toEqual(['POST /upload/start']);
    const media = { ...INPUT.media, tags: { season: '2', ingestKey: 'key-1' } };
    expect(bodies).toEqual([{ amountOfParts: 2, media, metadata: { order: 7 } }]);
  });

  it('leaves out unset fields, and the ingest key if its tag is off', async () => {
    const { service, bodies } = scriptedService(() => ({ status: 201, body: STARTED }), { ingestTag: false });
    const media = { fileType: 'PDF' };
    await startSession(service, { media, ingestKey: 'k', amountOfParts: 2, limitMs: 1 });
    expect(bodies).toEqual([{ amountOfParts: 2, media: { fileType: 'PDF' } }]);
  });

  it.each([
    ['nested', { data: { uploadId: 'u-1', media: { mediaId: 'm-1' }, parts: URLS } }],
    ['named otherwise', { upload_id: 'u-1', mediaID: 'm-1', urls: URLS }],
  ])('can read an answer that is %s', async (_what, body) => {
    const { service } = scriptedService(() => ({ status: 200, body }));
    expect(await startSession(service, INPUT)).toMatchObject({ uploadId: 'u-1', mediaId: 'm-1' });
  });

  it.each([
    ['a lost connection', LOST, {}],
    ['a 502', { status: 502, body: '<html>' }, {}],
    ['a 408', { status: 408 }, {}],
    ['a success that is not JSON', { status: 200, body: '<html>' }, {}],
    ['a lost connection with the tag off', LOST, { ingestTag: false }],
  ] as const)('is ambiguous, and sent once, at %s', async (_what, answer, options) => {
    const { service, calls } = scriptedService(() => answer, options);
    const { code, facts } = await failureOf(startSession(service, INPUT));
    expect([code, facts.outcome, calls.length]).toEqual(['StartAmbiguous', 'ambiguous', 1]);
    expect(facts.details?.['ingestTag']).toBe(!('ingestTag' in options));
  });

  it('is not sent after its limit, when a search for it may already run', async () => {
    const busy = { status: 429, headers: { 'retry-after': '2' } };
    const { service, calls, slept } = scriptedService((_call, count) =>
      count === 0 ? busy : { status: 201, body: STARTED },
    );
    await failureOf(startSession(service, INPUT));
    expect(await failureOf(startSession(service, { ...INPUT, limitMs: 1_999 }))).toMatchObject({
      code: 'Transport',
      facts: { outcome: 'unsent', operation: 'upload start' },
    });
    expect([slept, calls.length]).toEqual([[2_000], 1]);
    await startSession(service, INPUT);
    expect(calls).toHaveLength(2);
  });

  it.each([
    ['no uploadId', { mediaId: 'm-1', presignedUrls: URLS }, {}],
    ['plain http', { uploadId: 'u-1', urls: ['http://s3.example.com/k'] }, { uploadId: 'u-1' }],
    ['an uploadId that no address can hold', { uploadId: '..', presignedUrls: URLS }, {}],
    ['no URL, and none can be requested', { uploadId: 'u-1' }, { uploadId: 'u-1' }],
    ['two URLs for one part', { uploadId: 'u-1', urls: [URLS[0], URLS[0]] }, { uploadId: 'u-1' }],
  ])('is of no use with %s, not to be repeated, and names the new session', async (what, body, ids) => {
    const { service } = scriptedService(() => ({ status: 201, body }));
    const error = await failureOf(startSession(service, INPUT));
    expect(error).toMatchObject({
      code: what === 'plain http' ? 'Configuration' : 'UnreadableAnswer',
      facts: { outcome: 'ambiguous', details: { repeatable: false, ...ids } },
    });
    expect(JSON.stringify([error.message, error.facts])).not.toContain('canary');
  });

  it('may return no URL if more can be requested', async () => {
    const options = { additionalUrls: 'GET /upload/{uploadId}/url/{partNumber}' };
    const { service } = scriptedService(() => ({ status: 201, body: { uploadId: 'u-1' } }), options);
    expect(await startSession(service, INPUT)).toEqual({ uploadId: 'u-1', urls: [] });
  });

  it.each([
    [400, 2, true],
    [400, 1, false],
    [403, 2, false],
  ])('suggests fewer parts after a %i for %i: %s', async (status, amountOfParts, suggests) => {
    const { service } = scriptedService(() => ({ status, body: { message: 'bad' } }));
    const { code, facts } = await failureOf(startSession(service, { ...INPUT, amountOfParts }));
    expect([code, facts.hint?.includes('lower {maxParts}')]).toEqual(['RequestRefused', suggests]);
  });

  it("is not sent with a tag that is the ingest key's", async () => {
    const { service, calls } = scriptedService(() => ({ status: 201, body: STARTED }));
    const taken = { ...INPUT, media: { ...INPUT.media, tags: { ingestKey: 'mine' } } };
    expect((await failureOf(startSession(service, taken))).facts.field).toBe('tags.ingestKey');
    expect(calls).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import type { Json } from '../../../../simulator/json';
import type { Simulator } from '../../../../simulator/start-simulator';
import { type BareClient, type Reply, eTagOf, put, record, withSimulator } from '../bare-client';

const LARGE = randomBytes(5 * 1024 * 1024);
const SMALL = randomBytes(10);

const ended = (simulator: Simulator): Promise<unknown> =>
  simulator.waitFor(({ event }) => event === 'session-ended');

/** Starts a session and uploads the bodies. */
async function uploaded(
  client: BareClient,
  bodies: readonly Uint8Array[],
): Promise<{ uploadId: string; eTags: string[] }> {
  const { uploadId, urls } = await client.started(bodies.length);
  const replies = await Promise.all(bodies.map((body, at) => put(urls[at], body)));
  return { uploadId, eTags: replies.map(eTagOf) };
}

const part = (partNumber: number | string, eTag: string): Json => ({ partNumber, eTag });

describe('upload complete', () => {
  const REFUSED: Record<string, (a: string, b: string) => Json> = {
    'no parts': () => ({}),
    'parts as an object': () => ({ parts: {} }),
    'an empty list': () => ({ parts: [] }),
    'an unknown field': (a, b) => ({ parts: [part(1, a), part(2, b)], uploadId: 'x' }),
    'a missing part': (a) => ({ parts: [part(1, a)] }),
    'numbers from 0': (a, b) => ({ parts: [part(0, a), part(1, b)] }),
    'a gap': (a, b) => ({ parts: [part(1, a), part(3, b)] }),
    'descending order': (a, b) => ({ parts: [part(2, b), part(1, a)] }),
    'a wrong ETag': (a) => ({ parts: [part(1, a), part(2, a)] }),
    'part numbers as text': (a, b) => ({ parts: [part('1', a), part(2, b)] }),
    'the names of S3': (a, b) => ({ parts: [a, b].map((eTag, at) => ({ PartNumber: at + 1, ETag: eTag })) }),
  };

  test('answers 400 to each wrong body, counts it and leaves the session unchanged', () =>
    withSimulator({}, async (simulator, client) => {
      const { uploadId, eTags } = await uploaded(client, [LARGE, SMALL]);
      const url = `${simulator.uploadUrl}/upload/${uploadId}/complete`;
      const [a = '', b = ''] = eTags;
      for (const [at, [what, bodyOf]] of Object.entries(REFUSED).entries()) {
        expect([what, (await client.call('POST', url, bodyOf(a, b))).status]).toEqual([what, 400]);
        expect(simulator.seen().sessions[0]).toMatchObject({
          status: 'PARTIAL',
          completesRefused: at + 1,
          completesAccepted: 0,
        });
      }
      expect((await client.complete(uploadId, eTags)).status).toBe(202);
    }));

  test('answers 400 to a part under 5 MiB that is not the last, and to a part that was not uploaded', () =>
    withSimulator({}, async (_, client) => {
      const tooSmall = await uploaded(client, [LARGE.subarray(1), SMALL]);
      expect(record(await client.complete(tooSmall.uploadId, tooSmall.eTags))['message']).toContain(
        'smaller than 5 MB',
      );
      const { uploadId } = await client.started(1);
      expect(record(await client.complete(uploadId, ['0'.repeat(32)]))['message']).toContain(
        'was not uploaded',
      );
    }));

  test('answers 202, then 400 to a repetition, during processing and after it', () =>
    withSimulator({ faults: ['processing-stuck'] }, async (simulator, client) => {
      const { uploadId, eTags } = await uploaded(client, [SMALL]);
      expect((await client.complete(uploadId, eTags)).status).toBe(202);
      expect((await client.complete(uploadId, eTags)).status).toBe(400);
      expect(record(await client.session(uploadId))['status']).toBe('PENDING_COMPLETE');
      await simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
      expect(simulator.release()).toBe(1);
      await ended(simulator);
      expect((await client.complete(uploadId, eTags)).status).toBe(400);
      expect(simulator.seen()).toMatchObject({ completesAccepted: 1, completesRefused: 2 });
    }));
});

describe('additional URLs', () => {
  const more = (
    { uploadUrl }: Simulator,
    client: BareClient,
    { uploadId, body = { partNumbers: [1] } }: { uploadId: string; body?: Json },
  ): Promise<Reply> => client.call('POST', `${uploadUrl}/upload/${uploadId}/urls`, body);

  test.each<[string, Json]>([
    ['part 0', { partNumbers: [0] }],
    ['a part beyond the session', { partNumbers: [1, 2] }],
    ['no parts', { partNumbers: [] }],
    ['numbers as text', { partNumbers: ['1'] }],
    ['an unknown field', { partNumbers: [1], life: 5 }],
  ])('are refused with 400 for %s', (_, body) =>
    withSimulator({}, async (simulator, client) => {
      const { uploadId } = await client.started(1);
      expect((await more(simulator, client, { uploadId, body })).status).toBe(400);
    }),
  );

  test('do not exist if they are turned off, nor after complete', async () => {
    await withSimulator({ additionalUrls: false }, async (simulator, client) => {
      const { uploadId } = await client.started(1);
      expect((await more(simulator, client, { uploadId })).status).toBe(404);
    });
    await withSimulator({}, async (simulator, client) => {
      const { uploadId, eTags } = await uploaded(client, [SMALL]);
      await client.complete(uploadId, eTags);
      expect((await more(simulator, client, { uploadId })).status).toBe(400);
    });
  });
});

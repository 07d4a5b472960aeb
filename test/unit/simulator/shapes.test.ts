import { SHAPE_GROUPS } from '../../../simulator/shapes/shapes';
import { type BareClient, type Reply, eTagOf, put, send, withSimulator } from './bare-client';

/** Answers to requests of all kinds, without what differs in each run. Ends with the first one that has no answer. */
async function conversation(shapes: readonly string[], partBytes = 3): Promise<string[]> {
  const answers: string[] = [];
  const note = async (asked: Promise<Reply>): Promise<Reply> => {
    const reply = await asked;
    const headers = [...reply.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date').flat();
    answers.push(
      [reply.status, headers, reply.text]
        .join(' ')
        .replace(/[\w-]{32,}/g, 'ID')
        .replace(/\d/g, '0'),
    );
    return reply;
  };
  await withSimulator({ shapes, searchLagMs: 0 }, async (simulator, client) => {
    simulator.addDelivery({ id: '76', sentAt: '2001-01-01T00:00:00.000Z' });
    simulator.addDelivery({ id: '"77"', sentAt: '2001-01-01T00:00:00.001Z' });
    await talk(client, note, partBytes).catch((error: unknown) => answers.push(String(error)));
  }).catch((error: unknown) => answers.push(String(error)));
  return answers;
}

async function talk(
  client: BareClient,
  note: (asked: Promise<Reply>) => Promise<Reply>,
  partBytes: number,
): Promise<void> {
  await note(client.login());
  const { uploadId, urls } = await client.started(2);
  const tags = { genre: 'drama' };
  await note(client.start({ amountOfParts: 2, media: { fileType: 'MP4', tags }, metadata: { order: 7 } }));
  await note(client.search({}, '?page=1&size=2&sort=title,DESC'));
  await note(client.search({ tags }));
  for (const query of [
    '?page=-1',
    '?page=1&size=2',
    '?from=2000-01-01T00:00:00Z&to=2001-01-01T00:00:00.001Z',
  ])
    for (const type of ['application/json', 'text/csv']) await note(client.webhooks(query, type));
  await note(send(urls[0] ?? '', { method: 'PUT', body: new Uint8Array(3) }));
  await note(client.session('no-such-upload'));
  await note(client.session(uploadId));
  const parts = [await put(urls[0], new Uint8Array(partBytes)), await put(urls[1], new Uint8Array(2))];
  await note(client.session(uploadId));
  await note(client.complete(uploadId, parts.map(eTagOf)));
  const incomplete = await client.started(2);
  const sent = await put(incomplete.urls[0], new Uint8Array(3));
  await note(client.complete(incomplete.uploadId, [eTagOf(sent)]));
  const whole = await client.started();
  await note(client.complete(whole.uploadId, [eTagOf(await put(whole.urls[0], new Uint8Array(3)))]));
}

const OTHERS = SHAPE_GROUPS.flatMap(([, ...others]) => others.map(({ name }) => name));

test.each(OTHERS)('%s changes what a client sees', async (shape) => {
  // Large parts cost time.
  const partBytes = shape === 'parts-from-5-mb' ? 5_000_000 : 3;
  usual[partBytes] ??= conversation([], partBytes);
  expect(await conversation([shape], partBytes)).not.toEqual(await usual[partBytes]);
});
const usual: Record<number, Promise<string[]> | undefined> = {};

test('a conversation in the same shapes is the same', async () => {
  expect(await conversation([])).toEqual(await conversation([]));
});

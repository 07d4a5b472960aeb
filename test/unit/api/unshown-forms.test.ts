import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '../../../api/create-client';
import { startSession } from '../../../api/upload/session/start-session';
import { findOrphans } from '../../../api/upload/session/orphans';
import { createDeliveryReader } from '../../../api/webhooks/delivery-fields';
import type { Simulator } from '../../../simulator/simulator';
import { STRICTNESS, UNSHOWN } from '../../../simulator/shapes/strict-shapes';
import { startSimulator } from '../../../simulator/start-simulator';
import { createTempDir } from '../../support/temp-dir';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(shape: string): Promise<{ client: Client; simulator: Simulator }> {
  const simulator = await startSimulator({
    shapes: [shape],
    seed: { media: 5, deliveries: 20 },
    searchLagMs: 0,
  });
  closing.push(() => simulator.close());
  const { baseUrl, uploadUrl, account } = simulator;
  const client = createClient({ baseUrl, uploadUrl, ...account });
  closing.push(() => client.close());
  return { client, simulator };
}

const names = (groups: readonly (readonly { readonly name: string }[])[], start: string): string[] =>
  groups.flat().flatMap(({ name }) => (name.startsWith(start) ? [name] : []));

test.each(names(UNSHOWN, 'login-'))(
  'if the login is answered as %s, the client gets its token',
  async (shape) => {
    const { client, simulator } = await open(shape);
    await client.login();
    expect((await client.media.search()).items).toHaveLength(5);
    expect(simulator.seen().logins).toBe(1);
  },
);

test.each(names(UNSHOWN, 'times-'))(
  'if deliveries have times as %s, the client knows when each was sent',
  async (shape) => {
    const { client, simulator } = await open(shape);
    const reader = createDeliveryReader();
    const sentAt = Date.now() - 90_000;
    simulator.addDelivery({ id: 'known', sentAt: new Date(sentAt).toISOString() });
    const read: (number | undefined)[] = [];
    const query = { from: '-60d', to: new Date(Date.now() + 1_000).toISOString() };
    for await (const delivery of client.webhooks.each(query)) read.push(reader.sentAt(delivery));
    expect(read).toHaveLength(21);
    expect(read.at(-1)).toBe(sentAt);
    expect(read.every((at, index) => at !== undefined && at >= (read[index - 1] ?? 0))).toBe(true);
  },
);

test.each(names(UNSHOWN, 'media-fields-'))(
  'if media have %s, a session with a lost start is found by its ID',
  async (shape) => {
    const { client, simulator } = await open(shape);
    const { service } = client;
    const media = { fileType: 'MP4' as const, title: 'Lost' };
    const { mediaId } = await startSession(service, {
      amountOfParts: 1,
      ingestKey: 'key-1',
      media,
      limitMs: 60_000,
    });
    const noPause = { ...service, clock: { ...service.clock, sleep: () => Promise.resolve() } };
    const { orphans, verifiable } = await findOrphans(noPause, { ingestKey: 'key-1', known: [] });
    expect([orphans.map((orphan) => orphan.mediaId), verifiable]).toEqual([[mediaId], true]);
    expect(simulator.seen().starts).toBe(1);
  },
);

describe('the client follows every strict rule, and works with every lenient reading', () => {
  test.each(names(STRICTNESS, ''))('%s', async (shape) => {
    const { client } = await open(shape);
    const folder = await createTempDir('strict');
    closing.push(() => folder.remove());
    const file = join(folder.path, 'small.mp4');
    await writeFile(file, 'a small file');
    const result = await client.upload.file(file);
    expect(result.status).toBe('COMPLETED');
    expect((await client.media.search({ ids: [result.mediaId ?? ''] })).items).toHaveLength(1);
    expect((await client.webhooks.search({ from: '-60d' })).items.length).toBeGreaterThan(0);
  });
});

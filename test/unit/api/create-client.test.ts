import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, MediaServiceError, type Client, type UploadProgress } from '../../../api/index';
import type { Simulator } from '../../../simulator/simulator';
import { startSimulator } from '../../../simulator/start-simulator';

let simulator: Simulator;
let client: Client;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  simulator = await startSimulator({ processingMs: 10, seed: { media: 60, deliveries: 120 } });
  const { baseUrl, uploadUrl, account } = simulator;
  client = createClient({ baseUrl, uploadUrl, ...account });
});

afterEach(async () => {
  await client.close();
  await simulator.close();
  await rm(folder, { recursive: true });
});

test('a login with the right keys succeeds', async () => {
  await expect(client.login()).resolves.toBeUndefined();
});

test.each(['apiKey', 'secretKey', 'externalId'])('a login with a wrong %s is refused', async (field) => {
  const { baseUrl, uploadUrl, account } = simulator;
  const wrong = createClient({ baseUrl, uploadUrl, ...account, [field]: 'wrong' });
  await expect(wrong.login()).rejects.toMatchObject({ code: 'LoginRefused' });
  await wrong.close();
});

test('media are found one page at a time or all of them', async () => {
  const page = await client.media.search({}, { page: 0, size: 7 });
  expect(page.items).toHaveLength(7);
  const ids = new Set<unknown>();
  for await (const item of client.media.each({}, { size: 25 })) ids.add(JSON.stringify(item));
  expect(ids.size).toBe(60);
});

test('calls continue when all tokens expire between them', async () => {
  await client.media.search();
  simulator.expireTokens();
  expect((await client.media.search({}, { size: 1 })).items).toHaveLength(1);
});

describe('webhook deliveries', () => {
  const query = { from: '-60d' };

  test('are the same number as records and as CSV', async () => {
    const records: unknown[] = [];
    for await (const record of client.webhooks.each(query, { size: 50 })) records.push(record);
    let exported = 0;
    let csv = '';
    const onPage = (page: { recordsSoFar: number }): void => void (exported = page.recordsSoFar);
    for await (const piece of client.webhooks.export(query, { format: 'csv', size: 50, onPage }))
      csv += piece;
    expect(records.length).toBeGreaterThan(50);
    expect(exported).toBe(records.length);
    expect(csv.trimEnd().split(/\r?\n/).length).toBeGreaterThanOrEqual(records.length + 1);
  });

  test('can be found by the status of failures', async () => {
    const { items } = await client.webhooks.search({ ...query, status: ['FAILED'] }, { size: 1000 });
    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map((item) => item['status']))).toEqual(new Set(['FAILED']));
  });
});

describe('an upload within this process', () => {
  test('ends COMPLETED with identical bytes in storage', async () => {
    const file = path.join(folder, 'clip.mp4');
    const bytes = randomBytes(6 * 1024 * 1024);
    await writeFile(file, bytes);
    const phases: string[] = [];
    const result = await client.upload.file(file, {
      media: { title: 'A clip' },
      options: { partBytes: 5 * 1024 * 1024 },
      onProgress: ({ phase }: UploadProgress) => void phases.push(phase),
    });
    expect(result).toMatchObject({
      status: 'COMPLETED',
      fileName: 'clip.mp4',
      fileType: 'MP4',
      bytes: bytes.length,
    });
    expect(result.parts.map(({ partNumber, verified }) => [partNumber, verified])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(phases).toEqual(expect.arrayContaining(['starting', 'uploading', 'completed']));
    expect(await client.upload.session(result.uploadId)).toMatchObject({ status: 'COMPLETED' });
    const [session] = simulator.seen().sessions;
    const stored: Uint8Array[] = [];
    for await (const piece of simulator.readObject(session?.keyName ?? '')) stored.push(piece);
    expect(Buffer.concat(stored).equals(bytes)).toBe(true);
  });

  test('of a missing file is refused before any session is started', async () => {
    const failure = await client.upload.file(path.join(folder, 'none.mp4')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MediaServiceError);
    expect(failure).toMatchObject({ code: 'SourceMissing' });
    expect(simulator.seen().sessions).toEqual([]);
  });

  test('that is aborted ends as cancelled', async () => {
    const file = path.join(folder, 'clip.mp4');
    await writeFile(file, randomBytes(1000));
    const signal = AbortSignal.abort();
    await expect(client.upload.file(file, { signal })).rejects.toMatchObject({ code: 'Cancelled' });
  });
});

import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ICredentialDataDecryptedObject, IBinaryData } from 'n8n-workflow';
import { startForwardProxy } from '../support/forward-proxy';
import { openN8nUploadSetting } from './support/n8n-upload-setting';
import type { N8nUploadSetting, WrittenFile } from './support/n8n-upload-setting';
import { runNode, storedText } from './support/run-workflow';
import type { NodeRun } from './support/run-workflow';

// n8n's guard reads these once, when it is first used: the service goes by the name localhost, storage by its address.
const ssrf = Container.get(SsrfProtectionConfig);
Object.assign(ssrf, { allowedHostnames: ['localhost'] });

let on: N8nUploadSetting;
let file: WrittenFile;
let binary: IBinaryData;
beforeAll(async () => {
  on = await openN8nUploadSetting();
  file = await on.writeFile('guarded.mp4', 6);
  binary = await on.storeBinary(file, 'filesystem', { fileName: 'guarded.mp4' });
});
afterAll(() => on.close());
afterEach(() => {
  ssrf.enabled = false;
  on.simulator.clearFaults();
});

const byName = (url: string): string => url.replace('127.0.0.1', 'localhost');

const puts = (): number => on.simulator.seen().requests['put'] ?? 0;
const upload = (
  change: ICredentialDataDecryptedObject = {},
  more: Partial<NodeRun> = {},
): ReturnType<typeof runNode> =>
  runNode({
    parameters: { resource: 'upload', operation: 'upload', source: 'binary', options: { partSizeMb: 5 } },
    items: [{ json: {}, binary: { data: binary } }],
    credentials: {
      mediaServiceApi: {
        ...on.credential,
        baseUrl: byName(on.simulator.baseUrl),
        uploadUrl: byName(on.simulator.uploadUrl),
        ...change,
      },
    },
    ...more,
  });

describe('n8n’s protection against requests to internal addresses', () => {
  test('an upload works where it is off', async () => {
    const before = puts();
    const { items, error } = await upload();
    expect(error).toBeUndefined();
    expect(items[0]?.json['status']).toBe('COMPLETED');
    expect(puts() - before).toBe(2);
  });

  test('a pre-signed URL that leads to a blocked address is refused, says so, and sends no byte', async () => {
    ssrf.enabled = true;
    const before = puts();
    const { error, run } = await upload();
    expect(error?.message).toMatch(/127\.0\.0\.1/);
    expect(`${error?.message} ${error?.description}`).toMatch(/blocked|not allowed|SSRF/i);
    expect(puts()).toBe(before);
    expect(storedText(run)).not.toContain('X-Amz-Signature=');
  });

  test('a service at a blocked address is refused before the login', async () => {
    ssrf.enabled = true;
    const logins = on.simulator.seen().requests['login'];
    const { error } = await upload({ baseUrl: on.simulator.baseUrl, externalId: 'another' });
    expect(error?.message).toMatch(/127\.0\.0\.1/);
    expect(on.simulator.seen().requests['login']).toBe(logins);
  });
});

test('HTTP_PROXY: login, start, every part and complete go through the proxy', async () => {
  const proxy = await startForwardProxy();
  process.env['HTTP_PROXY'] = proxy.url;
  try {
    // Under this address no token is at hand yet.
    const { items, error } = await upload({ baseUrl: on.simulator.baseUrl });
    expect(error).toBeUndefined();
    expect(items[0]?.json['status']).toBe('COMPLETED');
    const paths = proxy.seen.map((line) => line.replace(/http:\/\/[^/]+/, ''));
    expect(paths).toEqual(expect.arrayContaining(['POST /api/login', 'POST /upload/start']));
    expect(paths.filter((path) => path.startsWith('PUT /'))).toHaveLength(2);
    expect(paths.some((path) => /^POST \/upload\/.+\/complete$/.test(path))).toBe(true);
    expect(await on.storedSha256()).toBe(file.sha256);
  } finally {
    delete process.env['HTTP_PROXY'];
    await proxy.close();
  }
});

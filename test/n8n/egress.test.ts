import * as nodeTls from 'node:tls';
import { afterTest } from '../support/after-test';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';
import { makeCertificate } from '../support/certificate';
import { startForwardProxy } from '../support/forward-proxy';
import { openN8nUploadSetting, useN8nUploadSetting } from './support/n8n-upload-setting';
import type { WrittenFile } from '../support/source-file';
import type { N8nUploadSetting } from './support/n8n-upload-setting';
import { storedText } from './support/run-workflow';

// n8n's guard reads these only once, and another test file may have made it. The service is called by the name
// localhost, and storage by its address.
Container.reset();
const ssrf = Container.get(SsrfProtectionConfig);
Object.assign(ssrf, { allowedHostnames: ['localhost'] });

const tls = nodeTls as unknown as Authorities;

const on = useN8nUploadSetting();
let file: WrittenFile;
let item: INodeExecutionData;
beforeAll(async () => {
  file = await on.writeFile('guarded.mp4', 17);
  item = await on.itemOf(file);
});
afterEach(() => {
  ssrf.enabled = false;
});

const byName = (url: string): string => url.replace('127.0.0.1', 'localhost');

const puts = (): number => on.simulator.seen().requests['put'] ?? 0;
const upload = (change: ICredentialDataDecryptedObject = {}): ReturnType<typeof on.run> =>
  on.run(
    {},
    {
      items: [item],
      credentials: {
        mediaServiceApi: {
          ...on.credential,
          baseUrl: byName(on.simulator.baseUrl),
          uploadUrl: byName(on.simulator.uploadUrl),
          ...change,
        },
      },
    },
  );

test("n8n's SSRF protection refuses a pre-signed URL that leads to a blocked address, says so, and sends no byte", async () => {
  ssrf.enabled = true;
  const before = puts();
  const { error, run } = await upload();
  expect(error?.message).toMatch(/127\.0\.0\.1/);
  expect(`${error?.message} ${error?.description}`).toMatch(/blocked|not allowed|SSRF/i);
  expect(puts()).toBe(before);
  expect(storedText(run)).not.toContain('X-Amz-Signature=');
});

test('HTTP_PROXY carries login, start, every part and complete through the proxy', async () => {
  const proxy = await startForwardProxy();
  process.env['HTTP_PROXY'] = proxy.url;
  try {
    // There is no token for this address yet.
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

describe('HTTPS_PROXY', () => {
  let secure: N8nUploadSetting;
  let film: INodeExecutionData;
  const authorities = tls.getCACertificates('default');
  beforeAll(async () => {
    const certificate = await makeCertificate();
    tls.setDefaultCACertificates([...authorities, certificate.cert.toString()]);
    secure = await openN8nUploadSetting({ tls: certificate });
    film = await secure.itemOf(await secure.writeFile('secure.mp4', 17));
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(authorities);
    await secure.close();
  });
  afterEach(() => {
    for (const name of ['HTTPS_PROXY', 'NO_PROXY']) Reflect.deleteProperty(process.env, name);
  });

  const uploadSecurely = async (): Promise<void> => {
    const { items, error } = await secure.run({}, { items: [film] });
    expect(error).toBeUndefined();
    expect(items[0]?.json['status']).toBe('COMPLETED');
  };

  test('sends login, start, every part and complete through tunnels of the proxy, or none if NO_PROXY names the host', async () => {
    const { baseUrl, uploadUrl, storageUrl, seen } = secure.simulator;
    const hosts = [baseUrl, uploadUrl, storageUrl].map((url) => new URL(url).host);
    const proxy = await startForwardProxy();
    afterTest(() => proxy.close());
    process.env['HTTPS_PROXY'] = proxy.url;
    await uploadSecurely();
    expect([...new Set(proxy.seen)].sort()).toEqual(hosts.map((host) => `CONNECT ${host}`).sort());
    expect(proxy.tunnelled.get(hosts[2] ?? '')).toBeGreaterThan(6 * 1024 * 1024);
    const tunnels = proxy.seen.length;
    process.env['NO_PROXY'] = '127.0.0.1';
    await uploadSecurely();
    expect(proxy.seen).toHaveLength(tunnels);
    expect(seen().requests).toMatchObject({ start: 2, put: 4, complete: 2 });
  });
});

/** API of Node 24, which runs these tests. */
interface Authorities {
  getCACertificates(type: 'default'): string[];
  setDefaultCACertificates(certificates: readonly string[]): void;
}

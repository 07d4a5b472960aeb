import type { ServedAccount } from '../../api/account';
import { sealKeysOf } from '../../temporal/seal';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { HELD, openUploadFixture, untilProgress } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const NEXT = 'the-next-secret-key';
const idOf = (secretKey: string): string => sealKeysOf(secretKey).current.id;

let fixture: UploadFixture;
afterEach(() => fixture.close());

/** A worker on its own machine with the next secret key, and with the previous one unless that is removed. */
function withNextKey(keepsPrevious = true): Partial<WorkerConfig> {
  const [served] = fixture.config.accounts;
  if (served === undefined) throw new Error('The fixture has an account.');
  const next: ServedAccount = {
    ...served,
    account: { ...served.account, secretKey: NEXT },
    previousSecretKeys: keepsPrevious ? [served.account.secretKey] : [],
  };
  return { accounts: [next], host: 'next-host' };
}

/** Replaces the worker of an upload, while it sends the second part, by one with the next secret key. */
async function rotated({ additionalUrls = false, keepsPrevious = false }) {
  fixture = await openUploadFixture({ additionalUrls });
  fixture.simulator.acceptSecretKeys([fixture.account.secretKey, NEXT]);
  const stopOld = await fixture.startWorker();
  fixture.simulator.fault('hold:part=2');
  const { path, sha256 } = await fixture.writeFile('film.mp4', 4);
  // The address of the source is sealed as well, and only the previous key opens it.
  const source = keepsPrevious ? await fixture.serveFile(path) : ({ kind: 'path', path } as const);
  const handle = await fixture.start('', { source, options: { ...HELD, concurrency: 1 } });
  await fixture.simulator.waitFor(({ event }) => event === 'held');
  await fixture.startWorker(withNextKey(keepsPrevious));
  await stopOld();
  fixture.simulator.acceptSecretKeys([NEXT]);
  fixture.simulator.expireTokens();
  fixture.simulator.release();
  return { handle, sha256 };
}

describe('an upload whose account gets a new secret key while it runs', () => {
  it.each([
    ['that holds the previous key, too, and requests nothing again', true, undefined],
    ['without the previous key with fresh URLs', false, expect.any(Number)],
  ])('continues on a worker %s', async (_which, keepsPrevious, urls) => {
    const { handle, sha256 } = await rotated({ keepsPrevious, additionalUrls: !keepsPrevious });
    const { uploadId } = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(fixture.simulator.seen().requests['urls']).toEqual(urls);
  });

  it('ends as expired without the previous key if the service gives no URLs, and names both keys', async () => {
    const { handle } = await rotated({});
    await expect(handle.result()).rejects.toMatchObject({
      code: 'UrlExpired',
      message: expect.stringContaining(
        `it was made with key ${idOf(fixture.account.secretKey)}, and this process holds key ${idOf(NEXT)}`,
      ),
      facts: { hint: expect.stringContaining('{previousSecretKeys}') },
    });
  });
});

it('an upload that is started with the next secret key waits while all workers hold the previous key, says so, and continues on the first that holds the next', async () => {
  fixture = await openUploadFixture();
  fixture.simulator.acceptSecretKeys([fixture.account.secretKey, NEXT]);
  const stopOld = await fixture.startWorker();
  const { path, sha256 } = await fixture.writeFile('film.mp4', 2);
  const source = await fixture.serveFile(path, '?signature=canary');
  const account = { ...fixture.account, secretKey: NEXT };
  const handle = await fixture.start(path, { source }, { account });
  const progress = await untilProgress(handle);
  expect(progress).toMatchObject({
    phase: 'pinning',
    waitReason: {
      code: 'Configuration',
      message: expect.stringContaining(
        `made with key ${idOf(NEXT)}, and this process holds key ${idOf(fixture.account.secretKey)}`,
      ),
      hint: expect.stringContaining('{previousSecretKeys}'),
    },
  });
  expect(JSON.stringify(progress)).not.toContain('canary');
  await fixture.startWorker(withNextKey());
  await stopOld();
  const { uploadId } = await handle.result();
  expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
});

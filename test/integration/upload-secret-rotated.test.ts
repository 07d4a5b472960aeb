import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServedAccount } from '../../api/account';
import type { UploadRequest } from '../../api/upload/types';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import { sealKeysOf } from '../../temporal/seal';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { HELD, openUploadFixture } from '../support/upload-fixture';
import type { FixtureOptions, UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const NEXT = 'the-next-secret-key';

let fixture: UploadFixture;
afterEach(() => fixture.close());

/** A worker on its own machine with the next secret key and the given previous keys. */
function withNextKey(previousSecretKeys: readonly string[] = []): Partial<WorkerConfig> {
  const [served] = fixture.config.accounts;
  if (served === undefined) throw new Error('The fixture has an account.');
  const next: ServedAccount = {
    ...served,
    account: { ...served.account, secretKey: NEXT },
    previousSecretKeys,
  };
  return { accounts: [next], host: 'next-host' };
}

interface Rotation {
  readonly fixture?: FixtureOptions;
  readonly previous?: (fixture: UploadFixture) => readonly string[];
  /** Seals the source's address as well. */
  readonly overHttp?: boolean;
  readonly options?: UploadRequest['options'];
}

/**
 * An upload of four parts that a worker with the previous key begins. While it sends the second part, a worker with the
 * next key replaces it, and the service accepts only that key.
 */
async function rotated(rotation: Rotation): Promise<{ handle: UploadHandle; sha256: string }> {
  fixture = await openUploadFixture(rotation.fixture);
  fixture.simulator.acceptSecretKeys([fixture.account.secretKey, NEXT]);
  const stopOld = await fixture.startWorker();
  fixture.simulator.fault('hold:part=2');
  const { path, sha256 } = await fixture.writeFile('film.mp4', 4);
  const source =
    rotation.overHttp === true ? await fixture.serveFile(path) : ({ kind: 'path', path } as const);
  const handle = await fixture.start(path, {
    source,
    options: { ...HELD, concurrency: 1, ...rotation.options },
  });
  await fixture.simulator.waitFor(({ event }) => event === 'held');
  await fixture.startWorker(withNextKey(rotation.previous?.(fixture)));
  await stopOld();
  fixture.simulator.acceptSecretKeys([NEXT]);
  fixture.simulator.expireTokens();
  fixture.simulator.release();
  return { handle, sha256 };
}

describe('an upload whose account gets a new secret key while it runs', () => {
  it('continues on workers that hold the previous key, and requests nothing again', async () => {
    const { handle, sha256 } = await rotated({
      fixture: { additionalUrls: false },
      previous: ({ account }) => [account.secretKey],
      overHttp: true,
    });
    const { uploadId } = await handle.result();
    const session = fixture.session(uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(fixture.simulator.seen().requests['urls']).toBeUndefined();
  });

  it('continues with fresh URLs if the service can give them', async () => {
    const { handle, sha256 } = await rotated({});
    const { uploadId } = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(fixture.simulator.seen().requests['urls']).toBeGreaterThanOrEqual(3);
  });

  it('ends as expired if the service can give none, with both key IDs and what helps', async () => {
    const { handle } = await rotated({ fixture: { additionalUrls: false } });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'UrlExpired',
      message: expect.stringContaining(
        `it was made with key ${sealKeysOf(fixture.account.secretKey).current.id}, and this process holds key ${sealKeysOf(NEXT).current.id}`,
      ),
      facts: { hint: expect.stringContaining('{previousSecretKeys}') },
    });
  });
});

describe('an upload that is started with the next secret key', () => {
  it('waits while all workers hold the previous key, says so, and continues on the first that holds the next', async () => {
    fixture = await openUploadFixture();
    fixture.simulator.acceptSecretKeys([fixture.account.secretKey, NEXT]);
    const stopOld = await fixture.startWorker();
    const { path, sha256 } = await fixture.writeFile('film.mp4', 2);
    const source = await fixture.serveFile(path, '?signature=canary');
    const account = { ...fixture.account, secretKey: NEXT };
    const handle = await fixture.start(path, { source }, { account });
    const progress = await until(
      'the upload says what it waits for',
      () => handle.progress(),
      ({ waitReason }) => waitReason !== undefined,
    );
    expect(progress).toMatchObject({
      phase: 'pinning',
      waitReason: {
        code: 'Configuration',
        message: expect.stringContaining(`made with key ${sealKeysOf(NEXT).current.id}`),
        hint: expect.stringContaining('{previousSecretKeys}'),
      },
    });
    expect(JSON.stringify(progress)).not.toContain('canary');
    await fixture.startWorker(withNextKey([fixture.account.secretKey]));
    await stopOld();
    const { uploadId } = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
  });
});

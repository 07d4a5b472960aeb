import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { sealKeysOf } from '../../temporal/seal';
import type { ServedAccount, WorkerConfig } from '../../temporal/worker/worker-config';
import { HELD, openUploadBed } from '../support/upload-bed';
import type { BedOptions, UploadBed } from '../support/upload-bed';

const NEXT = 'the-next-secret-key';

let bed: UploadBed;
afterEach(() => bed.close());

/** A worker of its own machine with the next secret key, and the keys before it that it is given. */
function withNextKey(previousSecretKeys: readonly string[] = []): Partial<WorkerConfig> {
  const [served] = bed.config.accounts;
  if (served === undefined) throw new Error('The bed has an account.');
  const next: ServedAccount = {
    ...served,
    account: { ...served.account, secretKey: NEXT },
    previousSecretKeys,
  };
  return { accounts: [next], host: 'next-host' };
}

interface Rotation {
  readonly bed?: BedOptions;
  readonly previous?: (bed: UploadBed) => readonly string[];
  /** The source's address is sealed as well. */
  readonly overHttp?: boolean;
  readonly options?: UploadRequest['options'];
}

/**
 * An upload of four parts that a worker with the key of before begins; while it sends the second one, that worker is replaced by one with the
 * next key, and the service takes no other key any more.
 */
async function rotated(rotation: Rotation): Promise<{ handle: UploadHandle; sha256: string }> {
  bed = await openUploadBed(rotation.bed);
  bed.simulator.acceptSecretKeys([bed.account.secretKey, NEXT]);
  const stopOld = await bed.startWorker();
  bed.simulator.fault('hold:part=2');
  const { path, sha256 } = await bed.writeFile('film.mp4', 4);
  const source = rotation.overHttp === true ? await bed.serveFile(path) : ({ kind: 'path', path } as const);
  const handle = await bed.start(path, {
    source,
    options: { ...HELD, concurrency: 1, ...rotation.options },
  });
  await bed.simulator.waitFor(({ event }) => event === 'held');
  await bed.startWorker(withNextKey(rotation.previous?.(bed)));
  await stopOld();
  bed.simulator.acceptSecretKeys([NEXT]);
  bed.simulator.expireTokens();
  bed.simulator.release();
  return { handle, sha256 };
}

describe('an upload whose account gets another secret key while it runs', () => {
  it('goes on where workers are given the key before: nothing is asked for again', async () => {
    const { handle, sha256 } = await rotated({
      bed: { additionalUrls: false },
      previous: ({ account }) => [account.secretKey],
      overHttp: true,
    });
    const { uploadId } = await handle.result();
    const session = bed.session(uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(sha256);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(bed.simulator.seen().requests['urls']).toBeUndefined();
  });

  it('goes on if the service takes the next key before its worker signs with it', async () => {
    bed = await openUploadBed();
    const [served] = bed.config.accounts;
    if (served === undefined) throw new Error('The bed has an account.');
    await bed.startWorker({ accounts: [{ ...served, previousSecretKeys: [NEXT] }] });
    bed.simulator.fault('hold:part=2');
    const { path, sha256 } = await bed.writeFile('film.mp4', 2);
    const handle = await bed.start(path, { options: HELD });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    bed.simulator.acceptSecretKeys([NEXT]);
    bed.simulator.expireTokens();
    bed.simulator.release();
    const { uploadId } = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(uploadId).keyName)).toBe(sha256);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
  });

  it('goes on with fresh URLs where they can be asked for', async () => {
    const { handle, sha256 } = await rotated({});
    const { uploadId } = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(uploadId).keyName)).toBe(sha256);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(bed.simulator.seen().requests['urls']).toBeGreaterThanOrEqual(3);
  });

  it('starts one new session where none can be asked for and a restart is allowed', async () => {
    const { handle, sha256 } = await rotated({
      bed: { additionalUrls: false },
      options: { restartOnExpiry: true },
    });
    const result = await handle.result();
    const [left, session] = bed.simulator.seen().sessions;
    expect(result).toMatchObject({
      uploadId: session?.uploadId,
      orphans: [{ uploadId: left?.uploadId, reason: 'its URLs expired' }],
    });
    expect(await bed.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
  });

  it('ends as expired where neither is allowed, with both key ids and what helps', async () => {
    const { handle } = await rotated({ bed: { additionalUrls: false } });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'UrlExpired',
      message: expect.stringContaining(
        `it was made with key ${sealKeysOf(bed.account.secretKey).current.id}, and this process holds key ${sealKeysOf(NEXT).current.id}`,
      ),
      facts: { hint: expect.stringContaining('MEDIA_SERVICE_PREVIOUS_SECRET_KEYS') },
    });
  });
});

describe('an upload that is started with the next secret key', () => {
  it('waits while all workers hold the key before, says so, and goes on with the first that holds the next', async () => {
    bed = await openUploadBed();
    bed.simulator.acceptSecretKeys([bed.account.secretKey, NEXT]);
    const stopOld = await bed.startWorker();
    const { path, sha256 } = await bed.writeFile('film.mp4', 2);
    const source = await bed.serveFile(path, '?signature=canary');
    const account = { ...bed.account, secretKey: NEXT };
    const handle = await bed.start(path, { source }, { account });
    let progress = await handle.progress();
    while (progress.heldUpBy === undefined) {
      await setTimeout(50);
      progress = await handle.progress();
    }
    expect(progress).toMatchObject({
      phase: 'pinning',
      heldUpBy: {
        code: 'Configuration',
        message: expect.stringContaining(`made with key ${sealKeysOf(NEXT).current.id}`),
        hint: expect.stringContaining('MEDIA_SERVICE_PREVIOUS_SECRET_KEYS'),
      },
    });
    expect(JSON.stringify(progress)).not.toContain('canary');
    await bed.startWorker(withNextKey([bed.account.secretKey]));
    await stopOld();
    const { uploadId } = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(uploadId).keyName)).toBe(sha256);
  });
});

import type { ServedAccount } from '../../api/account';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import { installRuntime } from '../../temporal/worker/json-log';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { commandEnv, runCommand } from '../support/command';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

/** Two services with an account each, and one queue prefix for both. */
let one: UploadFixture;
let other: UploadFixture;
/** Log lines of the workers. */
const lines: string[] = [];
beforeAll(async () => {
  installRuntime('info', (line) => void lines.push(line));
  [one, other] = await Promise.all([openUploadFixture(), openUploadFixture()]);
});
afterAll(() => Promise.all([one.close(), other.close()]));

const SHARED = { concurrency: 2 };

/** Starts an upload of a file that any worker of the account may read. */
async function upload(fixture: UploadFixture, name: string): Promise<UploadHandle> {
  const { path } = await fixture.writeFile(name, 2);
  return fixture.start(
    path,
    { source: { kind: 'path', path }, options: SHARED },
    { queuePrefix: one.queuePrefix },
  );
}

/** Starts a worker that may read the files of both. */
function startWorker(of: UploadFixture, change: Partial<WorkerConfig> = {}) {
  const roots = [one.folder, other.folder];
  return of.startWorker({ queuePrefix: one.queuePrefix, roots, ...change });
}

it("two workers with different accounts never take each other's work: an upload waits for its own worker while the other's is done", async () => {
  const stopOther = await startWorker(other, { host: 'host-b' });
  const mine = await upload(one, 'mine.mp4');
  const theirs = await upload(other, 'theirs.mp4');
  await theirs.result();
  expect(one.simulator.seen()).toMatchObject({ starts: 0 });
  const stopOne = await startWorker(one, { host: 'host-a' });
  await mine.result();
  expect(one.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
  expect(other.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
  await Promise.all([stopOne(), stopOther()]);
});

describe('a worker with an account whose key is wrong', () => {
  const wrong = (fixture: UploadFixture): ServedAccount => ({
    account: { ...fixture.account, secretKey: 'not-the-secret-any-more' },
  });

  it('does not poll for that account, so that another worker does its uploads, and serves the others', async () => {
    const { starts } = other.simulator.seen();
    const stop = await startWorker(one, { accounts: [...one.config.accounts, wrong(other)] });
    expect(lines.join('')).toContain('The account is not served: its login was refused');
    const theirs = await upload(other, 'theirs-later.mp4');
    expect((await (await upload(one, 'mine-too.mp4')).result()).status).toBe('COMPLETED');
    expect(other.simulator.seen().starts).toBe(starts);
    const stopOther = await startWorker(other);
    expect((await theirs.result()).status).toBe('COMPLETED');
    await Promise.all([stop(), stopOther()]);
  });

  it('does not start if it has no other account', async () => {
    await expect(one.startWorker({ accounts: [wrong(one)] })).rejects.toMatchObject({ code: 'LoginRefused' });
  });

  it('polls as soon as a service that did not answer accepts its login', async () => {
    one.simulator.fault('login-503:5');
    const stop = await startWorker(one);
    expect(lines.join('')).toContain("The account can't log in yet; this is retried");
    expect((await (await upload(one, 'late.mp4')).result()).status).toBe('COMPLETED');
    await stop();
  });
});

describe('two workers of one account, one of which is set up wrongly,', () => {
  /** Without workers that were stopped lately, which count as alive. */
  let alone: UploadFixture;
  beforeEach(async () => {
    alone = await openUploadFixture();
  });
  afterEach(() => alone.close());

  it('upload every file that one of them may read, and name both if none may', async () => {
    await alone.startWorker();
    await alone.startWorker({ roots: [other.folder] });
    const names = Array.from({ length: 6 }, (_, n) => `allowed-${String(n)}.mp4`);
    const uploads = await Promise.all(
      names.map(async (name) => alone.start((await alone.writeFile(name, 1)).path, { options: SHARED })),
    );
    const results = await Promise.all(uploads.map((handle) => handle.result()));
    expect(results.map(({ status }) => status)).toEqual(names.map(() => 'COMPLETED'));
    const command = { cwd: alone.folder, env: commandEnv(alone) };
    const { stdout } = await runCommand(['doctor', '--json'], command);
    expect((JSON.parse(stdout) as { readonly findings: readonly object[] }).findings).toContainEqual(
      expect.objectContaining({
        ...{ check: 'workers', state: 'warn' },
        says: expect.stringContaining('the workers on test-host may read different folders'),
      }),
    );
    const outside = await alone.start('/etc/hostname');
    await expect(outside.result()).rejects.toMatchObject({
      code: 'SourceNotAllowed',
      message: expect.stringMatching(
        /outside the allowed folders \(workers (\S+@test-host\S+), (?!\1)\S+@test-host\S+\)$/,
      ),
    });
  });

  it('upload a file although the service refuses the logins of one', async () => {
    await alone.startWorker();
    await alone.startWorker();
    // Both have logged in. Now a token ends, and the next three logins are refused.
    for (const fault of ['token-expired-once', 'login-skew:3']) alone.simulator.fault(fault);
    const { path } = await alone.writeFile('revoked.mp4', 1);
    expect((await (await alone.start(path)).result()).status).toBe('COMPLETED');
  });
});

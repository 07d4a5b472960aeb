import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/options';
import type { Simulator } from '../../simulator/start-simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { afterTest } from '../support/after-test';
import { buildCommand, runBuilt, startBuilt, type CommandEnd } from '../support/built-command';
import { accountEnv, linesOf, runCommand } from '../support/command';
import { useTempDir } from '../support/use-temp-dir';

let simulator: Simulator;
const folder = useTempDir('cli');
let env: Record<string, string>;

beforeAll(async () => {
  await buildCommand();
  simulator = await startSimulator({ seed: { media: 45, deliveries: 2_500 } });
  const { baseUrl, uploadUrl, account } = simulator;
  env = accountEnv({ baseUrl, uploadUrl, ...account });
});
afterAll(() => simulator.close());

function run(words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(words, { cwd: folder.path, env: { ...env, ...change } });
}

/** Another service until the test ends, and the variable that points the command there. */
async function other(options: SimulatorOptions): Promise<{ service: Simulator; change: typeof env }> {
  const service = await startSimulator(options);
  afterTest(() => service.close());
  return { service, change: { MEDIA_SERVICE_BASE_URL: service.baseUrl } };
}

describe('media-service login', () => {
  const login = (change: Record<string, string> = {}, ...words: string[]): Promise<CommandEnd> =>
    run(['login', ...words], { MEDIA_SERVICE_SETTINGS: '/dev/null', ...change });

  it('says where and as whom it logged in, and shows no secret', async () => {
    const { exit, stdout, stderr } = await login({}, '--json');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      loggedIn: true,
      baseUrl: simulator.baseUrl,
      externalId: simulator.account.externalId,
    });
    expect(stdout).not.toContain(simulator.account.secretKey);
  });

  it('exits with 3 for a wrong secret key, and shows neither', async () => {
    const change = { MEDIA_SERVICE_SECRET_KEY: 'wrong-secret' };
    const people = await login(change);
    expect(people).toMatchObject({ exit: 3, stdout: '' });
    expect(people.stderr).toMatch(/^Error: login failed \(401\)/);
    expect(people.stderr).toContain('What to do: ');
    for (const secret of ['wrong-secret', simulator.account.secretKey])
      expect(people.stderr).not.toContain(secret);
    const program = await login(change, '--json');
    expect(JSON.parse(program.stderr)).toMatchObject({
      error: { code: 'LoginRefused', status: 401, exitCode: 3 },
    });
  });
});

describe('media-service search', () => {
  it('prints the first page as JSON lines, or all of them', async () => {
    const ended = await run(['search', '--sort', 'title,DESC', '--json']);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const titles = linesOf<{ title: string }>(ended).map(({ title }) => title);
    expect(titles).toHaveLength(20);
    expect(titles).toEqual([...titles].sort().reverse());
    expect(linesOf(await run(['search', '--all', '--json']))).toHaveLength(45);
  });

  it('keeps data and messages for people apart', async () => {
    const { stdout, stderr } = await run(['search', '--limit', '2']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toMatch(/^ID +TITLE +TYPE/);
    expect(stderr).toBe('2 media items.\n');
    expect((await run(['search'])).stderr).toBe('20 media items; --all gets all.\n');
  });
});

describe('media-service deliveries', () => {
  it('prints JSON lines', async () => {
    const ended = await run('deliveries list --from -30d --status failed --limit 2 --json'.split(' '));
    expect(ended.exit).toBe(0);
    expect(linesOf(ended)).toMatchObject([{ status: 'FAILED' }, { status: 'FAILED' }]);
  });

  it('exports any number of pages into one file with one header', async () => {
    const words = ['deliveries', 'list', '--from', '-365d', '-o', 'all.csv', '--json'];
    const { exit, stdout, stderr } = await run(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const summary = JSON.parse(stdout) as { records: number; pages: number; bytes: number };
    expect(summary).toMatchObject({
      file: join(folder.path, 'all.csv'),
      format: 'csv',
      records: 2_500,
    });
    const text = await readFile(join(folder.path, 'all.csv'), 'utf8');
    expect(Buffer.byteLength(text)).toBe(summary.bytes);
    expect(text.split('\n').filter((line) => line.startsWith('id,eventType'))).toHaveLength(1);
  });

  it('leaves no file behind when the service fails halfway', async () => {
    simulator.fault('webhooks-400:always');
    const { exit } = await run(['deliveries', 'list', '--from', '-1d', '-o', 'broken.csv']);
    simulator.clearFaults();
    expect(exit).toBe(5);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('broken'))).toEqual([]);
  });

  it('is incomplete, with its own exit code, if a failed delivery is redelivered after the first page', async () => {
    const { change } = await other({ seed: { deliveries: 20_000 }, faults: ['webhooks-redelivered'] });
    const words = ['deliveries', 'list', '--from', '-60d', '--status', 'FAILED', '-o', 'moved.csv'];
    const { exit, stderr } = await run(words, change);
    expect([exit, stderr]).toEqual([5, expect.stringContaining('incomplete')]);
  });

  it('prints ids of 64 bits with all their digits, in JSON and in CSV', async () => {
    const { service, change } = await other({ shapes: ['delivery-ids-64-bit'], seed: { deliveries: 0 } });
    const ids = ['7615917337495231231', '7615917337495231232', '7615917337495231233'];
    for (const id of ids) service.addDelivery({ id, mediaId: id });
    const words = ['deliveries', 'list', '--from', '-1d', '--all'];
    expect(linesOf(await run([...words, '--json'], change)).map(({ id }) => id)).toEqual(ids);
    await run([...words, '-o', 'ids.csv'], change);
    const rows = (await readFile(join(folder.path, 'ids.csv'), 'utf8')).trim().split('\n').slice(1);
    expect(rows.map((row) => row.slice(0, row.indexOf(',')))).toEqual(ids);
  });

  it('passes CSV with stray quotes on as it came', async () => {
    const { change } = await other({ seed: { deliveries: 500 }, shapes: ['csv-quotes-stray'] });
    const words = ['deliveries', 'list', '--from', '-60d', '--format', 'csv'];
    const { exit, stdout, stderr } = await run(words, change);
    expect([exit, stderr]).toEqual([0, '500 delivery records in 1 page.\n']);
    expect(stdout).toContain(',"Service Unavailable, retry "later"",');
    expect(stdout.match(/,media\.(created|processed|updated|viewed),/g)).toHaveLength(500);
  });
});

it.each<[label: string, words: string[], change: Record<string, string>, exit: number, message: string]>([
  ['a period', ['deliveries', 'list', '--from', 'now', '--to', '-1d'], {}, 2, 'before the end of the period'],
  ['an address', ['login'], { MEDIA_SERVICE_BASE_URL: 'http://a.example' }, 3, 'plain http'],
  ['a setting', ['login'], { MEDIA_SERVICE_OPTIONS: 'beta' }, 3, 'is not JSON'],
])('%s that is wrong is refused before anything is sent', async (_label, words, change, exit, message) => {
  const before = simulator.seen().requests;
  const ended = await run(words, change);
  expect(ended).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) });
  expect(simulator.seen().requests).toEqual(before);
});

it('a full disk behind stdout is an error with exit code 5, and one line of JSON with --json', async () => {
  const options = { cwd: folder.path, env, stdout: '/dev/full' };
  const { exit, stderr } = await runBuilt(
    ['deliveries', 'list', '--from', '-7d', '--format', 'csv'],
    options,
  );
  expect(exit).toBe(5);
  expect(stderr).toMatch(
    /^Error: stdout can't be written: the disk is full\n {2}What to do: Free some space/,
  );
  const program = await runBuilt(['search', '--json'], options);
  expect(JSON.parse(program.stderr)).toMatchObject({ error: { code: 'OutputFailed', exitCode: 5 } });
});

it('Ctrl-C ends a command that waits for the service, with exit code 130', async () => {
  simulator.fault('search-timeout');
  const command = await startBuilt(['search'], { cwd: folder.path, env });
  await simulator.waitFor(({ event, fault }) => event === 'fault' && fault === 'search-timeout');
  command.signal('SIGINT');
  expect(await command.ended).toEqual({ exit: 130, stdout: '', stderr: 'Interrupted.\n' });
});

interface Diagnosis {
  readonly ok: boolean;
  readonly findings: readonly { readonly check: string; readonly state: string; readonly says: string }[];
}

describe('media-service doctor', () => {
  it('checks everything else when Temporal does not answer, and exits with 4', async () => {
    const { exit, stdout } = await run(['doctor', '--json'], {
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      MEDIA_SERVICE_FILE_ROOTS: folder.path,
    });
    expect(exit).toBe(4);
    const { ok, findings } = JSON.parse(stdout) as Diagnosis;
    expect(ok).toBe(false);
    expect(Object.fromEntries(findings.map(({ check, state }) => [check, state]))).toEqual({
      login: 'ok',
      clock: 'ok',
      'upload URL': 'ok',
      temporal: 'fail',
      'file roots': 'ok',
      'output roots': 'skip',
      secrets: 'skip',
      'spool folder': 'skip',
    });
  });

  it('checks everything else when settings are missing or malformed, and exits with 3', async () => {
    const { exit, stdout } = await runCommand(['doctor', '--json'], {
      cwd: folder.path,
      env: {
        TEMPORAL_ADDRESS: '127.0.0.1:9',
        MEDIA_SERVICE_FILE_ROOTS: folder.path,
        MEDIA_SERVICE_OPTIONS: 'many',
        MEDIA_SERVICE_ACCOUNTS: join(folder.path, 'accounts.json'),
      },
    });
    expect(exit).toBe(3);
    const { findings } = JSON.parse(stdout) as Diagnosis;
    expect(findings.map(({ check, state }) => [check, state])).toEqual([
      ['settings', 'fail'],
      ['settings', 'skip'],
      ['temporal', 'fail'],
      ['file roots', 'ok'],
      ['output roots', 'skip'],
      ['spool folder', 'skip'],
      ['secrets', 'skip'],
    ]);
    expect(findings[0]?.says).toContain('MEDIA_SERVICE_OPTIONS');
  });

  it('points out an unused variable once on stderr, as every other command does', async () => {
    const misspelt = { MEDIA_SERVICE_APIKEY: 'k' };
    const message = 'MEDIA_SERVICE_APIKEY is set, but nothing reads it';
    const hint = 'Did you mean MEDIA_SERVICE_API_KEY?';
    const search = await run(['search'], misspelt);
    expect(search.exit).toBe(0);
    expect(search.stderr.split('\n')[0]).toBe(`Warning: ${message}. ${hint}`);
    const { stderr } = await run(['search', '--json'], misspelt);
    expect(JSON.parse(stderr)).toEqual({ warning: { message, hint } });
  });
});

it('doctor says within seconds that the upload URL names an unknown host, and accepts one that answers', async () => {
  const away = { MEDIA_SERVICE_UPLOAD_URL: 'https://upload.invalid' };
  const found = JSON.parse((await run(['doctor', '--json'], away)).stdout) as Diagnosis;
  expect(found.findings).toContainEqual({
    check: 'upload URL',
    state: 'fail',
    says: expect.stringContaining('upload.invalid'),
    remedy: expect.stringContaining('Check the address'),
  });
  const { stdout } = await run(['doctor', '--json']);
  const right = { check: 'upload URL', state: 'ok', says: `${simulator.uploadUrl} answers` };
  expect((JSON.parse(stdout) as Diagnosis).findings).toContainEqual(right);
});

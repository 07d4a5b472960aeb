import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

  it('is incomplete, with its own exit code, if a failed delivery is redelivered after the first page', async () => {
    const service = await startSimulator({ seed: { deliveries: 20_000 }, faults: ['webhooks-redelivered'] });
    afterTest(() => service.close());
    const words = ['deliveries', 'list', '--from', '-60d', '--status', 'FAILED', '-o', 'moved.csv'];
    const { exit, stderr } = await run(words, { MEDIA_SERVICE_BASE_URL: service.baseUrl });
    expect([exit, stderr]).toEqual([5, expect.stringContaining('incomplete')]);
  });
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
  it.each([
    ['Temporal does not answer', 4, () => env, ['login: ok', 'clock: ok', 'upload URL: ok'], 'accepts'],
    [
      'settings are missing or malformed',
      3,
      () => ({ MEDIA_SERVICE_OPTIONS: 'many', MEDIA_SERVICE_ACCOUNTS: join(folder.path, 'accounts.json') }),
      ['settings: fail', 'settings: skip'],
      'MEDIA_SERVICE_OPTIONS',
    ],
  ])('checks everything else when %s, and exits with %i', async (_when, code, envOf, first, says) => {
    const roots = { TEMPORAL_ADDRESS: '127.0.0.1:9', MEDIA_SERVICE_FILE_ROOTS: folder.path };
    const context = { cwd: folder.path, env: { ...envOf(), ...roots } };
    const { exit, stdout } = await runCommand(['doctor', '--json'], context);
    const { ok, findings } = JSON.parse(stdout) as Diagnosis;
    expect([exit, ok]).toEqual([code, false]);
    const others = ['file roots: ok', 'output roots: skip', 'spool folder: skip', 'secrets: skip'];
    const states = findings.map(({ check, state }) => `${check}: ${state}`);
    expect(states).toEqual([...first, 'temporal: fail', ...others]);
    expect(findings[0]?.says).toContain(says);
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

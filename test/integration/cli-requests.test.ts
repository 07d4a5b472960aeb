import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { buildCommand, runBuilt, startBuilt, type CommandEnd } from '../support/built-command';
import { accountEnv, linesOf, runCommand } from '../support/command';
import { createTempDir, type TempDir } from '../support/temp-dir';

let simulator: Simulator;
let folder: TempDir;
let env: Record<string, string>;

beforeAll(async () => {
  await buildCommand();
  simulator = await startSimulator({ seed: { media: 45, deliveries: 2_500 } });
  const { baseUrl, uploadUrl, account } = simulator;
  env = accountEnv({ baseUrl, uploadUrl, ...account });
  folder = await createTempDir('cli');
});
afterAll(async () => {
  await simulator.close();
  await folder.remove();
});

function run(words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(words, { cwd: folder.path, env: { ...env, ...change } });
}

describe('media-service login', () => {
  it('says where and as whom it logged in, and shows no secret', async () => {
    const { exit, stdout, stderr } = await run(['login', '--json']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      loggedIn: true,
      baseUrl: simulator.baseUrl,
      externalId: simulator.account.externalId,
      environment: 'production',
    });
    expect(stdout).not.toContain(simulator.account.secretKey);
  });

  it.each([
    ['a wrong secret key', { MEDIA_SERVICE_SECRET_KEY: 'wrong-secret' }],
    ['a wrong API key', { MEDIA_SERVICE_API_KEY: 'wrong-key' }],
    ['a wrong external id', { MEDIA_SERVICE_EXTERNAL_ID: 'nobody' }],
  ])('exits with 4 for %s, and shows neither', async (_label, change) => {
    const people = await run(['login'], change);
    expect(people).toMatchObject({ exit: 4, stdout: '' });
    expect(people.stderr).toMatch(/^Error: login failed \(401\)/);
    expect(people.stderr).toContain('What to do: ');
    for (const secret of Object.values({ ...change, key: simulator.account.secretKey })) {
      if (secret !== 'nobody') expect(people.stderr).not.toContain(secret);
    }
    const program = await run(['login', '--json'], change);
    expect(JSON.parse(program.stderr)).toMatchObject({
      error: { code: 'LoginRefused', status: 401, exitCode: 4 },
    });
  });

  it('exits with 6 if nothing listens', async () => {
    const nowhere = { ...env, MEDIA_SERVICE_BASE_URL: 'http://127.0.0.1:9' };
    const { exit, stderr } = await runCommand(['login'], { cwd: folder.path, env: nowhere, hasty: true });
    expect(exit).toBe(6);
    expect(stderr).not.toContain('    at ');
  });
});

describe('media-service search', () => {
  it('prints one page as one JSON document with its totals', async () => {
    const words = ['--size', '3', '--page', '1', '--sort', 'title,DESC', '--json'];
    const { exit, stdout, stderr } = await run(['search', ...words]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const page = JSON.parse(stdout) as { items: unknown[] };
    expect(page).toMatchObject({ page: 1, size: 3, totalElements: 45, totalPages: 15 });
    expect(page.items).toHaveLength(3);
  });

  it('prints all pages as JSON lines, each medium once', async () => {
    const ended = await run(['search', '--all', '--size', '10', '--json']);
    expect(ended.exit).toBe(0);
    const ids = linesOf(ended).map(({ id }) => id);
    expect(new Set(ids).size).toBe(45);
    expect(ids).toHaveLength(45);
  });

  it('keeps data and messages for people apart', async () => {
    const { stdout, stderr } = await run(['search', '--limit', '2']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toMatch(/^ID +TITLE +TYPE/);
    expect(stderr).toBe('2 media items.\n');
  });

  it('says how to get more after it printed one page', async () => {
    const { stderr } = await run(['search', '--size', '10']);
    expect(stderr).toBe('10 of 45 media items; --all gets all, --page another page.\n');
    expect((await run(['search', '--size', '100'])).stderr).toBe('45 of 45 media items.\n');
  });
});

describe('media-service webhooks', () => {
  it('prints a page as JSON', async () => {
    const words = ['--from', '-30d', '--status', 'failed', '--size', '2', '--json'];
    const { exit, stdout } = await run(['webhooks', 'get', ...words]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ status: 'FAILED' }, { status: 'FAILED' }],
      size: 2,
    });
  });

  it('exports any number of pages into one file with one header', async () => {
    const words = ['webhooks', 'export', '--from', '-365d', '--size', '1000', '-o', 'all.csv', '--json'];
    const { exit, stdout, stderr } = await run(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const summary = JSON.parse(stdout) as { records: number; pages: number; bytes: number };
    expect(summary).toMatchObject({
      file: join(folder.path, 'all.csv'),
      format: 'csv',
      records: 2_500,
      pages: 3,
    });
    const text = await readFile(join(folder.path, 'all.csv'), 'utf8');
    expect(Buffer.byteLength(text)).toBe(summary.bytes);
    expect(text.split('\n').filter((line) => line.startsWith('id,eventType'))).toHaveLength(1);
  });

  it('leaves no file behind when the service fails halfway', async () => {
    simulator.fault('webhooks-400:always');
    const { exit } = await run(['webhooks', 'export', '--from', '-1d', '-o', 'broken.csv']);
    simulator.clearFaults();
    expect(exit).toBe(5);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('broken'))).toEqual([]);
  });

  it('exports JSON lines to stdout', async () => {
    const exported = await run(['webhooks', 'export', '--from', '-2d', '--format', 'jsonl']);
    expect(linesOf(exported).length).toBeGreaterThan(10);
  });
});

it.each<[label: string, words: string[], change: Record<string, string>, exit: number, message: string]>([
  ['a period', ['webhooks', 'get', '--from', 'now', '--to', '-1d'], {}, 2, 'before the end of the period'],
  ['an address', ['login'], { MEDIA_SERVICE_BASE_URL: 'http://a.example' }, 3, 'plain http'],
  ['a setting', ['login'], { MEDIA_SERVICE_ENVIRONMENT: 'beta' }, 3, 'production, rc'],
])('%s that is wrong is refused before anything is sent', async (_label, words, change, exit, message) => {
  const before = simulator.seen().requests;
  const ended = await run(words, change);
  expect(ended).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) });
  expect(simulator.seen().requests).toEqual(before);
});

it('a full disk behind stdout is an error with exit code 15, and one line of JSON with --json', async () => {
  const options = { cwd: folder.path, env, stdout: '/dev/full' };
  const { exit, stderr } = await runBuilt(['webhooks', 'export', '--from', '-7d'], options);
  expect(exit).toBe(15);
  expect(stderr).toMatch(
    /^Error: stdout can't be written: the disk is full\n {2}What to do: Free some space/,
  );
  const program = await runBuilt(['search', '--json'], options);
  expect(JSON.parse(program.stderr)).toMatchObject({ error: { code: 'OutputFailed', exitCode: 15 } });
});

describe("an answer that can't be used", () => {
  it.each([
    ['HTML of a proxy', 'search-html'],
    ['malformed JSON', 'search-not-json'],
    ['an answer without end', 'endless-answer:always:operation=search'],
  ])('such as %s is an error without a stack', async (_label, fault) => {
    simulator.fault(fault);
    const { exit, stdout, stderr } = await run(['search', '--json']);
    simulator.clearFaults();
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'UnreadableAnswer', hint: expect.any(String) },
    });
    expect(stderr).not.toContain('stack');
  });
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
  const doctor = (env?: Record<string, string>): Promise<CommandEnd> =>
    runCommand(['doctor'], { cwd: folder.path, ...(env === undefined ? {} : { env }) });

  it('checks everything else when Temporal does not answer, and exits with 14', async () => {
    const { exit, stdout } = await run(['doctor', '--json'], {
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      MEDIA_SERVICE_FILE_ROOTS: folder.path,
    });
    expect(exit).toBe(14);
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
      MD5: 'ok',
      'additional URLs': 'warn',
      'settings file': 'skip',
    });
  });

  it('does not advise to save settings with which the login failed', async () => {
    const broken = { ...env, MEDIA_SERVICE_SECRET_KEY: 'wrong', TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const { stdout } = await doctor(broken);
    expect(stdout).toMatch(/ settings file: only this terminal sets .*\n.*Correct the login before you save/);
    expect(stdout).not.toContain('settings save');
  });

  it('names the command that saves the settings, and later the file that holds them', async () => {
    const file = join(folder.path, 'saved.env');
    const broken = { ...env, MEDIA_SERVICE_SETTINGS: file, TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const before = await doctor(broken);
    expect(before.stdout).toMatch(/ settings file: only this terminal sets \d+ variables\n.*settings save/);
    await runCommand(['settings', 'save'], { cwd: folder.path, env: broken });
    for (const env of [broken, { MEDIA_SERVICE_SETTINGS: file }]) {
      const after = await doctor(env);
      expect(after.stdout).toMatch(new RegExp(`ok {4}settings file: every setting is in ${file}\n$`));
    }
    const other = await doctor({ ...broken, TEMPORAL_ADDRESS: '127.0.0.1:8' });
    expect(other.stdout).toContain(`settings file: this terminal sets 1 variable differently from ${file}`);
  });

  it('checks everything else when settings are missing or malformed', async () => {
    const { exit, stdout } = await runCommand(['doctor', '--json'], {
      cwd: folder.path,
      env: {
        TEMPORAL_ADDRESS: '127.0.0.1:9',
        MEDIA_SERVICE_FILE_ROOTS: folder.path,
        MEDIA_SERVICE_MAX_PARTS: 'many',
        MEDIA_SERVICE_ACCOUNTS: join(folder.path, 'accounts.json'),
      },
    });
    expect(exit).toBe(14);
    const { findings } = JSON.parse(stdout) as Diagnosis;
    expect(findings.map(({ check, state }) => [check, state])).toEqual([
      ['settings', 'fail'],
      ['settings', 'skip'],
      ['temporal', 'fail'],
      ['file roots', 'ok'],
      ['spool folder', 'skip'],
      ['output roots', 'skip'],
      ['secrets', 'skip'],
      ['accounts', 'fail'],
      ['MD5', 'ok'],
      ['additional URLs', 'warn'],
    ]);
    expect(findings[0]?.says).toContain('MEDIA_SERVICE_MAX_PARTS');
    expect(findings[7]?.says).toContain('accounts.json: does not exist');
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

  it('names every missing variable', async () => {
    const { exit, stdout } = await doctor();
    expect(exit).toBe(14);
    expect(stdout).toContain('FAIL  settings: Not set: MEDIA_SERVICE_BASE_URL, MEDIA_SERVICE_UPLOAD_URL');
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

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { EXIT_CODES, exitCodeOf } from '../../../../cli/exit-codes';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { checkPaths, examineService, pathChecks, workersText } from '../../../../cli/commands/doctor';
import { readSettings } from '../../../../settings/settings';
import type { LivingWorker } from '../../../../temporal/client/living-workers';
import { useTempDir } from '../../../support/use-temp-dir';
import { ACCOUNT } from '../example-account';

const NOW = Date.parse('2026-11-01T12:00:00Z');

/** What the checks find at a service whose answers to the login and to other calls have these Dates, in minutes from now. */
async function examine(dates: { login?: number; others?: number }, status = 200) {
  const paths: string[] = [];
  const send = ({ url }: HttpRequest): Promise<HttpAnswer> => {
    const { pathname, hostname } = new URL(url);
    if (hostname === new URL(ACCOUNT.baseUrl).hostname) paths.push(pathname);
    const minutes = pathname === '/api/login' ? dates.login : dates.others;
    const headers: Record<string, string> =
      minutes === undefined ? {} : { date: new Date(NOW + minutes * 60_000).toUTCString() };
    return Promise.resolve({ status, headers, body: Readable.from([Buffer.from('{"accessToken":"t"}')]) });
  };
  const clock = { now: () => NOW, sleep: () => Promise.resolve() };
  const { signal } = new AbortController();
  const findings: Record<string, object> = {};
  const examined = { account: ACCOUNT, settings: { options: {} }, transport: { send }, clock, signal };
  await examineService(examined, async (check, look) => {
    findings[check] = await look().catch(() => ({ state: 'fail' }));
  });
  return { findings, paths };
}

describe('the clock', () => {
  test.each<[label: string, minutes: number, state: string, says: string]>([
    ['is ok', 0, 'ok', "within a minute of the service's"],
    ['behind is noted', 5, 'warn', "5 min 00 s behind the service's"],
    ['ahead by more than the service takes fails', -47, 'fail', "47 min 00 s ahead of the service's"],
  ])("according to the login's answer %s", async (_label, login, state, says) => {
    const { findings, paths } = await examine({ login, others: 600 });
    expect(findings['clock']).toMatchObject({ state, says });
    expect(paths).toEqual(['/api/login']);
  });

  test('is also checked by the answer of a refused login', async () => {
    const { findings, paths } = await examine({ login: -47 }, 401);
    expect(findings).toMatchObject({ login: { state: 'fail' }, clock: { state: 'fail' } });
    expect(paths).toEqual(['/api/login']);
  });

  test("is checked by another request if the login's answer has no Date", async () => {
    const { findings, paths } = await examine({ others: 5 });
    expect(findings).toMatchObject({ login: { state: 'ok' }, clock: { state: 'warn' } });
    expect(paths).toEqual(['/api/login', '/']);
  });

  test('is not checked if no answer has a Date', async () => {
    expect((await examine({})).findings['clock']).toMatchObject({ state: 'skip' });
  });
});

const dir = useTempDir('file-checks');
const secretsFile = (): string => join(dir.path, 'secrets.json');
beforeAll(() => writeFile(secretsFile(), '{}'));

const OUTPUT = 'MEDIA_SERVICE_OUTPUT_ROOTS';
const SECRETS = 'MEDIA_SERVICE_SECRETS';
test.each<[check: string, what: string, env: () => Record<string, string>, state: string, says: string]>([
  ['output roots', 'skipped if none is set', () => ({}), 'skip', 'only to /srv/here'],
  ['output roots', 'fine if writable', () => ({ [OUTPUT]: dir.path }), 'ok', ''],
  ['output roots', 'named if missing', () => ({ [OUTPUT]: '/nowhere' }), 'fail', '/nowhere'],
  ['secrets', 'skipped if none are named', () => ({}), 'skip', ''],
  ['secrets', 'fine as a readable file', () => ({ [SECRETS]: secretsFile() }), 'ok', ''],
  ['secrets', 'named if missing', () => ({ [SECRETS]: '/nowhere' }), 'fail', '/nowhere'],
])('the %s are %s', async (check, _what, env, state, says) => {
  const paths = pathChecks(readSettings(env()), '/srv/here').find(([each]) => each === check);
  const finding = await (paths && checkPaths(...paths))?.catch((error: unknown) => ({
    state: exitCodeOf(error) === EXIT_CODES.CONFIGURATION.code ? 'fail' : 'unexpected',
    says: String(error),
  }));
  expect(finding?.state).toBe(state);
  expect(finding?.says).toContain(says);
});

test('workers are named with the time since they asked for work, because one may have ended since', () => {
  const seen = (identity: string, secondsAgo: number): LivingWorker => ({
    identity,
    lastSeen: new Date(NOW - secondsAgo * 1000),
  });
  expect(workersText([seen('2@b/000002', 58), seen('1@a/000001', 3)], NOW)).toBe(
    '2 workers asked for work in the last minute (1@a/000001 3 s ago, 2@b/000002 58 s ago)',
  );
  expect(workersText([seen('1@a/000001', 0)], NOW)).toMatch(/^1 worker asked for work/);
});

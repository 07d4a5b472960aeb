import { describe, expect, test } from '@jest/globals';
import { createService } from '../../../api/service/create-service';
import type { Service } from '../../../api/service/service';
import type { HttpAnswer, HttpRequest } from '../../../api/transport/transport';
import { checkClock, checkLogin, checkWorkers, createClockMeter } from '../../../cli/doctor-checks';
import type { ClockMeter } from '../../../cli/doctor-checks';
import { accountId } from '../../../api/account';
import { fakeQueues } from '../temporal/client/fake-queues';
import { ACCOUNT } from './example-account';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const SIGNAL = new AbortController().signal;

interface Scene {
  readonly service: Service;
  readonly meter: ClockMeter;
  readonly paths: string[];
}

/** A service whose answers to the login and to other calls have these Dates, in minutes from now. */
function serviceWith(dates: { login?: number; others?: number }, status = 200): Scene {
  const paths: string[] = [];
  const send = ({ url }: HttpRequest): Promise<HttpAnswer> => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    const minutes = pathname === '/api/login' ? dates.login : dates.others;
    const headers: Record<string, string> =
      minutes === undefined ? {} : { date: new Date(NOW + minutes * 60_000).toUTCString() };
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"accessToken":"t"}');
    }
    return Promise.resolve({ status, headers, body: body() });
  };
  const clock = { now: () => NOW, sleep: () => Promise.resolve() };
  const meter = createClockMeter({ send }, clock);
  const service = createService({ account: ACCOUNT, transport: meter.transport, clock });
  return { service, meter, paths };
}

describe('the clock', () => {
  test.each<[label: string, minutes: number, state: string, says: string]>([
    ['is ok', 0, 'ok', "within a minute of the service's"],
    ['behind is noted', 5, 'warn', "5 min 00 s behind the service's"],
    ['ahead by more than the service takes fails', -47, 'fail', "47 min 00 s ahead of the service's"],
  ])("according to the login's answer %s", async (_label, login, state, says) => {
    const { service, meter, paths } = serviceWith({ login, others: 600 });
    await checkLogin(service, SIGNAL);
    expect(await checkClock(meter, service, SIGNAL)).toMatchObject({ check: 'clock', state, says });
    expect(paths).toEqual(['/api/login']);
  });

  test('is also checked by the answer of a refused login', async () => {
    const { service, meter, paths } = serviceWith({ login: -47 }, 401);
    await expect(checkLogin(service, SIGNAL)).rejects.toMatchObject({ code: 'LoginRefused' });
    expect(await checkClock(meter, service, SIGNAL)).toMatchObject({ state: 'fail' });
    expect(paths).toEqual(['/api/login']);
  });

  test("is checked by another request if the login's answer has no Date", async () => {
    const { service, meter, paths } = serviceWith({ others: 5 });
    await checkLogin(service, SIGNAL);
    expect(await checkClock(meter, service, SIGNAL)).toMatchObject({ state: 'warn' });
    expect(paths).toEqual(['/api/login', '/']);
  });

  test('is not checked if no answer has a Date', async () => {
    const { service, meter } = serviceWith({});
    expect(await checkClock(meter, service, SIGNAL)).toMatchObject({ state: 'skip' });
  });
});

describe('the workers of an account', () => {
  const control = `media-service.${accountId(ACCOUNT)}`;
  const checked = (...identities: readonly string[]): ReturnType<typeof checkWorkers> => {
    const polls = identities.map((identity) => ({ queue: control, kind: 'workflow', identity }) as const);
    return checkWorkers(fakeQueues(polls).connection, { account: ACCOUNT }, { host: 'mac' });
  };

  test('are named with a warning if those of one machine have different folders', async () => {
    const [one, two] = ['11@mac/aaaaaa-1111', '12@mac/bbbbbb-2222'];
    expect(await checked(one, two, '13@render/cccccc-3333')).toEqual({
      check: 'workers',
      state: 'warn',
      says: `2 workers are running (${one}, ${two}) on the same machine with different file roots or output roots`,
      remedy: expect.stringContaining('MEDIA_SERVICE_FILE_ROOTS and MEDIA_SERVICE_OUTPUT_ROOTS'),
    });
  });

  test('are ok with equal folders, and on two machines', async () => {
    const found = await checked('11@mac/aaaaaa-1111', '12@mac/bbbbbb-1111', '13@render/cccccc-3333');
    expect(found).toMatchObject({ state: 'ok', says: expect.stringContaining('3 workers are running') });
  });
});

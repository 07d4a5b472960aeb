import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { endedSessions } from '../../../../../nodes/MediaServiceTrigger/events/ended-sessions';
import type { TriggerEvent } from '../../../../../nodes/MediaServiceTrigger/events/trigger-event';
import { startScriptedService } from '../../../api/scripted-service';
import type { ScriptedAnswer, ScriptedService } from '../../../api/scripted-service';
import { fakeClock } from '../../../api/fake-clock';

let scripted: ScriptedService;
/** The service's answers by ID. All other uploads continue. */
let answers: Record<string, ScriptedAnswer>;
beforeEach(async () => {
  scripted = await startScriptedService(fakeClock());
  answers = {};
  scripted.operation = ({ path }) => answers[path.split('/').pop() ?? ''] ?? session('PENDING_COMPLETE');
});
afterEach(() => scripted.close());

const session = (status: string): ScriptedAnswer => ({ body: { status } });

interface Watched {
  poll(): Promise<unknown[]>;
  readonly event: TriggerEvent;
}

function watch(...ids: string[]): Watched {
  const event = endedSessions(scripted.service, ids, new AbortController().signal);
  let state: unknown;
  return {
    event,
    async poll() {
      const polled = await event.poll(state);
      state = JSON.parse(JSON.stringify(polled.state));
      return polled.items.map((item) => [
        item['uploadId'],
        item['error'] === undefined ? item['status'] : 'error',
      ]);
    },
  };
}

describe('a service that answers all uploads wrongly', () => {
  test.each([
    { what: 'a redirect', status: 302 },
    { what: 'a firewall', status: 403 },
    { what: 'a failure', status: 500 },
  ])('with $what rejects each poll, and what ended meanwhile comes afterwards', async ({ status }) => {
    const watched = watch('u1', 'u2');
    expect(await watched.poll()).toEqual([]);
    answers = { u1: { status }, u2: { status } };
    for (let poll = 0; poll < 3; poll += 1) await expect(watched.poll()).rejects.toThrow(String(status));
    answers = { u1: session('COMPLETED'), u2: session('FAILED') };
    expect(await watched.poll()).toEqual([
      ['u1', 'COMPLETED'],
      ['u2', 'FAILED'],
    ]);
  });

  test('with 404, as a gateway without its service does, still returns each end afterwards', async () => {
    const watched = watch('u1', 'u2');
    answers = { u1: { status: 404 }, u2: { status: 404 } };
    expect(await watched.poll()).toEqual([]);
    expect(await watched.poll()).toEqual([
      ['u1', 'error'],
      ['u2', 'error'],
    ]);
    expect(await watched.poll()).toEqual([]);
    answers = { u1: session('COMPLETED') };
    expect(await watched.poll()).toEqual([['u1', 'COMPLETED']]);
    expect(await watched.poll()).toEqual([]);
  });

  test('with a refused login, is asked only once and not for each upload', async () => {
    scripted.login = () => ({ status: 401 });
    await expect(watch('u1', 'u2', 'u3').poll()).rejects.toThrow(/login/);
    expect(scripted.logins).toHaveLength(1);
  });
});

describe("one upload that can't be read", () => {
  test.each([
    { what: 'fails for good', answer: { status: 500 } },
    { what: 'is forbidden', answer: { status: 403 } },
    { what: 'is of no known shape', answer: { body: { oops: 1 } } },
  ])(
    'because it $what does not delay the others, and comes with its error at the second poll',
    async ({ answer }) => {
      answers = { u1: session('COMPLETED'), bad: answer, u4: session('FAILED') };
      const watched = watch('u1', 'bad', 'u3', 'u4');
      expect(await watched.poll()).toEqual([
        ['u1', 'COMPLETED'],
        ['u4', 'FAILED'],
      ]);
      expect(await watched.poll()).toEqual([['bad', 'error']]);
      answers['bad'] = session('COMPLETED');
      expect(await watched.poll()).toEqual([['bad', 'COMPLETED']]);
    },
  );

  test('does not hide an example behind it', async () => {
    answers = { bad: { status: 404 }, u2: session('COMPLETED') };
    expect(await watch('bad', 'u2').event.example()).toMatchObject({ uploadId: 'u2' });
  });
});

test('an upload whose answer takes the whole time of a poll is not first in the next', async () => {
  const controller = new AbortController();
  const event = endedSessions(scripted.service, ['slow', 'u2'], controller.signal);
  scripted.operation = () => {
    controller.abort();
    return undefined;
  };
  const { state } = await event.poll(undefined);
  expect(state).toMatchObject({ next: 1 });
});

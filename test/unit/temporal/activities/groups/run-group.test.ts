import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../../api/errors';
import type {
  Group,
  GroupHeartbeat,
  GroupResult,
  InputOutcome,
} from '../../../../../temporal/contract/groups';
import { NotYet } from '../../../../../temporal/activities/groups/group-step';
import type { GroupStep } from '../../../../../temporal/activities/groups/group-step';
import { runGroup } from '../../../../../temporal/activities/groups/run-group';
import { exampleDeps } from '../example-deps';

type Info = NonNullable<ConstructorParameters<typeof MockActivityEnvironment>[0]>;
type Step = GroupStep<string, unknown>;

const deps = exampleDeps({ send: () => Promise.reject(new Error('Nothing is sent here.')) });

function environment(info: Info = {}): MockActivityEnvironment {
  return new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000, ...info });
}

function groupOf(...inputs: readonly string[]): Group<string> {
  return { accountId: 'a', inputs: inputs.map((input) => ({ input })) };
}

function stepOf(run: Step['run'], more: Partial<Step> = {}): Step {
  return { name: 'work', concurrency: 4, factsOf: () => ({}), run, ...more };
}

function run(
  step: Step,
  group: Group<string>,
  { env = environment(), over = deps }: { env?: MockActivityEnvironment; over?: typeof deps } = {},
): Promise<GroupResult> {
  return env.run(() => runGroup(over, step, group));
}

function kindOf(outcome: InputOutcome): string | undefined {
  return Object.keys(outcome)[0];
}

function passing(facts: MediaServiceError['facts'] = {}): MediaServiceError {
  return new MediaServiceError('ServiceFailed', 'The service failed.', facts);
}

const refused = new MediaServiceError('RequestRefused', 'The service refused it.', { outcome: 'refused' });

/** Resolves when `open` is called. */
function latch(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}

describe('a group of inputs', () => {
  it('has an outcome for each input, and a failed one does not affect the others', async () => {
    const outcomes = await run(
      stepOf(async (input) => {
        if (input === 'refused') throw refused;
        if (input === 'later') throw passing({ retryAfterMs: 7_000 });
        return `did ${input}`;
      }),
      groupOf('one', 'refused', 'later', 'two'),
    );
    expect(outcomes).toEqual([
      { value: 'did one' },
      { failure: { code: 'RequestRefused', message: refused.message, facts: refused.facts } },
      { again: { tries: 1, afterMs: 7_000, failure: expect.objectContaining({ code: 'ServiceFailed' }) } },
      { value: 'did two' },
    ]);
  });

  it('retries an input for a moment, while no other one waits for it', async () => {
    const tries: Record<string, number> = {};
    const outcomes = await run(
      stepOf(
        async (input, { number }) => {
          tries[input] = number;
          if (input === 'shaky' && number < 3) throw passing({ retryAfterMs: 1 });
          return number;
        },
        { retryForMs: 1_000 },
      ),
      groupOf('shaky', 'good'),
    );
    expect([outcomes, tries]).toEqual([[{ value: 3 }, { value: 1 }], { shaky: 3, good: 1 }]);
  });

  it('without any progress fails, so that Temporal repeats it after the requested pause', async () => {
    const env = environment();
    const heartbeats: GroupHeartbeat[] = [];
    env.on('heartbeat', (details: GroupHeartbeat) => heartbeats.push(details));
    const step = stepOf(async (input) => {
      throw passing({ retryAfterMs: input === 'one' ? 3_000 : 9_000 });
    });
    await expect(run(step, groupOf('one', 'two'), { env })).rejects.toMatchObject({
      type: 'ServiceFailed',
      nonRetryable: false,
      nextRetryDelay: 3_000,
    });
    expect(heartbeats.at(-1)).toMatchObject({
      outcomes: [],
      ended: 1,
      tries: [
        [0, 1],
        [1, 1],
      ],
    });
  });

  it('without a failure or a result fails as benign', async () => {
    const step = stepOf(() => Promise.reject(new NotYet('Still processing.', 5_000)));
    await expect(run(step, groupOf('one'))).rejects.toMatchObject({
      message: 'Still processing.',
      category: 'BENIGN',
      nextRetryDelay: 5_000,
    });
  });

  it('reports an outcome that is too large for Temporal as the failure of that input only', async () => {
    const step = stepOf(async (input) => (input === 'large' ? 'x'.repeat(2_000_000) : input));
    expect(await run(step, groupOf('large', 'small'))).toMatchObject([
      { failure: { code: 'UnreadableAnswer', facts: { outcome: 'ambiguous' } } },
      { value: 'small' },
    ]);
  });

  it('begins nothing more once its outcomes are large', async () => {
    const step = stepOf(async () => 'x'.repeat(300_000), { concurrency: 1 });
    const outcomes = await run(step, groupOf('one', 'two', 'three', 'four'));
    expect(outcomes.map(kindOf)).toEqual(['value', 'value', 'again', 'again']);
    expect(outcomes[3]).toEqual({ again: { tries: 0, afterMs: 0 } });
  });

  it('returns only as many values of running inputs as Temporal records; the others travel again', async () => {
    const sizes = [600_000, 600_000, 600_000, 200_000, 200_000, 50_000];
    const step = stepOf(async (input) => 'x'.repeat(Number(input)), { concurrency: sizes.length });
    const outcomes = await run(step, groupOf(...sizes.map(String)));
    const large = { again: { tries: 1, afterMs: 0, alone: true } };
    expect(outcomes.map((outcome) => (kindOf(outcome) === 'value' ? 'value' : outcome))).toEqual([
      ...['value', 'value', large, 'value'],
      { again: { tries: 1, afterMs: 0 } },
      'value',
    ]);
    expect(JSON.stringify(outcomes).length).toBeLessThan(1_600_000);
  });

  it('returns a value of the largest size, whatever failed before it', async () => {
    const step = stepOf(async (input) => {
      if (input === 'refused') throw refused;
      return 'x'.repeat(1_499_900);
    });
    expect((await run(step, groupOf('refused', 'large'))).map(kindOf)).toEqual(['failure', 'value']);
  });

  it('runs as many inputs at once as its concurrency allows', async () => {
    let running = 0;
    let highest = 0;
    const step = stepOf(async () => {
      highest = Math.max(highest, (running += 1));
      await Promise.resolve();
      running -= 1;
    });
    await run(step, { ...groupOf('a', 'b', 'c', 'd', 'e'), concurrency: 2 });
    expect(highest).toBe(2);
  });

  it('lets an input wait for the end of another one if this worker has no room for it', async () => {
    const [inside, done] = [latch(), latch()];
    const crowded = new MediaServiceError('WorkerBusy', 'No room.', { outcome: 'unsent' });
    let taken = false;
    const step = stepOf(async (input) => {
      if (input === 'first') {
        taken = true;
        inside.open();
        await done.opened;
        taken = false;
        return input;
      }
      if (taken) {
        done.open();
        throw crowded;
      }
      return input;
    });
    expect(await run(step, groupOf('first', 'second'))).toEqual([{ value: 'first' }, { value: 'second' }]);
    await inside.opened;
  });
});

describe('a try of a group after one that lost its worker', () => {
  const done: InputOutcome = { value: 'done before' };

  it('runs only what has no outcome, counts the tries that began, and says that they may have run', async () => {
    const heartbeatDetails: GroupHeartbeat = {
      ...{ outcomes: [[0, done]], tries: [[1, 1]], inputs: [[1, 'renewed']], ended: 0 },
    };
    const env = environment({ attempt: 2, heartbeatDetails });
    const seen: unknown[] = [];
    const step = stepOf(async (input, { number, mayHaveRun }) => {
      seen.push([input, number, mayHaveRun]);
      return 'done now';
    });
    expect(await run(step, groupOf('one', 'two', 'three'), { env })).toEqual([
      done,
      { value: 'done now' },
      { value: 'done now' },
    ]);
    expect(seen).toEqual([
      ['renewed', 2, true],
      ['three', 1, true],
    ]);
  });

  it('that also lost its worker requeues the rest, untried and each on its own', async () => {
    const heartbeatDetails: GroupHeartbeat = {
      ...{ outcomes: [[0, done]], tries: [[2, 2]], inputs: [], ended: 0 },
    };
    const env = environment({ attempt: 3, heartbeatDetails });
    const step = stepOf(() => Promise.reject(new Error('It must not run.')));
    expect(await run(step, groupOf('one', 'two', 'three'), { env })).toEqual([
      done,
      { again: { tries: 0, afterMs: 0, alone: true } },
      { again: { tries: 2, afterMs: 0, alone: true } },
    ]);
  });

  it('counts the outcomes that the earlier try left towards the size of its result', async () => {
    const heartbeatDetails: GroupHeartbeat = {
      ...{ outcomes: [[0, { value: 'x'.repeat(1_000_000) }]], tries: [[1, 1]], inputs: [], ended: 0 },
    };
    const env = environment({ attempt: 2, heartbeatDetails });
    const step = stepOf(() => Promise.reject(new Error('Nothing more may begin.')));
    const outcomes = await run(step, groupOf('one', 'two'), { env });
    expect(outcomes.map(kindOf)).toEqual(['value', 'again']);
    expect(outcomes[1]).toEqual({ again: { tries: 1, afterMs: 0 } });
  });

  it('does not count the earlier try as lost if it ended by itself', async () => {
    const heartbeatDetails: GroupHeartbeat = { outcomes: [], tries: [], inputs: [], ended: 2 };
    const env = environment({ attempt: 3, heartbeatDetails });
    expect(
      await run(
        stepOf(async (input) => input),
        groupOf('one', 'two'),
        { env },
      ),
    ).toEqual([{ value: 'one' }, { value: 'two' }]);
  });
});

describe('a step that is never repeated', () => {
  it('fails if it could be retried, with what is known of the request', async () => {
    const step = stepOf(() => Promise.reject(passing({ outcome: 'ambiguous' })), { once: true });
    expect(await run(step, groupOf('one'))).toMatchObject([
      { failure: { code: 'ServiceFailed', facts: { outcome: 'ambiguous' } } },
    ]);
  });

  it("returns every value, because it can't travel again", async () => {
    const step = stepOf(async () => 'x'.repeat(800_000), { once: true });
    expect((await run(step, groupOf('one', 'two'))).map(kindOf)).toEqual(['value', 'value']);
  });

  it('may be retried if it did not begin', async () => {
    const busy = new MediaServiceError('WorkerBusy', 'Not now.', { outcome: 'unsent', retryAfterMs: 50 });
    const step = stepOf(async (input) => input, {
      once: true,
      admit: (input) => (input === 'one' ? Promise.reject(busy) : Promise.resolve(() => undefined)),
    });
    expect(await run(step, groupOf('one', 'two'))).toMatchObject([
      { again: { tries: 0, afterMs: 50 } },
      { value: 'two' },
    ]);
  });

  it('is ambiguous and unanswered if its worker stopped meanwhile', async () => {
    const env = environment();
    const begun = latch();
    const step = stepOf(
      async (_input, { signal }) => {
        begun.open();
        return untilAborted(signal);
      },
      { once: true },
    );
    const outcomes = run(step, groupOf('one'), { env });
    await begun.opened;
    env.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    expect(await outcomes).toMatchObject([
      { failure: { code: 'Transport', facts: { outcome: 'ambiguous', details: { unanswered: true } } } },
    ]);
  });
});

describe('a group that must end', () => {
  it('because it was cancelled aborts everything that runs and begins nothing; finished results are kept', async () => {
    const env = environment();
    const begun = latch();
    const aborted: string[] = [];
    const step = stepOf(
      async (input, { signal }) => {
        if (input === 'done') return input;
        if (input === 'three') begun.open();
        await untilAborted(signal).catch((error: unknown) => {
          aborted.push(input);
          throw error;
        });
        return 'never';
      },
      { concurrency: 3 },
    );
    const outcomes = run(step, groupOf('done', 'one', 'two', 'three', 'four'), { env });
    await begun.opened;
    env.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    const cancelled = { failure: expect.objectContaining({ code: 'Cancelled' }) };
    expect(await outcomes).toEqual([{ value: 'done' }, cancelled, cancelled, cancelled, cancelled]);
    expect(aborted).toEqual(['one', 'two', 'three']);
  });

  it('because the worker drains requeues what has not begun, and does not count it', async () => {
    const over = exampleDeps({ send: () => Promise.reject(new Error('Nothing is sent here.')) });
    const step = stepOf(
      async (input) => {
        over.drain.begin();
        return input;
      },
      { concurrency: 1 },
    );
    expect(await run(step, groupOf('one', 'two'), { over })).toEqual([
      { value: 'one' },
      { again: { tries: 0, afterMs: 100 } },
    ]);
  });
});

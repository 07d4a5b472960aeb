import { setImmediate as turn } from 'node:timers/promises';
import { createAimdLimiters } from '../../../../../api/upload/part/admission';
import { createPartAdmissions } from '../../../../../temporal/worker/limits/part-admission';
import { Rates } from '../../../../../temporal/worker/limits/rates';
import { fakeClock } from '../../../api/fake-clock';

const MIB = 1024 * 1024;
const { signal } = new AbortController();
const url = 'https://s.example/part';
const large = { partNumber: 1, bytes: 8 * MIB, url };
const small = { ...large, bytes: MIB };

function admissions(slots: number, partsPerSecond = 1000) {
  const rates = new Rates(fakeClock(), () => ({ partsPerSecond }));
  return createPartAdmissions({ slots, rates, storages: createAimdLimiters() });
}

/** Whether the wait has ended. */
async function hasEnded(wait: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void wait.then(() => (ended = true));
  await turn();
  return ended;
}

describe('the admission of parts', () => {
  it('gives each queue its slots, and the next part one that is left', async () => {
    const all = admissions(1);
    const [one, other] = ['one', 'other'].map((queue) => all.of({ accountId: 'a', queue }));
    const first = await one?.enter(large, signal);
    const second = one?.enter(large, signal) ?? Promise.reject(new Error('no queue'));
    expect(await hasEnded(second)).toBe(false);
    expect(await other?.enter(large, signal)).toBeDefined();
    first?.leave('ok');
    expect(await hasEnded(second)).toBe(true);
  });

  it('takes no slot for a small part', async () => {
    const queue = admissions(1).of({ accountId: 'a', queue: 'q' });
    await queue.enter(large, signal);
    expect(await hasEnded(queue.enter(small, signal))).toBe(true);
  });

  it('gives the slot back if the rate of the account refuses the part', async () => {
    const queue = admissions(1, 0.01).of({ accountId: 'a', queue: 'q' });
    (await queue.enter(large, signal)).leave('ok');
    for (let again = 0; again < 2; again += 1) {
      await expect(queue.enter(large, signal)).rejects.toMatchObject({ code: 'WorkerBusy' });
    }
  });

  it('says when no other part may go to the same storage', async () => {
    const queue = admissions(2).of({ accountId: 'a', queue: 'q' });
    const [first, second] = await Promise.all([queue.enter(large, signal), queue.enter(large, signal)]);
    first.leave('slow');
    expect(second.isAlone()).toBe(true);
  });
});

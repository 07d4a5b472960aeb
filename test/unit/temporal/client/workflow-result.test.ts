import { getEventListeners } from 'node:events';
import { workflowResult } from '../../../../temporal/client/workflow-result';
import { until } from '../../../support/until';

const cancelled = (): Error =>
  new Error('Failed', { cause: Object.assign(new Error('Cancelled'), { code: 1 }) });

/**
 * A connection whose signals get a listener with each request, as in the SDK. Nothing is answered before `answer` is
 * called. `signals`: of each request.
 */
function silentServer() {
  const signals: AbortSignal[] = [];
  let current: AbortSignal | undefined;
  let answer: (result: string) => void = () => undefined;
  const withAbortSignal = (signal: AbortSignal, run: () => Promise<unknown>): Promise<unknown> => {
    current = signal;
    return run();
  };
  const result = (): Promise<string> =>
    new Promise((resolve, reject) => {
      if (current !== undefined) signals.push(current);
      current?.addEventListener('abort', () => reject(cancelled()));
      answer = resolve;
    });
  return {
    signals,
    answer: (text: string) => answer(text),
    connection: { address: 'temporal:7233', namespace: 'media', connection: { withAbortSignal } as never },
    handle: { workflowId: 'upload/a/b', describe: jest.fn(), result } as never,
  };
}

describe("waiting for a workflow's result", () => {
  it('leaves no listener at the signal that ends it, however many callers wait', async () => {
    const { connection, handle } = silentServer();
    const ending = new AbortController();
    const { signal } = ending;
    const waits = Array.from({ length: 12 }, () => workflowResult(connection, handle, { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    ending.abort(new Error('enough'));
    for (const wait of waits) await expect(wait).rejects.toThrow('enough');
  });

  it('changes its signal now and then, so that listeners do not gather at one', async () => {
    const { connection, handle, signals, answer } = silentServer();
    const { signal } = new AbortController();
    const wait = workflowResult(connection, handle, { signal, roundMs: 1 });
    await until('three rounds', () => signals.length >= 3, Boolean, { pauseMs: 0 });
    answer('done');
    expect(await wait).toBe('done');
    expect(new Set(signals).size).toBe(signals.length);
  });
});

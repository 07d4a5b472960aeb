import type { Simulator } from '../../../simulator/start-simulator';

interface Setting {
  readonly simulator: Simulator;
  close(): Promise<void>;
}

/**
 * What `open` makes, for all tests of a file or `describe`: opened before the first, closed after the last. After each,
 * its simulator has no faults and holds nothing.
 */
export function useOpened<T extends Setting>(open: () => Promise<T>): T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterEach(() => {
    opened?.simulator.clearFaults();
    opened?.simulator.release();
  });
  afterAll(() => opened?.close());
  return new Proxy({} as T, {
    get(_target, name): unknown {
      if (opened === undefined) throw new Error('It is opened before the first test.');
      return Reflect.get(opened, name);
    },
  });
}

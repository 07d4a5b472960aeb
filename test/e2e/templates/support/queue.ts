/** What came and was not taken yet, oldest first. */
export interface Queue<T> {
  put(one: T): void;
  /** Waits where nothing is there. */
  take(): Promise<T>;
}

export function createQueue<T>(): Queue<T> {
  const come: T[] = [];
  const waiting: ((one: T) => void)[] = [];
  return {
    put(one) {
      const next = waiting.shift();
      if (next === undefined) come.push(one);
      else next(one);
    },
    take() {
      const [one] = come.splice(0, 1);
      return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one);
    },
  };
}

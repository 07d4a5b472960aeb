/** Items that arrived and were not taken yet, oldest first. */
export interface Queue<T> {
  put(one: T): void;
  /** Waits if the queue is empty. */
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

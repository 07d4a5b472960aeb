/** Starts all jobs in order, at most `atOnce` at the same time. Each promise settles as its job does. */
export function pooled<T>(jobs: readonly (() => Promise<T>)[], atOnce: number): Promise<T>[] {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const turn = (): Promise<void> => {
    if (free === 0) return new Promise((begin) => waiting.push(begin));
    free -= 1;
    return Promise.resolve();
  };
  const done = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return jobs.map(async (job) => {
    await turn();
    return job().finally(done);
  });
}

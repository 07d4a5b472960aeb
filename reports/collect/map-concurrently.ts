/**
 * The results in the order of the values. At most `width` calls run at once. Rejects with the first failure, and then
 * starts no further call.
 */
export async function mapConcurrently<T, R>(
  values: readonly T[],
  width: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  const queue = values.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [index, value] of queue) {
      if (failed) return;
      results.set(index, await work(value));
    }
  };
  const workers = Array.from({ length: Math.min(width, values.length) }, () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(workers);
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}

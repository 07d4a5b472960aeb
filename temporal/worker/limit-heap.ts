import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8 would let the space of new objects grow to 128 MB. A batch is as fast with this size, bytes. */
const NEW_SPACE_BYTES = 16 * 1024 * 1024;

/**
 * Keeps this process small. V8 lets a heap grow to three times of what it uses before it looks for garbage, and has no
 * limit for new objects that can be set after its start. So their space stops growing after a collection that finds it
 * large enough. During a batch, a worker then needs 130 MB less (bench/README.md).
 */
export function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=80');
  new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const isLarge = (space?.space_size ?? 0) >= NEW_SPACE_BYTES;
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? '1' : '2'}`);
  }).observe({ entryTypes: ['gc'] });
}

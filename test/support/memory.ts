import { readFile, writeFile } from 'node:fs/promises';

const KIB = 1024;
const MB = 1_000_000;
/** Written to clear_refs, this resets the peak to the current resident memory. */
const FORGET_PEAK = '5';

/** Resident memory, MB (1,000,000 bytes). */
export interface MemoryChange {
  readonly before: number;
  readonly peak: number;
  readonly after: number;
  /** `peak` minus `before`. */
  readonly growth: number;
}

/** Resident memory of a process in MB, and its maximum since the process began or its peak was reset. */
async function memoryOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { now: field(status, 'VmRSS'), peak: field(status, 'VmHWM') };
}

/** Memory since this call. The kernel records the peak itself, so no sample is missed. */
export async function watchMemory(pid: number) {
  await writeFile(`/proc/${pid}/clear_refs`, FORGET_PEAK);
  const { now: before } = await memoryOf(pid);
  return {
    async read(): Promise<MemoryChange> {
      const { now: after, peak } = await memoryOf(pid);
      return { before, peak, after, growth: peak - before };
    },
  };
}

function field(status: string, name: string): number {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`The process has no ${name}: it has ended.`);
  return Math.round((Number(kib) * KIB) / MB);
}

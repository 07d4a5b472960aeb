import { readFile } from 'node:fs/promises';
import { clearInterval, setInterval } from 'node:timers';

const EVERY_MS = 100;

/**
 * Measures the resident memory of processes, MB (1,000,000 bytes), until `stop`. It returns the highest sum and the
 * highest single process of each quarter of the time.
 */
export function watchMemory(processes) {
  const samples = [];
  const look = async () => {
    const each = await Promise.all(processes.map(({ pid }) => residentMb(pid)));
    samples.push({ at: Date.now(), each });
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    await look();
    const began = samples[0].at;
    const span = Math.max(1, samples.at(-1).at - began);
    const quarters = [0, 0, 0, 0];
    for (const { at, each } of samples) {
      const quarter = Math.min(3, Math.floor((4 * (at - began)) / span));
      quarters[quarter] = Math.max(quarters[quarter], Math.max(...each));
    }
    return { quarters: quarters.map(Math.round), highest: Math.round(Math.max(...quarters)) };
  };
}

/** 0 if the process has ended, or if the kernel does not provide it. */
export async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
}

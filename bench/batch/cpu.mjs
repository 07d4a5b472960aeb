import { readFile } from 'node:fs/promises';

/** Clock ticks per second in Linux's counters. */
const TICKS = 100;

/**
 * Starts to measure the CPU time of processes. The returned function returns the seconds since then, over all of them.
 */
export async function watchCpu(processes) {
  const before = await secondsOf(processes);
  return async () => (await secondsOf(processes)) - before;
}

async function secondsOf(processes) {
  const each = await Promise.all(processes.map(({ pid }) => seconds(pid)));
  return each.reduce((sum, one) => sum + one, 0);
}

/**
 * 0 if the kernel does not provide it. The name in the second field may contain blanks, so counting begins after it.
 */
async function seconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

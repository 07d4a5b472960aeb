import { readFile } from 'node:fs/promises';

/** Clock ticks per second as Linux counts them for users. */
const TICKS = 100;

/** Starts to count the processor time of processes; the returned function tells the seconds since, over all of them. */
export async function watchCpu(processes) {
  const before = await secondsOf(processes);
  return async () => (await secondsOf(processes)) - before;
}

async function secondsOf(processes) {
  const each = await Promise.all(processes.map(({ pid }) => seconds(pid)));
  return each.reduce((sum, one) => sum + one, 0);
}

/** 0 where the kernel does not tell. The name in the second field may hold blanks, so counting begins behind it. */
async function seconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

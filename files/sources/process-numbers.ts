import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { systemCodeOf } from '../system-error';

const OWN = randomUUID();

/**
 * Names the space in which this process's id is unique. On Linux that is the container's own numbering since the
 * machine's last boot; elsewhere it is the machine. Containers each count from 1, and a host name can be anything. If
 * it can't be determined, nobody else shares the name.
 */
export async function processNumbers(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return OWN;
  }
}

/** Whether a process of this machine or container with this number is running. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';

const OWN = randomUUID();

/**
 * Names where process ids mean what they mean here: on Linux a container's own numbers on a machine since it was switched on, elsewhere the
 * machine. Containers count from 1 each, and a host name is whatever somebody gave them. Where it cannot be told, nobody else shares it.
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

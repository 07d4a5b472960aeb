import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 3;

/**
 * The name of a worker in Temporal: process id, machine, and a random end, since containers can share process ids and names. All queues of one worker use
 * the same name: the machine in it tells others which host queue the worker serves, and workers that share a limit are counted by it.
 */
export function workerIdentity(host: string): string {
  return `${String(process.pid)}@${host}/${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** The machine in such a name; undefined for a worker that was named in another way. */
export function hostOfWorker(identity: string): string | undefined {
  return /^\d+@(.+)\/[0-9a-f]{6}$/s.exec(identity)?.[1];
}

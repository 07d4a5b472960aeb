import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 3;
const IDENTITY = /^\d+@(.+)\/[0-9a-f]{6}$/s;

/**
 * The name of a worker in Temporal: process id, machine and a random text, because containers can share process ids and
 * names. All queues of one worker use the same name. The machine in it shows which host queue the worker serves.
 */
export function workerIdentity(host: string): string {
  return `${String(process.pid)}@${host}/${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** The machine in such a name, or undefined for a worker with another kind of name. */
export function hostOfWorker(identity: string): string | undefined {
  return IDENTITY.exec(identity)?.[1];
}

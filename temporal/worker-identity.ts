import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 3;
const MARK_LENGTH = 4;
const IDENTITY = /^\d+@(.+)\/[0-9a-f]{6}([0-9a-f]{4})?$/s;

/**
 * The name of a worker in Temporal: process id, machine and a random text, because containers can share process ids and
 * names. All queues of one worker use the same name. The machine in it shows which host queue the worker serves.
 * `roots`: the folders that it may read. Its end is the same for the same folders.
 */
export function workerIdentity(host: string, roots?: readonly string[]): string {
  const mark =
    roots &&
    createHash('sha256')
      .update([...roots].sort().join('\n'))
      .digest('hex');
  const end = `${randomBytes(RANDOM_BYTES).toString('hex')}${mark?.slice(0, MARK_LENGTH) ?? ''}`;
  return `${String(process.pid)}@${host}/${end}`;
}

/** The machine in such a name, or undefined for a worker with another kind of name. */
export function hostOfWorker(identity: string): string | undefined {
  return IDENTITY.exec(identity)?.[1];
}

/** A machine whose workers, by their names, do not all read the same folders. */
export function hostOfMixedRoots(identities: readonly string[]): string | undefined {
  const marks = new Map<string, string>();
  for (const identity of identities) {
    const [, host = '', mark] = IDENTITY.exec(identity) ?? [];
    if (mark === undefined) continue;
    if ((marks.get(host) ?? mark) !== mark) return host;
    marks.set(host, mark);
  }
  return undefined;
}

import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 3;
const DIGEST_LENGTH = 4;
const IDENTITY = /^\d+@(.+)\/[0-9a-f]{6}-([0-9a-f]{4})$/s;

interface NamedWorker {
  readonly host: string;
  /** Folders to read from. Default none. */
  readonly roots?: readonly string[];
  /** Folders to write to. Default none. */
  readonly outputRoots?: readonly string[];
}

/**
 * The name of a worker in Temporal: process id, machine, a random text, because containers can share process ids and
 * names, and a digest of its folders. All queues of one worker use the same name. The machine in it shows which host
 * queue the worker serves.
 */
export function workerIdentity({ host, roots = [], outputRoots = [] }: NamedWorker): string {
  const folders = JSON.stringify([roots, outputRoots].map((some) => [...some].sort()));
  const digest = createHash('sha256').update(folders).digest('hex').slice(0, DIGEST_LENGTH);
  return `${String(process.pid)}@${host}/${randomBytes(RANDOM_BYTES).toString('hex')}-${digest}`;
}

/** What such a name says, or undefined for a worker with another kind of name. Equal folders have an equal digest. */
export function readWorkerIdentity(
  identity: string,
): { readonly host: string; readonly folders: string } | undefined {
  const [, host, folders] = IDENTITY.exec(identity) ?? [];
  return host === undefined || folders === undefined ? undefined : { host, folders };
}

import { createHash } from 'node:crypto';
import { watch, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AccountEntry } from './account-entry';
import { readAccounts } from './read-accounts';

export interface AccountsListener {
  /** All accounts as they are now; called only when something changed. */
  onAccounts(accounts: readonly AccountEntry[]): void;
  /** A change that cannot be used; once for each different problem. What held before still holds. */
  onProblem(error: unknown): void;
}

export interface AccountsWatching {
  /** The accounts as they were read last. */
  readonly now: readonly AccountEntry[];
  /** Default 10,000. */
  readonly pollMs?: number;
  /** From a change to its reading; default 300. */
  readonly settleMs?: number;
}

export interface AccountsWatch {
  /** Looks at once, without waiting for the next poll. */
  look(): Promise<void>;
  close(): void;
}

/** Changes come in several writes; a half-written file is no change. */
const SETTLE_MS = 300;
/** What no file system tells of: other machines' writes on a shared folder, and files of secrets that lie elsewhere. */
const POLL_MS = 10_000;

/**
 * Tells of every change of the accounts at `path` after `now`, until it is closed: soon where the file system tells of it, within 10 s
 * otherwise. Content counts, so links that are replaced as Kubernetes does it are seen, and a touched file is no change.
 */
export function watchAccounts(
  path: string,
  { now, pollMs = POLL_MS, settleMs = SETTLE_MS }: AccountsWatching,
  listener: AccountsListener,
): AccountsWatch {
  let known = digestOf(now);
  let problem = '';
  let closed = false;
  let settling: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function lookOnce(): Promise<void> {
    try {
      const accounts = await readAccounts(path);
      problem = '';
      const digest = digestOf(accounts);
      if (closed || digest === known) return;
      known = digest;
      listener.onAccounts(accounts);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (closed || message === problem) return;
      problem = message;
      listener.onProblem(error);
    }
  }
  const look = (): Promise<void> => (looking = looking.then(lookOnce));

  const watcher = watchFolder(path, () => {
    clearTimeout(settling);
    settling = setTimeout(() => void look(), settleMs);
  });
  const poll = setInterval(() => void look(), pollMs);
  return {
    look,
    close() {
      closed = true;
      clearTimeout(settling);
      clearInterval(poll);
      watcher?.close();
    },
  };
}

/** The folder itself, or the one that holds the file: a file that is replaced is another file. Undefined: polling has to do. */
function watchFolder(path: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(statSync(path).isDirectory() ? path : dirname(path), onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Kept instead of the accounts, which hold secrets. */
function digestOf(accounts: readonly AccountEntry[]): string {
  return createHash('sha256').update(JSON.stringify(accounts)).digest('hex');
}

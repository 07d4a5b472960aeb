import { createHash } from 'node:crypto';
import { watch, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AccountsListener, ServedAccount } from '../../api/account/account';
import { readAccounts } from './read-accounts';

interface AccountsWatching {
  /** The accounts from the last reading. */
  readonly now: readonly ServedAccount[];
  /** Default 10,000. */
  readonly pollMs?: number;
  /** Pause between a change and its reading. Default 300. */
  readonly settleMs?: number;
}

export interface AccountsWatch {
  /** Looks at once, without waiting for the next poll. */
  look(): Promise<void>;
  close(): void;
}

/** A change consists of several writes, and a half-written file is not a change. */
const SETTLE_MS = 300;
/**
 * File systems don't report everything: not other machines' writes to a shared folder, and not files of secrets
 * elsewhere.
 */
const POLL_MS = 10_000;

/**
 * Reports every change of the accounts at `path` after `now`, until it is closed. It reacts soon if the file system
 * reports the change, and within 10 s otherwise. It compares content: it sees links that Kubernetes replaces, and
 * ignores a file that was only touched.
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

/**
 * Watches the folder itself, or the folder of the file, because a replaced file is another file. Undefined: only
 * polling works.
 */
function watchFolder(path: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(statSync(path).isDirectory() ? path : dirname(path), onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Stored instead of the accounts, which contain secrets. */
function digestOf(accounts: readonly ServedAccount[]): string {
  return createHash('sha256').update(JSON.stringify(accounts)).digest('hex');
}

import { given } from '../../../json';
import { accountId } from '../../../account';
import type { Service } from '../../../service/service';
import type { UploadProgress, UploadRequest } from '../../request/upload-request';
import { openSource } from '../../sources/read-source';
import type { SourceAccess } from '../../sources/read-source';
import { createDirectSteps, directControl } from '../direct-steps';
import type { DirectHooks } from '../direct-steps';
import { POLL_RETRY_FOR_MS } from '../reach';
import { withRetries } from '../../run/run-parts';
import { continueUpload } from './continue-upload';
import type { JournaledResult } from './continue-upload';
import { meaningOf } from './journal-entry';
import type { JournalEntry } from './journal-entry';
import type { JournalLock } from './held-lock';
import { lockJournal } from './journal-lock';
import { journalBase, journalFile, prepareJournals } from './journal-store';
import type { JournalStore } from './journal-store';
import type { JournalRules, UrlSeals } from './journaled-steps';
import type { SourceReader } from '../../sources/source';
import { md5Engine } from '../../../md5/md5-engine';

interface JournalFolder {
  /** Absolute path. It is created for only this user. */
  readonly folder: string;
  /** This machine's name, shown to other processes that meet the lock. */
  readonly host: string;
  readonly seals: UrlSeals;
  /** Start a new session, whatever an earlier run left. */
  readonly again: boolean;
}

export interface JournaledRun {
  readonly request: UploadRequest;
  readonly service: Service;
  readonly access: SourceAccess;
  readonly hooks: DirectHooks & { onProgress(progress: UploadProgress): void };
  readonly journal: JournalFolder;
}

/**
 * Uploads in this process with a journal. If the upload is cut off at any point, the next run under the same ingest key
 * continues it. For 30 days after it ended COMPLETED, the next run gets its result: see `continueUpload`.
 *
 * Rejects as `continueUpload` does, and as `lockJournal` does while another process uploads under this key. If the lock
 * is lost meanwhile, the upload ends with the reason of `JournalLock.signal`: nothing more is sent or written.
 */
export async function runJournaled(upload: JournaledRun): Promise<JournaledResult> {
  const { request, service, journal } = upload;
  const { ingestKey } = request;
  const key = { accountId: accountId(service.account), ingestKey };
  await prepareJournals(journal.folder, service.clock.now());
  const base = journalBase(journal.folder, key);
  const { hooks } = upload;
  const { signal } = hooks;
  const onWaiting = (reason: string): void => hooks.onWaiting?.(reason);
  const lock = await lockJournal(base, { host: journal.host, clock: service.clock, signal, onWaiting });
  try {
    const store = guardedStore(journalFile(base), lock);
    // A lost lock ends the upload like a cancellation, with its own reason.
    const ending = signal === undefined ? lock.signal : AbortSignal.any([signal, lock.signal]);
    const guarded = { ...upload, hooks: { ...hooks, signal: ending } };
    return await run(guarded, { key, store, lock, found: await store.read() });
  } finally {
    await lock.release();
  }
}

/** Writes only while the lock is ours. */
function guardedStore(store: JournalStore, lock: JournalLock): JournalStore {
  return {
    read: () => store.read(),
    write: async (entry) => {
      await lock.check();
      await store.write(entry);
    },
    remove: async () => {
      await lock.check();
      await store.remove();
    },
  };
}

interface Kept {
  readonly key: Pick<JournalEntry, 'accountId' | 'ingestKey'>;
  readonly store: JournalStore;
  readonly lock: JournalLock;
  readonly found: JournalEntry | undefined;
}

async function run(
  { request, service, access, hooks, journal }: JournaledRun,
  { key, store, lock, found }: Kept,
): Promise<JournaledResult> {
  const { partBytes, maxParts, ...options } = request.options;
  const { seals, again } = journal;
  const plan = (again ? undefined : found?.plan) ?? given({ partBytes, maxParts });
  const direct = createDirectSteps(service, access, hooks);
  const rules: JournalRules = {
    store,
    seals,
    found,
    again,
    about: { ...key, meaning: meaningOf(request), plan },
    searchable: service.options.ingestTag !== false,
    renewable: service.options.additionalUrls !== undefined,
    now: () => service.clock.now(),
    checkLock: () => lock.check(),
    md5Of: ({ source, ...part }) =>
      withRetries(
        { clock: service.clock, signal: hooks.signal, retryForMs: hooks.retryForMs ?? POLL_RETRY_FOR_MS },
        () => partMd5(openSource(access, source), part, hooks.signal),
      ),
  };
  const control = directControl(service, direct, hooks);
  return continueUpload({ ...request, options: { ...options, ...plan } }, direct, { rules, control });
}

/** Returns the MD5 of bytes [offset, offset + bytes) of a source in hex, read in a constant amount of memory. */
async function partMd5(
  reader: SourceReader,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
  signal?: AbortSignal,
): Promise<string> {
  const hash = md5Engine.open();
  try {
    for await (const chunk of reader.read(offset, bytes, signal)) await hash.update(chunk);
    return await hash.digest();
  } finally {
    hash.close();
  }
}

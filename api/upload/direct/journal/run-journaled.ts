import { accountId } from '../../../account/account-id';
import type { Service } from '../../../service/service';
import { partMd5 } from '../../parts/part-md5';
import type { UploadProgress, UploadRequest } from '../../request/upload-request';
import { openSource } from '../../sources/open-source';
import type { SourceAccess } from '../../sources/source-access';
import type { DirectHooks } from '../direct-hooks';
import { createDirectSteps, directControl } from '../direct-steps';
import { PATIENCE_MS } from '../poll-to-the-end';
import { persistently } from '../../run/persistently';
import { continueUpload } from './continue-upload';
import type { JournaledResult } from './continue-upload';
import type { JournalEntry } from './journal-entry';
import { meaningOf } from './journal-entry';
import { lockJournal } from './journal-lock';
import { journalBase, journalFile, prepareJournals } from './journal-store';
import type { JournalRules, UrlSeals } from './journaled-steps';

export interface JournalPlace {
  /** Absolute; made for this user alone. */
  readonly folder: string;
  /** This machine's name, told to whoever meets the lock. */
  readonly host: string;
  readonly seals: UrlSeals;
  /** Start a new session whatever an earlier run left. */
  readonly again: boolean;
}

export interface JournaledUpload {
  readonly request: UploadRequest;
  readonly service: Service;
  readonly access: SourceAccess;
  readonly hooks: DirectHooks & { onProgress(progress: UploadProgress): void };
  readonly journal: JournalPlace;
}

/**
 * An upload in this process that the next run under the same ingest key continues if this one is cut off at any point, and is given the result of
 * for 30 days once it ended COMPLETED: see `continueUpload`. Rejects as that, and with a `Validation` error while another process uploads under
 * this key.
 */
export async function runJournaled(upload: JournaledUpload): Promise<JournaledResult> {
  const { request, service, journal } = upload;
  const { ingestKey } = request;
  const key = { accountId: accountId(service.account), ingestKey };
  await prepareJournals(journal.folder, service.clock.now());
  const base = journalBase(journal.folder, key);
  const lock = await lockJournal(base, journal.host, service.clock);
  try {
    const store = journalFile(base);
    return await run(upload, { key, store, found: await store.read() });
  } finally {
    await lock.release();
  }
}

interface Kept {
  readonly key: Pick<JournalEntry, 'accountId' | 'ingestKey'>;
  readonly store: ReturnType<typeof journalFile>;
  readonly found: JournalEntry | undefined;
}

async function run(
  { request, service, access, hooks, journal }: JournaledUpload,
  { key, store, found }: Kept,
): Promise<JournaledResult> {
  const { partBytes, maxParts, ...options } = request.options;
  const { seals, again } = journal;
  const plan = (again ? undefined : found?.plan) ?? {
    ...(partBytes === undefined ? {} : { partBytes }),
    ...(maxParts === undefined ? {} : { maxParts }),
  };
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
    md5Of: ({ source, ...part }) =>
      persistently(
        { clock: service.clock, signal: hooks.signal, patienceMs: hooks.patienceMs ?? PATIENCE_MS },
        () => partMd5(openSource(access, source), part, hooks.signal),
      ),
  };
  const control = directControl(service, direct, hooks);
  return continueUpload({ ...request, options: { ...options, ...plan } }, direct, { rules, control });
}

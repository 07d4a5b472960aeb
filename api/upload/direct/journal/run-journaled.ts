import { accountId } from '../../../account/account-id';
import { MediaServiceError } from '../../../errors';
import type { Service } from '../../../service/service';
import { partMd5 } from '../../parts/part-md5';
import type { UploadProgress, UploadRequest, UploadResult } from '../../request/upload-request';
import { runUpload } from '../../run-upload';
import { openSource } from '../../sources/open-source';
import type { SourceAccess } from '../../sources/source-access';
import type { Orphan } from '../../upload-steps';
import type { DirectHooks } from '../direct-hooks';
import { createDirectSteps, directControl } from '../direct-steps';
import type { JournalEntry } from './journal-entry';
import { meaningOf } from './journal-entry';
import { lockJournal } from './journal-lock';
import { journalBase, journalFile, prepareJournals } from './journal-store';
import type { JournaledPast, UrlSeals } from './journaled-steps';
import { JournaledSteps } from './journaled-steps';

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

export interface JournaledResult {
  /** Its orphans include sessions of earlier runs that could not be continued. */
  readonly result: UploadResult;
  readonly past: JournaledPast;
}

/**
 * An upload in this process that the next run under the same ingest key continues if this one is cut off at any point: see `JournaledSteps`. The
 * journal goes when the session has ended, COMPLETED or FAILED; on every other error it stays, and the error says so. Rejects as `runUpload`,
 * and with a `Validation` error while another process uploads under this key.
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
    const found = await store.read();
    const { result, past } = await run(upload, { key, store, found });
    await store.remove();
    return { result: { ...result, orphans: [...past.abandoned, ...result.orphans] }, past };
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
  const continued = journal.again ? undefined : found;
  const plan = continued?.plan ?? {
    ...(partBytes === undefined ? {} : { partBytes }),
    ...(maxParts === undefined ? {} : { maxParts }),
  };
  const direct = createDirectSteps(service, access, hooks);
  const journaled = new JournaledSteps(direct, {
    store,
    seals: journal.seals,
    found: continued,
    about: { ...key, meaning: meaningOf(request), plan },
    searchable: service.options.ingestTag !== false,
    renewable: service.options.additionalUrls !== undefined,
    now: () => service.clock.now(),
    md5Of: (input) => partMd5(openSource(access, input.source), input, hooks.signal),
  });
  const planned = { ...request, options: { ...options, ...plan } };
  try {
    const control = directControl(service, direct, hooks);
    const result = await runUpload(planned, journaled.steps(), control);
    const past = journaled.past();
    return { result, past: { ...past, abandoned: [...replaced(journal.again, found), ...past.abandoned] } };
  } catch (error) {
    if (error instanceof MediaServiceError && error.code === 'ProcessingFailed') await store.remove();
    else if ((await store.read())?.session !== undefined) throw goesOn(error);
    throw error;
  }
}

function replaced(again: boolean, found: JournalEntry | undefined): readonly Orphan[] {
  if (!again || found?.session === undefined) return [];
  const { uploadId, mediaId } = found.session;
  return [{ uploadId, ...(mediaId === undefined ? {} : { mediaId }), reason: 'another one was asked for' }];
}

function goesOn(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const hint =
    `${error.facts.hint ?? ''} The next run under this ingest key goes on with the session.`.trim();
  return new MediaServiceError(error.code, error.message, { ...error.facts, hint }, { cause: error });
}

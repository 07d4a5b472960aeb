import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parsedJson } from '../../../json';
import { systemCodeOf } from '../../../../files/system-error';
import { isJournalEntry } from './journal-entry';
import type { JournalEntry } from './journal-entry';
import { JOURNAL, unusable } from './journal-store';

/** An upload whose file was sent completely. The service is assembling it, or has finished. */
export interface JournaledUpload extends Pick<JournalEntry, 'accountId' | 'ingestKey'> {
  readonly uploadId: string;
  /** The upload is known to have ended COMPLETED. */
  readonly completed: boolean;
  /** Epoch ms, of the clock of the folder's file system. */
  readonly changedAt: number;
}

interface ReadJournal {
  /** Changes with each write, because a journal is replaced as a whole. */
  readonly stamp: string;
  /** Undefined: its file is still being sent, or it can't be read. */
  readonly upload: JournaledUpload | undefined;
}

/** The last reading of each folder. A journal of many parts is large, and most journals no longer change. */
const readBefore = new Map<string, ReadonlyMap<string, ReadJournal>>();

/**
 * Returns the account's uploads that sent their `complete`, the earliest change first. It leaves out a damaged journal
 * or one of a newer version; the next upload under its key reports it. Rejects with a `ConfigurationError` if the
 * folder or a file in it can't be read.
 */
export async function journaledUploads(folder: string, accountId: string): Promise<JournaledUpload[]> {
  try {
    const before = readBefore.get(folder);
    const journals = new Map<string, ReadJournal>();
    for (const name of await readdir(folder)) {
      if (!name.endsWith(JOURNAL)) continue;
      const journal = await readJournal(path.join(folder, name), before?.get(name));
      if (journal !== undefined) journals.set(name, journal);
    }
    readBefore.set(folder, journals);
    return [...journals.values()]
      .flatMap(({ upload }) => upload ?? [])
      .filter((upload) => upload.accountId === accountId)
      .sort((a, b) => a.changedAt - b.changedAt);
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** Undefined if it was removed meanwhile. */
async function readJournal(file: string, before: ReadJournal | undefined): Promise<ReadJournal | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    const stamp = [ino, size, mtimeMs].join(' ');
    if (before?.stamp === stamp) return before;
    return { stamp, upload: uploadOf(parsedJson(await readFile(file, 'utf8')), mtimeMs) };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function uploadOf(entry: unknown, changedAt: number): JournaledUpload | undefined {
  if (!isJournalEntry(entry) || !entry.completeSent || entry.session === undefined) return undefined;
  const { accountId, ingestKey, session, result } = entry;
  return {
    accountId,
    ingestKey,
    uploadId: session.uploadId,
    completed: result !== undefined,
    changedAt,
  };
}

import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { parsedJson } from '../../../json';
import { whyNotPrivate } from '../../../../files/disk/private-folder';
import { writeWhole } from '../../../../files/disk/write-whole';
import { ConfigurationError } from '../../../errors';
import { systemCodeOf } from '../../../../files/system-error';
import { isJournalEntry } from './journal-entry';
import type { JournalEntry } from './journal-entry';
import { DAY_MS, HOUR_MS } from '../../../clock';

/** Stores one upload's journal. */
export interface JournalStore {
  /** Undefined if there is none. */
  read(): Promise<JournalEntry | undefined>;
  /** Once it resolves, the entry survives this process and a crash of the machine. */
  write(entry: JournalEntry): Promise<void>;
  remove(): Promise<void>;
}

export const JOURNAL = '.json';
export const WRITING = '.writing';
export const LOCK = '.lock';
/** For this long, a run under the same key gets the result. A session of the service is useless long before. */
const KEPT_MS = 30 * DAY_MS;
/** A folder may hold a month's results, and every upload checks it. */
const SWEEP_EVERY_MS = HOUR_MS;
const sweptAt = new Map<string, number>();

/** Returns the path of the journal's file without its ending. It is a hash, because an ingest key may be any text. */
export function journalBase(
  folder: string,
  { accountId, ingestKey }: Pick<JournalEntry, 'accountId' | 'ingestKey'>,
): string {
  const name = createHash('sha256')
    .update(JSON.stringify([accountId, ingestKey]))
    .digest('hex');
  return path.join(folder, name.slice(0, 32));
}

/**
 * Stores a journal as a private file (0600). A write replaces the whole file, so that a crash leaves the old or the new
 * one. Rejects with a `ConfigurationError` if the folder can't be written, or its journal can't be read.
 */
export function journalFile(base: string): JournalStore {
  const file = `${base}${JOURNAL}`;
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (systemCodeOf(error) === 'ENOENT') return undefined;
        throw unusable(path.dirname(file), error);
      });
      return text === undefined ? undefined : entryOf(text, file);
    },
    async write(entry) {
      await writeWhole({
        file,
        partial: `${path.basename(base)}.${randomUUID()}${WRITING}`,
        content: [Buffer.from(JSON.stringify(entry))],
        failed: (error) => unusable(path.dirname(file), error),
      });
    },
    remove: () => rm(file, { force: true }),
  };
}

/**
 * Creates the folder, only for this user. At most once an hour, it removes files there that are 30 days old. Rejects
 * with a `ConfigurationError`, also for a folder that every user may write to.
 */
export async function prepareJournals(folder: string, now: number): Promise<void> {
  try {
    const reason = await whyNotPrivate(folder, 'closed');
    if (reason !== undefined) throw notPrivate(folder, reason);
    if (now - (sweptAt.get(folder) ?? 0) < SWEEP_EVERY_MS) return;
    sweptAt.set(folder, now);
    for (const name of await readdir(folder)) {
      if (![JOURNAL, WRITING, LOCK].some((ending) => name.endsWith(ending))) continue;
      const file = path.join(folder, name);
      // Another process removed it.
      const changedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? now;
      if (now - changedAt > KEPT_MS) await rm(file, { force: true });
    }
  } catch (error) {
    throw unusable(folder, error);
  }
}

function entryOf(text: string, file: string): JournalEntry {
  const value = parsedJson(text);
  if (isJournalEntry(value)) return value;
  throw new ConfigurationError(
    'stateDir',
    `the journal ${file} of an earlier run can't be read`,
    'A newer version may have written it, or it is damaged. Remove the file to start a new upload session under this ingest key.',
  );
}

/** Somebody else could write a journal that an upload then continues. */
function notPrivate(folder: string, reason: string): ConfigurationError {
  return new ConfigurationError('stateDir', `the folder of journals ${folder} can't be used: ${reason}`, {
    remedy: { kind: 'set-journal-folder', shared: folder },
  });
}

export function unusable(folder: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  return new ConfigurationError('stateDir', `the folder of journals ${folder} can't be used (${code})`, {
    remedy: { kind: 'set-journal-folder' },
  });
}

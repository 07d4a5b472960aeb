import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import { shortRunId } from '../../contract/batch-ids';
import { shareFields } from '../../contract/shared-fields';
import type { EndedRow, PageInput, SessionEntry } from '../../contract/batch';

/** Keeps files far below Temporal's limit of 2 MB for a payload. */
const MAX_CHARACTERS = 384 * 1024;
/** How long the entry of an ended row may wait for others, ms. Each file is an activity. */
const ENDED_WAIT_MS = 3_000;
/** Number of microtasks in which all entries of one event arrive. */
const MICROTASKS = 60;

interface Entry {
  readonly entry: EndedRow | SessionEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes a page's journal one file at a time. Each file contains all entries that came since the previous one began. A
 * session is written at once, because its row waits for it. An ended row joins the next file, after three seconds at the
 * latest. Entries are written even after a cancellation.
 */
export class JournalWriter {
  readonly #input: PageInput;
  readonly #steps: Pick<BatchActivities, 'writeJournal'>;
  readonly #writer = shortRunId(workflowInfo().runId);
  #waiting: Entry[] = [];
  #chunk = 0;
  /** Some waiting entry must be written now. */
  #isDue = false;
  /** A timer runs, at whose end all entries are written. */
  #isTimed = false;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(input: PageInput, steps: Pick<BatchActivities, 'writeJournal'>) {
    this.#input = input;
    this.#steps = steps;
  }

  /** Resolves when the entry is written. Rejects if it can't be written. */
  add(entry: EndedRow | SessionEntry): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
    });
    if (!('status' in entry)) this.#write();
    else if (!this.#isTimed) void this.#writeLater();
    return written;
  }

  /** Resolves when everything is written. Rejects with the first failure. */
  async close(): Promise<void> {
    this.#write();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #writeLater(): Promise<void> {
    this.#isTimed = true;
    await CancellationScope.nonCancellable(() => sleep(ENDED_WAIT_MS));
    this.#isTimed = false;
    this.#write();
  }

  #write(): void {
    this.#isDue = true;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Entries of the same event go into the same file.
    for (let turn = 0; turn < MICROTASKS; turn += 1) await Promise.resolve();
    while (this.#isDue && this.#waiting.length > 0) {
      const entries = this.#nextFile();
      this.#isDue = this.#waiting.length > 0;
      try {
        if (this.#failure !== undefined) throw this.#failure.error;
        await this.#writeFile(entries.map(({ entry }) => entry));
        for (const { resolve } of entries) resolve();
      } catch (error) {
        this.#failure ??= { error };
        for (const { reject } of entries) reject(error);
      }
    }
    this.#isDue = false;
    this.#writing = undefined;
  }

  #nextFile(): Entry[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ entry }, index) => {
      characters += JSON.stringify(entry).length;
      return index > 0 && characters > MAX_CHARACTERS;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  #writeFile(entries: readonly (EndedRow | SessionEntry)[]): Promise<void> {
    const { account, batchId, folder, page, round } = this.#input;
    const chunk = this.#chunk;
    this.#chunk += 1;
    const file = { folder, page, round, writer: this.#writer, chunk };
    const ended = shareFields(entries.filter((entry) => 'status' in entry));
    const sessions = shareFields(entries.filter((entry) => !('status' in entry)));
    return CancellationScope.nonCancellable(() =>
      this.#steps.writeJournal({ accountId: account.accountId, batchId, ...file, ended, sessions }),
    );
  }
}

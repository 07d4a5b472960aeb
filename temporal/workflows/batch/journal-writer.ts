import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import { shortRunId } from '../../contract/batch-ids';
import type { AccountLine, PageInput, SessionEntry } from '../../contract/batch';

/** Files stay far below Temporal's 2 MB for a payload. */
const MAX_CHARACTERS = 384 * 1024;
/** Microtasks in which the entries that follow from one event arrive. */
const TURNS = 60;

interface Entry {
  readonly entry: AccountLine | SessionEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes a page's journal: one file at a time, each with all entries that came while the one before it was written. A cancellation keeps none from being written.
 */
export class JournalWriter {
  readonly #input: PageInput;
  readonly #steps: Pick<BatchActivities, 'writeJournal'>;
  readonly #writer = shortRunId(workflowInfo().runId);
  #waiting: Entry[] = [];
  #chunk = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(input: PageInput, steps: Pick<BatchActivities, 'writeJournal'>) {
    this.#input = input;
    this.#steps = steps;
  }

  /** Resolves once the entry is written; rejects if it can't be. */
  add(entry: AccountLine | SessionEntry): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
    });
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** Resolves when all is written; rejects with the first failure. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #writeAll(): Promise<void> {
    // What follows from the same event goes into the same file.
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
    while (this.#waiting.length > 0) {
      const entries = this.#nextFile();
      try {
        if (this.#failure !== undefined) throw this.#failure.error;
        await this.#write(entries.map(({ entry }) => entry));
        for (const { resolve } of entries) resolve();
      } catch (error) {
        this.#failure ??= { error };
        for (const { reject } of entries) reject(error);
      }
    }
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

  #write(lines: readonly (AccountLine | SessionEntry)[]): Promise<void> {
    const { account, folder, page, round } = this.#input;
    const chunk = this.#chunk;
    this.#chunk += 1;
    return CancellationScope.nonCancellable(() =>
      this.#steps.writeJournal({
        accountId: account.accountId,
        folder,
        page,
        round,
        writer: this.#writer,
        chunk,
        lines,
      }),
    );
  }
}

import { MediaServiceError } from '../../../errors';
import type { UploadResult } from '../../request/upload-request';
import type { PartInput } from '../../upload-steps';
import type { JournalEntry, JournalPart } from './journal-entry';
import type { JournalStore } from './journal-store';

/**
 * The journal of one run. It writes one entry after the other, each with everything known so far. A failed write after
 * the session began does not end this run: `failure` keeps it, and the next run may send some parts again.
 */
export class UploadJournal {
  private entry: JournalEntry | undefined;
  private writing: Promise<void> = Promise.resolve();
  failure: unknown;

  constructor(private readonly store: JournalStore) {}

  get current(): JournalEntry {
    if (this.entry !== undefined) return this.entry;
    throw new MediaServiceError('Internal', 'A step of the upload came before its session.');
  }

  /** Takes over the entry of an earlier run. */
  goOn(left: JournalEntry): void {
    this.entry = left;
  }

  /** Rejects if the journal can't be written: nothing was sent yet. */
  async begin(entry: JournalEntry): Promise<void> {
    this.entry = entry;
    await this.store.write(entry);
  }

  async sessionBegan(session: NonNullable<JournalEntry['session']>): Promise<void> {
    await this.note({ session });
  }

  /** Returns the part if exactly these bytes were sent to this session before. */
  partOf({ uploadId, partNumber, offset, bytes }: PartInput): JournalPart | undefined {
    if (this.current.session?.uploadId !== uploadId) return undefined;
    return this.current.parts.find(
      (part) => part.partNumber === partNumber && part.offset === offset && part.bytes === bytes,
    );
  }

  async partSent(uploadId: string, part: JournalPart): Promise<void> {
    if (this.current.session?.uploadId !== uploadId) return;
    const others = this.current.parts.filter(({ partNumber }) => partNumber !== part.partNumber);
    await this.note({ parts: [...others, part] });
  }

  /** From here on the URLs are useless. */
  async completing(): Promise<void> {
    const { session } = this.current;
    await this.note({
      completeSent: true,
      ...(session === undefined ? {} : { session: { ...session, urls: [] } }),
    });
  }

  /** Stores the result for the next run under this key. */
  async ended(result: UploadResult): Promise<void> {
    await this.note({ result });
  }

  private note(change: Partial<JournalEntry>): Promise<void> {
    this.entry = { ...this.current, ...change };
    this.writing = this.writing
      .then(() => this.store.write(this.current))
      .catch((error: unknown) => {
        this.failure ??= error;
      });
    return this.writing;
  }
}

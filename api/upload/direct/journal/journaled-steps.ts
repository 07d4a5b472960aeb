import { MediaServiceError } from '../../../errors';
import type { UploadResult } from '../../request/upload-request';
import { startUnknown } from '../../run/start-ambiguity';
import type { PinnedSource } from '../../sources/source';
import type {
  Orphan,
  PartInput,
  PartResult,
  PartUrl,
  StartedSession,
  StartInput,
  UploadSteps,
} from '../../upload-steps';
import { JOURNAL_SCHEMA } from './journal-entry';
import type { JournalEntry, JournalPart } from './journal-entry';
import { sessionAccepted } from './journal-failure';
import type { JournalStore } from './journal-store';
import { continuationOf } from './left-session';
import { requireSamePart } from './same-part';
import type { PartMd5 } from './same-part';
import { UploadJournal } from './upload-journal';

/** Seals pre-signed URLs before they reach a disk. */
export interface UrlSeals {
  seal(uploadId: string, url: PartUrl<string>): PartUrl;
  /**
   * Undefined if the seal does not open, because the account's secret key has changed. Such a URL counts as expired.
   */
  open(uploadId: string, url: PartUrl): PartUrl<string> | undefined;
}

export interface JournalRules {
  readonly store: JournalStore;
  readonly seals: UrlSeals;
  /** What an earlier run left; undefined: nothing. */
  readonly found: JournalEntry | undefined;
  /** Start a new session, whatever an earlier run left. */
  readonly again: boolean;
  readonly about: Pick<JournalEntry, 'accountId' | 'ingestKey' | 'meaning' | 'plan'>;
  /** The ingest tag is on: a session whose `start` lost its answer can be searched for. */
  readonly searchable: boolean;
  /** The deployment has a request for additional URLs. */
  readonly renewable: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Rejects if another process may have taken over this key. */
  readonly checkLock: () => Promise<void>;
  /** MD5 of a part of this run's source. */
  readonly md5Of: PartMd5;
}

/** What earlier runs mean for this run. */
export interface JournaledPast {
  /** This run continued their session. */
  readonly continued: boolean;
  /** Their session had been completed already, so nothing was sent. */
  readonly joined: boolean;
  /** Their sessions that could not be continued. */
  readonly abandoned: readonly Orphan[];
  /** The journal's first failure after the session began. The upload continued. */
  readonly failure: unknown;
}

/**
 * Steps that write their outcome to the journal before the next one begins, and start from what an earlier run left
 * there:
 * - A session that still accepts parts continues. The parts that it has are first compared with this run's source.
 * - A completed session is not sent again.
 * - A session is named in `past().abandoned`, and another one started, in three cases: it ended FAILED, the service
 *   does not know it, or its URLs expired and can't be replaced.
 * - A `start` without a known answer counts as ambiguous: its session is searched for before another one starts.
 *
 * They reject with `SourceChanged` or `InputDiffers` if this run would mix two uploads. The caller that learns how the
 * upload ended calls `ended`.
 */
export class JournaledSteps {
  private readonly journal: UploadJournal;
  private readonly abandoned: Orphan[] = [];
  private took: 'nothing' | 'continued' | 'joined' = 'nothing';
  private left: JournalEntry | undefined;
  private pinned: PinnedSource | undefined;

  constructor(
    private readonly inner: UploadSteps<string>,
    private readonly rules: JournalRules,
  ) {
    this.journal = new UploadJournal(rules.store);
    if (rules.again) this.abandoned.push(...replaced(rules.found));
    else this.left = rules.found;
  }

  /** Writes the upload's result to the journal. If that fails, the error is in `past().failure`. */
  ended(result: UploadResult): Promise<void> {
    return this.journal.ended(result);
  }

  past(): JournaledPast {
    return {
      continued: this.took === 'continued',
      joined: this.took === 'joined',
      abandoned: this.abandoned,
      failure: this.journal.failure,
    };
  }

  steps(): UploadSteps<string> {
    const { inner, journal } = this;
    return {
      ...inner,
      pinSource: async (input) => (this.pinned = await inner.pinSource(input)),
      startSession: (input) => this.startSession(input),
      sendPart: (input) => this.sendPart(input),
      completeSession: async (input) => {
        const mayHaveBeenSent = input.mayHaveBeenSent === true || journal.current.completeSent;
        await journal.completing();
        await this.rules.checkLock();
        return inner.completeSession({ ...input, mayHaveBeenSent });
      },
    };
  }

  private async startSession(input: StartInput): Promise<StartedSession<string>> {
    const { left } = this;
    this.left = undefined;
    this.took = 'nothing';
    if (left?.session !== undefined) {
      const taken = await this.take(left, left.session, input.amountOfParts);
      if (taken !== undefined) return taken;
    } else if (left !== undefined) {
      const { searchable, store } = this.rules;
      // Without a search, the upload ends here. Removing the journal lets the next run start a session.
      if (!searchable) await store.remove();
      throw startUnknown(searchable);
    }
    return this.startAgain(input);
  }

  private async take(
    left: JournalEntry,
    session: NonNullable<JournalEntry['session']>,
    amountOfParts: number,
  ): Promise<StartedSession<string> | undefined> {
    const { seals, about, renewable, now } = this.rules;
    const next = await continuationOf(this.inner, {
      left,
      session,
      urls: session.urls.flatMap((url) => seals.open(session.uploadId, url) ?? []),
      pinned: this.pinned,
      meaning: about.meaning,
      amountOfParts,
      renewable,
      now: now(),
    });
    if (next.kind === 'abandoned') {
      this.abandoned.push(next.orphan);
      return undefined;
    }
    this.took = next.kind;
    this.journal.goOn(left);
    return next.session;
  }

  private async startAgain(input: StartInput): Promise<StartedSession<string>> {
    const { about, seals, store } = this.rules;
    const { amountOfParts } = input;
    const bytes = this.pinned?.bytes ?? 0;
    await this.journal.begin({
      schema: JOURNAL_SCHEMA,
      ...about,
      bytes,
      amountOfParts,
      parts: [],
      completeSent: false,
    });
    // The write may have taken long.
    await this.rules.checkLock();
    try {
      const { urls, ...session } = await this.inner.startSession(input);
      const { uploadId, mediaId } = session;
      await this.journal.sessionBegan({
        uploadId,
        ...(mediaId === undefined ? {} : { mediaId }),
        urls: urls.map((url) => seals.seal(uploadId, url)),
      });
      return { ...session, urls };
    } catch (error) {
      if (madeNoSession(error)) await store.remove();
      throw error;
    }
  }

  private async sendPart(input: PartInput<string>): Promise<PartResult> {
    const done = this.journal.partOf(input);
    const { uploadId, offset, source } = input;
    if (done !== undefined) {
      await requireSamePart(done, { uploadId, source, md5Of: this.rules.md5Of });
      return resultOf(done);
    }
    if (this.took === 'joined') throw sessionAccepted(uploadId);
    const sent = await this.inner.sendPart({ ...input, keepMd5: true });
    const part = { ...sent, md5: digestOf(sent), offset, fingerprint: source.fingerprint };
    await this.journal.partSent(uploadId, part);
    return resultOf(part);
  }
}

function digestOf({ md5, partNumber }: PartResult): string {
  if (md5 !== undefined) return md5;
  throw new MediaServiceError('Internal', `Part ${partNumber} was sent without a digest for the journal.`);
}

/** As without a journal: the digest is only for the next run. */
function resultOf({ partNumber, eTag, verified, bytes, attempts, ms }: JournalPart): PartResult {
  return { partNumber, eTag, verified, bytes, attempts, ms };
}

/** If the caller asks for another session, an earlier session without a result stays behind. */
function replaced(found: JournalEntry | undefined): readonly Orphan[] {
  if (found?.session === undefined || found.result !== undefined) return [];
  const { uploadId, mediaId } = found.session;
  return [{ uploadId, ...(mediaId === undefined ? {} : { mediaId }), reason: 'a new session was requested' }];
}

/** A refusal, or a request that was never sent. */
function madeNoSession(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { outcome, details } = error.facts;
  return (outcome === 'refused' || outcome === 'unsent') && details?.['uploadId'] === undefined;
}

import { continueUpload } from '../../../../../../api/upload/direct/journal/continue-upload';
import type { JournaledResult } from '../../../../../../api/upload/direct/journal/continue-upload';
import { meaningOf } from '../../../../../../api/upload/direct/journal/journal-entry';
import type { JournalEntry } from '../../../../../../api/upload/direct/journal/journal-entry';
import type { JournalRules } from '../../../../../../api/upload/direct/journal/journaled-steps';
import type { UploadRequest } from '../../../../../../api/upload/request/upload-request';
import type { UploadSession } from '../../../../../../api/upload/session/session';
import type { PartInput, UploadSteps } from '../../../../../../api/upload/upload-steps';
import { MediaServiceError } from '../../../../../../api/errors';
import { fakeControl, FakeSteps, PART_BYTES, requestOf } from '../../fake-steps';

export const PARTS = 3;

/** Thrown where the process ends. */
export class Killed extends Error {}

interface KillableSession {
  readonly uploadId: string;
  status: string;
  /** The content that was sent for each part. */
  readonly parts: Map<number, string>;
}

export interface RunOptions {
  /** Kill point at which the process is killed (1 = the first). Unset: never. */
  readonly killAt?: number;
  readonly request?: Partial<UploadRequest>;
  readonly renewable?: boolean;
  readonly searchable?: boolean;
  readonly again?: boolean;
}

/**
 * A service and a disk that outlive the uploading processes. Each process can be killed before or after any of its
 * effects.
 */
export class KillableService {
  readonly sessions: KillableSession[] = [];
  readonly completes: string[] = [];
  /** Parts that reached storage, as `session/part`. */
  readonly puts: string[] = [];
  entry: JournalEntry | undefined;
  private readonly written = new Set<string>();
  /** Content of the source. The content of a part is this and its number. */
  content = 'film';
  bytes = PARTS * PART_BYTES;
  /** The folder from which this run reads the source. It only affects the fingerprint. */
  folder = '';
  /** Whether another process holds the lock by now. Unset: never. */
  lockLost: ((service: KillableService) => boolean) | undefined;
  /** Whether storage returns the MD5 of the content as ETag. */
  verifies = true;
  urlEnd: number | undefined;
  private left = Number.POSITIVE_INFINITY;
  private dead = false;

  /** Runs one process. Rejects with `Killed`, or as its upload ends. */
  async run({
    killAt,
    request,
    renewable = true,
    searchable = true,
    again = false,
  }: RunOptions = {}): Promise<JournaledResult> {
    this.left = killAt ?? Number.POSITIVE_INFINITY;
    this.dead = false;
    const whole = { ...requestOf({ concurrency: 2 }), ...request };
    const { ingestKey } = whole;
    const rules: JournalRules = {
      store: {
        read: async () => this.entry,
        write: (entry) =>
          this.atomic(() => {
            this.entry = structuredClone(entry);
            if (entry.session !== undefined) this.written.add(entry.session.uploadId);
          }),
        remove: () => this.atomic(() => void (this.entry = undefined)),
      },
      seals: {
        seal: (_uploadId, url) => ({ ...url, url: { sealed: url.url } }),
        open: (_uploadId, url) => ({ ...url, url: 'opened' }),
      },
      found: this.entry,
      again,
      about: { accountId: 'a', ingestKey, meaning: meaningOf(whole), plan: {} },
      searchable,
      renewable,
      now: () => 0,
      checkLock: async () => {
        if (this.lockLost?.(this)) throw new Error('the lock is lost');
      },
      md5Of: async ({ offset }) => this.eTagOf({ partNumber: 1 + Math.floor(offset / PART_BYTES) }),
    };
    try {
      const control = fakeControl(new FakeSteps(0));
      const ended = await continueUpload(whole, this.steps(), { rules, control });
      if (this.isDead()) throw new Killed();
      return ended;
    } catch (error) {
      throw this.isDead() ? new Killed() : error;
    }
  }

  /** Number of sessions whose ID no process ever recorded. */
  get lost(): number {
    return this.sessions.filter(({ uploadId }) => !this.written.has(uploadId)).length;
  }

  private isDead(): boolean {
    return this.dead;
  }

  private eTagOf({ partNumber }: { readonly partNumber: number }): string {
    return `${this.content}-${partNumber}`;
  }

  private sessionOf(uploadId: string): KillableSession {
    const session = this.sessions.find((one) => one.uploadId === uploadId);
    if (session !== undefined) return session;
    throw new MediaServiceError('RequestRefused', 'no such session', {
      operation: 'upload session status',
      status: 404,
      outcome: 'refused',
    });
  }

  /** An effect with a kill point before and after it. */
  private async atomic<T>(effect: () => T): Promise<T> {
    this.boundary();
    const value = effect();
    this.boundary();
    return value;
  }

  private boundary(): void {
    if (this.dead) throw new Killed();
    this.left -= 1;
    if (this.left > 0) return;
    this.dead = true;
    throw new Killed();
  }

  private steps(): UploadSteps<string> {
    const read = (uploadId: string): UploadSession => ({
      uploadId,
      status: this.sessionOf(uploadId).status,
      parts: [],
      raw: {},
    });
    return {
      pinSource: async ({ source }) => ({
        source,
        bytes: this.bytes,
        fingerprint: this.content + this.folder,
        fileName: 'film.mp4',
      }),
      startSession: ({ amountOfParts }) =>
        this.atomic(() => {
          const uploadId = `upload-${this.sessions.length + 1}`;
          this.sessions.push({ uploadId, status: 'INITIALIZED', parts: new Map() });
          const end = this.urlEnd === undefined ? {} : { expiresAt: this.urlEnd };
          const numbers = Array.from({ length: amountOfParts }, (_, index) => index + 1);
          const urls = numbers.map((partNumber) => ({ partNumber, url: 'plain', ...end }));
          return { uploadId, urls, renewable: true };
        }),
      awaitUploadHost: async () => {
        if (this.dead) throw new Killed();
      },
      findOrphans: async ({ known }) => {
        if (this.dead) throw new Killed();
        const unknown = this.sessions.filter(({ uploadId }) => !known.includes(uploadId));
        return {
          orphans: unknown.map(({ uploadId }) => ({ uploadId, reason: 'lost' })),
          verifiable: true,
        };
      },
      sendPart: (input: PartInput<string>) =>
        this.atomic(() => {
          const { uploadId, partNumber, bytes } = input;
          this.puts.push(`${uploadId}/${partNumber}`);
          this.sessionOf(uploadId).parts.set(partNumber, this.eTagOf(input));
          const sent = { partNumber, bytes, attempts: 1, ms: 1 };
          const md5 = input.keepMd5 === true ? { md5: this.eTagOf(input) } : {};
          if (this.verifies) return { ...sent, ...md5, eTag: this.eTagOf(input), verified: true };
          return { ...sent, ...md5, eTag: `unlike-${this.eTagOf(input)}`, verified: false };
        }),
      completeSession: ({ uploadId, parts, mayHaveBeenSent }) =>
        this.atomic(() => {
          const session = this.sessionOf(uploadId);
          if (session.status !== 'COMPLETED') {
            this.completes.push(`${uploadId}:${parts.map(({ eTag }) => eTag).join()}`);
            session.status = 'COMPLETED';
          } else if (mayHaveBeenSent !== true) throw new Error('complete was sent twice, unawares');
          return { ...read(uploadId), status: 'PENDING_COMPLETE' };
        }),
      pollSession: ({ uploadId }) => this.atomic(() => read(uploadId)),
      readSession: ({ uploadId }) => this.atomic(() => read(uploadId)),
      releaseSource: async () => undefined,
    };
  }
}

import { ConfigurationError } from '../../../../../api/errors';
import type { ErrorCode, ErrorFacts, MediaServiceError } from '../../../../../api/errors';
import { given } from '../../../../../api/json';
import type { UploadOptions } from '../../../../../api/options/upload-options';
import { READ_SESSION } from '../../../../../api/upload/protocol/session';
import type { EarlierSession, PartInput, UploadSteps } from '../../../../../api/upload/types';
import { failureOf } from '../failure-of';
import { begin, failure, FakeSteps, PART_BYTES, sessionOf } from '../fake-steps';

const BYTES = 3 * PART_BYTES;
const IDENTITY = `s3;bytes=${BYTES};etag="a"`;
const kept = (partNumber: number) => ({ partNumber, eTag: `kept-${partNumber}`, verified: true });
/** A session of three parts, two of which were sent. */
const EARLIER: EarlierSession = {
  ...{ uploadId: 'upload-0', mediaId: 'media-0', fileName: 'film.mp4', fileType: 'MP4' },
  ...{ bytes: BYTES, identity: IDENTITY, partBytes: PART_BYTES, parts: [kept(1), kept(3)] },
};

interface Continued {
  readonly earlier?: EarlierSession;
  /** What a read of the earlier session shows: its status, an error, or more. Default: PARTIAL. */
  readonly reads?: string | MediaServiceError | ReturnType<typeof sessionOf>;
  readonly givesUrls?: boolean;
  readonly identity?: string;
  readonly options?: UploadOptions;
  readonly startPending?: true;
  /** Why a part is not sent. */
  readonly part?: (input: PartInput) => MediaServiceError | undefined;
  readonly steps?: Partial<UploadSteps>;
}

/** An upload that an earlier run began. Every step of it succeeds at once unless it is replaced. */
function continued({ earlier = EARLIER, reads = 'PARTIAL', ...of }: Continued) {
  const { givesUrls = true, identity = IDENTITY, startPending } = of;
  const { bytes } = earlier;
  const steps = new FakeSteps(bytes, {
    readSession: async ({ uploadId }) => {
      if (reads instanceof Error) throw reads;
      return { ...(typeof reads === 'string' ? sessionOf(reads, { uploadId }) : reads), givesUrls };
    },
    pinSource: async () => ({
      source: { kind: 's3', bucket: 'films', key: 'film.mp4' },
      ...{ bytes, fingerprint: identity, fileName: 'film.mp4' },
    }),
    ...of.steps,
  });
  const sent: string[] = [];
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const error = of.part?.(input);
    const result = put(input);
    sent.push(`${input.uploadId} ${input.partNumber} ${input.bytes / PART_BYTES}`);
    if (error === undefined) steps.running.at(-1)?.succeed();
    else steps.running.at(-1)?.fail(error);
    return result;
  };
  const more = { earlier, ...given({ startPending }) };
  return { steps, sent, ...begin(steps, { concurrency: 1, ...of.options }, more) };
}

const refused = (code: ErrorCode, facts: ErrorFacts = {}): MediaServiceError =>
  failure(code, { outcome: 'refused', ...facts });

const ofEarlier = (error: MediaServiceError) => (input: { readonly uploadId: string }) =>
  input.uploadId === EARLIER.uploadId ? error : undefined;
const completing = (error: MediaServiceError): Partial<UploadSteps> => ({
  completeSession: async (input) => {
    const why = ofEarlier(error)(input);
    if (why !== undefined) throw why;
    return sessionOf('PENDING_COMPLETE', { uploadId: input.uploadId });
  },
});
const ENDING_FAILED: Partial<UploadSteps> = {
  pollSession: async ({ uploadId }) =>
    uploadId === EARLIER.uploadId
      ? sessionOf('FAILED', { uploadId, failureReason: 'no such upload' })
      : sessionOf('COMPLETED', { uploadId }),
};
/** It is processed, and the service does not say how that ends. */
const processing = (error: MediaServiceError): Continued => ({
  reads: 'PENDING_COMPLETE',
  steps: { pollSession: () => Promise.reject(error) },
});
const SIZE = `s3;bytes=${BYTES}`;
const REFUSED = refused('RequestRefused', { status: 400 });
const UNKNOWN = { status: 404, operation: READ_SESSION } as const;
const NOT_KNOWN = refused('RequestRefused', UNKNOWN);
const NO_UPLOAD = refused('SessionGone');
const NO_URLS = new ConfigurationError('additionalUrls', 'additionalUrls is not set');
const FORBIDDEN = refused('RequestRefused', { operation: READ_SESSION, status: 403 });
const UNREADABLE = refused('UnreadableAnswer', { operation: READ_SESSION, status: 200 });
const OUTAGE = failure('Transport', { outcome: 'ambiguous' });
const MAYBE_KNOWN = failure('RequestRefused', { ...UNKNOWN, outcome: 'ambiguous' });
/** A gateway's answer in place of the service's, or of storage's. */
const PAGE = refused('RequestRefused', { ...UNKNOWN, details: { passing: true, permanent: false } });
const PAGE_OF_STORAGE = refused('StorageRefused', { details: { permanent: false } });
const { parts: _parts, ...NO_PARTS } = EARLIER;
const { partBytes: _partBytes, ...NO_PLAN } = EARLIER;
const { identity: _identity, ...NO_IDENTITY } = EARLIER;

const OTHER_PLAN = { partBytes: 2 * PART_BYTES, maxParts: 2 };
const withParts = (...parts: number[]): Continued => ({ earlier: { ...EARLIER, parts: parts.map(kept) } });
const ALL_SENT = withParts(3, 2, 1);
const NO_FILE = { pinSource: () => Promise.reject(failure('SourceMissing', { outcome: 'unsent' })) };

describe('an upload whose earlier run left a session', () => {
  it('returns the result of a completed session and sends nothing', async () => {
    const fileUrl = 'https://files.example.com/film.mp4';
    const { upload, steps } = continued({ reads: sessionOf('COMPLETED', { uploadId: 'upload-0', fileUrl }) });
    expect(await upload).toMatchObject({
      ...{ uploadId: 'upload-0', mediaId: 'media-0', status: 'COMPLETED', earlier: true, orphans: [] },
      ...{ fileUrl, fileName: 'film.mp4', bytes: BYTES },
    });
    expect(steps.calls).toEqual(['pin', 'read', 'release']);
  });

  it('says that a start without an answer was not searched for, if it needs no other', async () => {
    const { upload } = continued({ reads: 'COMPLETED', startPending: true });
    expect((await upload).orphansVerifiable).toBe(false);
  });

  it('waits for the end of a session that the service is still processing', async () => {
    const { upload, steps } = continued({ reads: 'PENDING_COMPLETE' });
    expect(await upload).toMatchObject({ uploadId: 'upload-0', earlier: true });
    expect(steps.calls).toEqual(['pin', 'read', 'poll', 'release']);
  });

  it('after a FAILED session sends parts of the size that it asks for itself', async () => {
    const { upload, sent } = continued({ reads: 'FAILED', options: { partBytes: 2 * PART_BYTES } });
    expect((await upload).earlier).toBeUndefined();
    expect(sent).toEqual(['upload-1 1 2', 'upload-1 2 1']);
  });

  it('uploads other content without reading the session', async () => {
    const { upload, steps } = continued({ reads: 'COMPLETED', identity: `s3;bytes=${BYTES};etag="b"` });
    expect(await upload).toMatchObject({ uploadId: 'upload-1', orphans: [] });
    expect(steps.calls).not.toContain('read');
  });

  it('returns the result of a completed session even if the file is gone', async () => {
    const { upload } = continued({ reads: 'COMPLETED', steps: NO_FILE });
    expect(await upload).toMatchObject({ uploadId: 'upload-0', fileName: 'film.mp4', earlier: true });
  });

  it('fails for a missing file if the session was never completed, and names the session', async () => {
    const error = await failureOf(continued({ steps: NO_FILE }).upload);
    expect(error.code).toBe('SourceMissing');
    expect(error.facts.details?.['orphans']).toContain(EARLIER.uploadId);
  });

  it.each<[string, Continued, sent: readonly number[], eTags: string]>([
    ['the missing part, with its kept parts', {}, [2], 'kept-1 etag-2 kept-3'],
    ['every part if none is known to be there', { earlier: NO_PARTS }, [1, 2, 3], 'etag-1 etag-2 etag-3'],
    ['parts of its own plan, not of another', { options: OTHER_PLAN }, [2], 'kept-1 etag-2 kept-3'],
    ['what is missing in its plan, whatever else is known', withParts(4, 2), [1, 3], 'etag-1 kept-2 etag-3'],
    ['nothing if all is there, without URLs', { ...ALL_SENT, givesUrls: false }, [], 'kept-1 kept-2 kept-3'],
  ])('sends into it %s, and completes it', async (_what, of, numbers, eTags) => {
    const { upload, steps, sent } = continued(of);
    const result = await upload;
    expect(sent).toEqual(numbers.map((number) => `upload-0 ${number} 1`));
    expect(steps.completed.map(({ uploadId }) => uploadId)).toEqual(['upload-0']);
    expect(steps.completed[0]?.parts.map(({ eTag }) => eTag).join(' ')).toBe(eTags);
    expect(result).toMatchObject({ uploadId: 'upload-0', mediaId: 'media-0', orphans: [] });
    expect(result.earlier).toBeUndefined();
    expect(steps.calls).not.toContain('start');
  });

  it('counts the kept parts as done from the beginning, and as sent without a try in the result', async () => {
    const { upload, control } = continued({});
    const { parts, retries } = await upload;
    const uploading = control.progress.find(({ phase }) => phase === 'uploading');
    const done = { partsTotal: 3, partsDone: 2, bytesDone: 2 * PART_BYTES, retries: 0 };
    expect(uploading).toMatchObject(done);
    expect(parts.map(({ attempts }) => attempts)).toEqual([0, 2, 0]);
    expect([parts[0], retries]).toEqual([{ ...kept(1), bytes: PART_BYTES, attempts: 0, ms: 0 }, 1]);
  });

  const FAILED = 'it ended FAILED: no such upload';
  const LEFT = 'an earlier run of this upload left it';
  const GONE = 'the service no longer knew it';
  const notContinued = ({ message }: Error): string => `it could not be continued: ${message}`;
  it.each<[string, Continued, inEarlier: number, reason: string]>([
    ['no part can get a URL', { givesUrls: false }, 0, LEFT],
    ['its plan is unknown', { earlier: NO_PLAN }, 0, LEFT],
    ['its content is unknown', { earlier: NO_IDENTITY }, 0, LEFT],
    ['only its size is known', { earlier: { ...EARLIER, identity: SIZE }, identity: SIZE }, 0, LEFT],
    ['a part can request no URL', { part: ofEarlier(NO_URLS) }, 1, notContinued(NO_URLS)],
    ['storage does not know it', { part: ofEarlier(NO_UPLOAD) }, 1, notContinued(NO_UPLOAD)],
    ['the service gives no URL for it', { part: ofEarlier(REFUSED) }, 1, notContinued(REFUSED)],
    ['its complete is refused', { steps: completing(REFUSED) }, 1, notContinued(REFUSED)],
    ['the service does not know it before complete', { steps: completing(NOT_KNOWN) }, 1, GONE],
    ['it ends FAILED', { steps: ENDING_FAILED }, 1, FAILED],
    ['it ends FAILED while it is processed', { reads: 'PENDING_COMPLETE', steps: ENDING_FAILED }, 0, FAILED],
    ['it has ended FAILED', { reads: sessionOf('FAILED', { failureReason: 'no such upload' }) }, 0, FAILED],
    ['the service does not know it', { reads: NOT_KNOWN }, 0, GONE],
  ])('sends all parts into one new session if %s', async (_why, of, inEarlier, reason) => {
    const { upload, steps, sent } = continued(of);
    const result = await upload;
    const orphans = [{ uploadId: 'upload-0', mediaId: 'media-0', reason }];
    expect(result).toMatchObject({ uploadId: 'upload-1', orphans, retries: 3 });
    expect(sent.slice(inEarlier)).toEqual(['upload-1 1 1', 'upload-1 2 1', 'upload-1 3 1']);
    expect(steps.completed.at(-1)?.parts.map(({ eTag }) => eTag)).toEqual(['etag-1', 'etag-2', 'etag-3']);
    expect(steps.sessions).toBe(1);
  });

  it('starts no second new session if that one is lost, too', async () => {
    const { upload, steps } = continued({ part: () => NO_UPLOAD });
    const error = await failureOf(upload);
    expect(error).toMatchObject({
      code: 'SessionGone',
      facts: { details: { uploadId: 'upload-1', orphans: expect.stringContaining('upload-0') } },
    });
    expect(steps.sessions).toBe(1);
  });

  it('says nothing of the complete of the session that it left', async () => {
    const { upload } = continued({
      part: ({ uploadId }) => (uploadId === 'upload-1' ? failure('Cancelled') : undefined),
      steps: completing(REFUSED),
    });
    expect((await failureOf(upload)).message).toBe('the upload was cancelled');
  });

  it.each<[string, Continued, MediaServiceError['code']]>([
    ['it is cancelled again', { part: () => failure('Cancelled') }, 'Cancelled'],
    ['a part fails temporarily for too long', { part: () => OUTAGE }, 'Transport'],
    [
      'a gateway answers a part in place of storage for too long',
      { part: () => PAGE_OF_STORAGE },
      'StorageRefused',
    ],
    ['its file changes', { part: () => failure('SourceChanged', { outcome: 'refused' }) }, 'SourceChanged'],
    ["a gateway's page is the answer to a request for URLs", { part: () => PAGE }, 'RequestRefused'],
    ["a gateway's page is the answer to its read for too long", { reads: PAGE }, 'RequestRefused'],
    ['complete loses its answer', { steps: completing(OUTAGE) }, 'Transport'],
    ['it is processed, and nobody may read how it ended', processing(FORBIDDEN), 'RequestRefused'],
    ['it is processed, and nobody can read how it ended', processing(UNREADABLE), 'UnreadableAnswer'],
    ['its status does not show whether complete arrived', { reads: 'RESTING' }, 'CompleteAmbiguous'],
    [
      'it is unknown after a complete that may have come',
      { steps: completing(MAYBE_KNOWN) },
      'RequestRefused',
    ],
  ])('ends, names the session and starts no other if %s', async (_why, of, code) => {
    const { upload, steps } = continued(of);
    const error = await failureOf(upload);
    expect([error.code, error.facts.details?.['uploadId']]).toEqual([code, 'upload-0']);
    expect(error.facts.details?.['orphans']).toBeUndefined();
    expect(steps.sessions).toBe(0);
  });

  it('reports each session before anything is sent into it, with what continues it', async () => {
    const { upload, control } = continued({ part: ofEarlier(NO_UPLOAD) });
    await upload;
    expect(control.sessions).toEqual([NO_PARTS, { ...NO_PARTS, uploadId: 'upload-1', mediaId: 'media-1' }]);
  });
});

import { ConfigurationError } from '../../../../../api/errors';
import type { MediaServiceError } from '../../../../../api/errors';
import { READ_SESSION } from '../../../../../api/upload/protocol/session';
import type { UploadSteps } from '../../../../../api/upload/types';
import { failureOf } from '../failure-of';
import { failure, PART_BYTES, sessionOf } from '../fake-steps';
import { BYTES, continued, EARLIER, kept, refused } from './continued';
import type { Continued } from './continued';

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
const { parts: _parts, ...NO_PARTS } = EARLIER;
const { partBytes: _partBytes, ...NO_PLAN } = EARLIER;
const { identity: _identity, ...NO_IDENTITY } = EARLIER;

describe('an upload whose earlier run left an open session', () => {
  it.each<[string, Continued, sent: readonly number[], eTags: string]>([
    ['the missing part, with its kept parts', {}, [2], 'kept-1 etag-2 kept-3'],
    ['every part if none is known to be there', { earlier: NO_PARTS }, [1, 2, 3], 'etag-1 etag-2 etag-3'],
    [
      'parts of its own plan, whatever the options say now',
      { options: { partBytes: 2 * PART_BYTES, maxParts: 2 } },
      [2],
      'kept-1 etag-2 kept-3',
    ],
    [
      'nothing if all parts are there, which needs no URL',
      { earlier: { ...EARLIER, parts: [kept(3), kept(2), kept(1)] }, givesUrls: false },
      [],
      'kept-1 kept-2 kept-3',
    ],
    [
      'what is missing in the plan, which a further part does not change',
      { earlier: { ...EARLIER, parts: [kept(4), kept(2)] } },
      [1, 3],
      'etag-1 kept-2 etag-3',
    ],
  ])('sends into it %s, and completes it', async (_what, of, numbers, eTags) => {
    const { upload, steps, sent } = continued(of);
    const result = await upload();
    expect(sent).toEqual(numbers.map((number) => `upload-0 ${number} 1`));
    expect(steps.completed.map(({ uploadId }) => uploadId)).toEqual(['upload-0']);
    expect(steps.completed[0]?.parts.map(({ eTag }) => eTag).join(' ')).toBe(eTags);
    expect(result).toMatchObject({
      uploadId: 'upload-0',
      mediaId: 'media-0',
      status: 'COMPLETED',
      orphans: [],
    });
    expect(result.earlier).toBeUndefined();
    expect(steps.calls).not.toContain('start');
  });

  it('counts the kept parts as done from the beginning, and as sent without a try in the result', async () => {
    const parts = Array.from({ length: 120 }, (_, index) => kept(index + 1)).filter(
      (one) => one.partNumber !== 60,
    );
    const { upload, control, sent } = continued({ earlier: { ...EARLIER, bytes: 120 * PART_BYTES, parts } });
    const result = await upload();
    expect(sent).toEqual(['upload-0 60 1']);
    const uploading = control.progress.find(({ phase }) => phase === 'uploading');
    expect(uploading).toMatchObject({
      partsTotal: 120,
      partsDone: 119,
      bytesDone: 119 * PART_BYTES,
      retries: 0,
    });
    expect(result.retries).toBe(1);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual(
      Array.from({ length: 120 }, (_, index) => (index === 59 ? 2 : 0)),
    );
    expect(result.parts[0]).toEqual({ ...kept(1), bytes: PART_BYTES, attempts: 0, ms: 0 });
  });

  it.each<[string, Continued, inEarlier: number, reason: string]>([
    ['no part can get a URL', { givesUrls: false }, 0, 'an earlier run of this upload left it'],
    ['its plan is unknown', { earlier: NO_PLAN }, 0, 'an earlier run of this upload left it'],
    ['its content is unknown', { earlier: NO_IDENTITY }, 0, 'an earlier run of this upload left it'],
    [
      'only the size of its content is known',
      { earlier: { ...EARLIER, identity: `s3;bytes=${BYTES}` }, identity: `s3;bytes=${BYTES}` },
      0,
      'an earlier run of this upload left it',
    ],
    [
      'the worker of a part can request no URL',
      { part: ofEarlier(new ConfigurationError('additionalUrls', 'additionalUrls is not set')) },
      1,
      'it could not be continued: additionalUrls is not set',
    ],
    [
      'storage no longer knows it',
      { part: ofEarlier(refused('SessionGone')) },
      1,
      'it could not be continued: failed as SessionGone',
    ],
    [
      'the service gives no URL for it',
      { part: ofEarlier(refused('RequestRefused', { status: 400 })) },
      1,
      'it could not be continued: failed as RequestRefused',
    ],
    [
      'its complete is refused',
      { steps: completing(refused('RequestRefused', { status: 400 })) },
      1,
      'it could not be continued: failed as RequestRefused',
    ],
    [
      'the service no longer knows it before complete',
      { steps: completing(refused('RequestRefused', { status: 404, operation: READ_SESSION })) },
      1,
      'the service no longer knew it',
    ],
    ['it ends FAILED', { steps: ENDING_FAILED }, 1, 'it ended FAILED: no such upload'],
    [
      'it ends FAILED while the service processes it',
      { reads: 'PENDING_COMPLETE', steps: ENDING_FAILED },
      0,
      'it ended FAILED: no such upload',
    ],
    [
      'it has ended FAILED',
      { reads: sessionOf('FAILED', { failureReason: 'no video' }) },
      0,
      'it ended FAILED: no video',
    ],
    [
      'the service does not know it',
      { reads: refused('RequestRefused', { status: 404, operation: READ_SESSION }) },
      0,
      'the service no longer knew it',
    ],
  ])('sends all parts into one new session if %s', async (_why, of, inEarlier, reason) => {
    const { upload, steps, sent } = continued(of);
    const result = await upload();
    expect(result).toMatchObject({
      uploadId: 'upload-1',
      orphans: [{ uploadId: 'upload-0', mediaId: 'media-0', reason }],
      retries: 3,
    });
    expect(sent.slice(inEarlier)).toEqual(['upload-1 1 1', 'upload-1 2 1', 'upload-1 3 1']);
    expect(steps.completed.at(-1)?.parts.map(({ eTag }) => eTag)).toEqual(['etag-1', 'etag-2', 'etag-3']);
    expect(steps.sessions).toBe(1);
  });

  it('starts no second new session if that one is lost, too', async () => {
    const { upload, steps } = continued({ part: () => refused('SessionGone') });
    const error = await failureOf(upload());
    expect(error).toMatchObject({
      code: 'SessionGone',
      facts: { details: { uploadId: 'upload-1', orphans: expect.stringContaining('upload-0') } },
    });
    expect(steps.sessions).toBe(1);
  });

  it('says nothing of the complete of the session that it left', async () => {
    const { upload } = continued({
      part: ({ uploadId }) => (uploadId === 'upload-1' ? failure('Cancelled') : undefined),
      steps: completing(refused('RequestRefused', { status: 400 })),
    });
    expect((await failureOf(upload())).message).toBe('the upload was cancelled');
  });

  const OUTAGE = failure('Transport', { outcome: 'ambiguous' });
  it.each<[string, Continued, MediaServiceError['code']]>([
    ['it is cancelled again', { part: () => failure('Cancelled') }, 'Cancelled'],
    ['a part fails temporarily for too long', { part: () => OUTAGE }, 'Transport'],
    [
      'a gateway answers a part in place of storage for too long',
      { part: () => refused('StorageRefused', { details: { permanent: false } }) },
      'StorageRefused',
    ],
    ['its file changes', { part: () => failure('SourceChanged', { outcome: 'refused' }) }, 'SourceChanged'],
    [
      "a gateway's page is the answer to a request for URLs",
      { part: () => refused('RequestRefused', { status: 404, details: { passing: true } }) },
      'RequestRefused',
    ],
    ['complete loses its answer', { steps: completing(OUTAGE) }, 'Transport'],
    [
      'the service processes it, and refuses to say how it ended',
      processing(refused('RequestRefused', { operation: READ_SESSION, status: 403 })),
      'RequestRefused',
    ],
    [
      'the service processes it, and answers what nobody can read',
      processing(refused('UnreadableAnswer', { operation: READ_SESSION, status: 200 })),
      'UnreadableAnswer',
    ],
    ['its status does not show whether complete arrived', { reads: 'RESTING' }, 'CompleteAmbiguous'],
    [
      'the service no longer knows it after a complete that may have arrived',
      {
        steps: completing(
          failure('RequestRefused', { status: 404, operation: READ_SESSION, outcome: 'ambiguous' }),
        ),
      },
      'RequestRefused',
    ],
  ])('ends, names the session and starts no other if %s', async (_why, of, code) => {
    const { upload, steps } = continued(of);
    const error = await failureOf(upload());
    expect([error.code, error.facts.details?.['uploadId']]).toEqual([code, 'upload-0']);
    expect(error.facts.details?.['orphans']).toBeUndefined();
    expect(steps.sessions).toBe(0);
  });

  it('reports each session before anything is sent into it, with what continues it', async () => {
    const { upload, sessions } = continued({ part: ofEarlier(refused('SessionGone')) });
    await upload();
    expect(sessions).toEqual([NO_PARTS, { ...NO_PARTS, uploadId: 'upload-1', mediaId: 'media-1' }]);
  });
});

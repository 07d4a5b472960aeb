import type { JsonValue } from '../../../../../api/json';
import { parseSession } from '../../../../../api/upload/protocol/session';
import { thrownBy } from '../failure-of';

const parse = (value: JsonValue): ReturnType<typeof parseSession> =>
  parseSession(value, { operation: 'upload session status', uploadId: 'u-1' });

describe('an upload session', () => {
  it.each<[string, JsonValue]>([
    ['flat', { uploadId: 'u-1', mediaId: 'm-1', status: 'partial' }],
    ['wrapped', { data: { upload_id: 'u-1', MediaId: 'm-1', Status: 'Partial' } }],
    ['without its own id', { session: { mediaId: 'm-1', status: 'PARTIAL' } }],
  ])('can be read if it is %s', (_shape, value) => {
    expect(parse(value)).toMatchObject({ uploadId: 'u-1', mediaId: 'm-1', status: 'PARTIAL', parts: [] });
  });

  it('is matched by its ID in upper or lower case, and never taken for another upload', () => {
    expect(parse({ uploadId: 'U-1', status: 'COMPLETED' })).toMatchObject({ uploadId: 'u-1' });
    const other = { uploadId: 'u-2', status: 'COMPLETED' };
    const error = thrownBy(() => parse(other));
    expect([error.code, error.message]).toEqual([
      'UnreadableAnswer',
      'upload session status: the answer is about another upload',
    ]);
  });

  it('keeps unknown statuses, removes quotes from ETags, and drops null values', () => {
    const session = parse({
      status: 'ASSEMBLING',
      bucketName: 'media',
      failureReason: null,
      sanitizedTitle: 'A_film',
      parts: [{ partNumber: 1, eTag: '"abc"' }, { PartNumber: '2', ETag: 'def' }, { partNumber: 3 }],
    });
    expect(session).toMatchObject({ status: 'ASSEMBLING', sanitizedTitle: 'A_film', bucketName: 'media' });
    expect(session.parts).toEqual([
      { partNumber: 1, eTag: 'abc' },
      { partNumber: 2, eTag: 'def' },
    ]);
    expect('failureReason' in session).toBe(false);
  });

  it('has a status of at most 500 characters without secrets, because messages quote it', () => {
    const { status } = parse({ status: `X-Amz-Signature=canary ${'STILL WAITING '.repeat(1_000)}` });
    expect(status.length).toBeLessThanOrEqual(500);
    expect(status).toMatch(/^X-AMZ-SIGNATURE=… STILL WAITING/);
    expect(parse({ status: '\u0000' }).status).toBe('');
  });

  it('keeps no usable URL, wherever one was', () => {
    const session = parse({
      status: 'COMPLETED',
      fileUrl: 'https://user:pw@files.example.com/a.mp4?sig=canary',
      presignedUrls: [{ url: 'https://s3.example.com/k?X-Amz-Signature=canary' }],
    });
    expect(session.fileUrl).toBe('https://files.example.com/a.mp4');
    expect(JSON.stringify(session)).not.toMatch(/canary|pw@/);
  });

  it('has the reason of a failure, shortened and without secrets or control characters', () => {
    const reason =
      "can't read\u001b[31m\nhttps://s3.example.com/k?X-Amz-Signature=canary: " + 'no '.repeat(1000);
    const session = parse({ status: 'FAILED', failureReason: reason });
    expect(session.failureReason).toMatch(/^can't read.*https:\/\/s3\.example\.com\/k\?… no/);
    expect(session.failureReason).toHaveLength(500);
    expect(session.failureReason).not.toMatch(/\p{Cc}/u);
    expect(JSON.stringify(session)).not.toContain('canary');
  });

  it.each<[string, JsonValue]>([
    ['no status', { uploadId: 'u-1' }],
    ['an array', []],
    ['null', null],
  ])('is unreadable with %s, and the error shows its outline', (_what, value) => {
    expect(thrownBy(() => parse(value)).code).toBe('UnreadableAnswer');
  });
});

import type { JsonValue } from '../../../../../api/json';
import { isRetryable, withRetries } from '../../../../../api/retry';
import { isUnknownSession, parseSession, readTwice } from '../../../../../api/upload/protocol/session';
import type { ScriptedAnswer } from '../../scripted-service';
import { failureOf, thrownBy } from '../failure-of';
import { scriptedService } from '../scripted-service';

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
    const { code, message } = thrownBy(() => parse(other));
    expect(code).toBe('UnreadableAnswer');
    expect(message).toBe('upload session status: the answer is about another upload');
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

  it('keeps no usable URL, wherever one was', () => {
    const session = parse({
      status: 'COMPLETED',
      fileUrl: 'https://user:pw@files.example.com/a.mp4?sig=canary',
      presignedUrls: [{ url: 'https://s3.example.com/k?X-Amz-Signature=canary' }],
    });
    expect(session.fileUrl).toBe('https://files.example.com/a.mp4');
    expect(JSON.stringify(session)).not.toMatch(/canary|pw@/);
  });

  it('has a status and a reason of 500 characters at most, without secrets or control characters', () => {
    const text = `can't read\u001b[31m\nhttps://s3.example.com/k?X-Amz-Signature=canary: ${'no '.repeat(1_000)}`;
    const { status, failureReason = '' } = parse({ status: text, failureReason: text });
    expect(failureReason).toMatch(/^can't read \[31m https:\/\/s3\.example\.com\/k\?… no/);
    expect(failureReason).toHaveLength(500);
    expect(status).toBe(failureReason.toUpperCase());
    expect(parse({ status: '\u0000' }).status).toBe('');
  });

  it.each<[string, JsonValue]>([
    ['no status', { uploadId: 'u-1' }],
    ['an array', []],
    ['null', null],
  ])('is unreadable with %s, and the error shows its outline', (_what, value) => {
    expect(thrownBy(() => parse(value)).code).toBe('UnreadableAnswer');
  });
});

describe('the session of an earlier run', () => {
  const page = (status: number): ScriptedAnswer => ({
    ...{ status, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
  });

  it.each<[string, number, ScriptedAnswer]>([
    ["a gateway's 404", 7, page(404)],
    ["a gateway's 400", 7, page(400)],
    ["a gateway's 409", 7, page(409)],
    ['a 409', 7, { status: 409 }],
    ['a 404', 1, { status: 404 }],
    ['a 400', 1, { status: 400 }],
  ])('is read by a driver that retries, after %s came %i times', async (_what, times, answer) => {
    const { service } = scriptedService((_call, count) =>
      count < times ? answer : { body: { status: 'COMPLETED' } },
    );
    const driver = { clock: service.clock, signal: undefined, retryForMs: 60 * 60_000 };
    expect(await withRetries(driver, () => readTwice(service.once, 'u-1'))).toMatchObject({
      status: 'COMPLETED',
    });
  });

  it.each([
    ['the service itself says so twice', { status: 404 }, true],
    ['but not if a gateway says so, however often', page(404), false],
  ])('is unknown if %s', async (_who, answer, isUnknown) => {
    const failure = await failureOf(readTwice(scriptedService(() => answer).service.once, 'u-1'));
    expect([isUnknownSession(failure.facts), isRetryable(failure)]).toEqual([isUnknown, !isUnknown]);
    expect(failure.facts.hint?.includes('answered in place of the service')).toBe(!isUnknown);
  });
});

import { describe, expect, it } from '@jest/globals';
import { parseUrlRequestForm, requestUrls } from '../../../../../api/upload/session/additional-urls';
import { failureOf, thrownBy } from '../failure-of';
import { scriptedService } from '../scripted-service';

const urlOf = (part: number): string => `https://s3.example.com/key?partNumber=${part}`;
const asked = { uploadId: 'u/1', partNumbers: [3, 5] };

describe('requests for additional URLs', () => {
  it.each([
    [
      'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
      ['POST /upload/u%2F1/urls'],
      [{ partNumbers: [3, 5] }],
    ],
    ['GET /upload/{uploadId}/urls?parts={partNumbers}', ['GET /upload/u%2F1/urls?parts=3,5'], [undefined]],
    [
      'get /upload/{uploadId}/url/{partNumber}',
      ['GET /upload/u%2F1/url/3', 'GET /upload/u%2F1/url/5'],
      [undefined, undefined],
    ],
    [
      'POST /urls {"id":{uploadId},"n":"x","parts":[{partNumber}]}',
      ['POST /urls', 'POST /urls'],
      [
        { id: 'u/1', n: 'x', parts: [3] },
        { id: 'u/1', n: 'x', parts: [5] },
      ],
    ],
    ['GET https://upload.example.com/x/{uploadId}/{partNumbers}', ['GET /x/u%2F1/3,5'], [undefined]],
  ])('have the form that %s says', async (additionalUrls, calls, bodies) => {
    const scripted = scriptedService(() => ({ status: 200, body: [urlOf(3), urlOf(5)] }), { additionalUrls });
    const urls = await requestUrls(scripted.service, asked);
    expect([...new Set(urls.map(({ partNumber }) => partNumber))]).toEqual([3, 5]);
    expect([scripted.calls, scripted.bodies]).toEqual([calls, bodies]);
  });

  it('are a configuration error with what to ask the operator if their form is not set', async () => {
    const { service, calls } = scriptedService(() => ({ status: 200 }));
    const error = await failureOf(requestUrls(service, asked));
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'additionalUrls']);
    expect(error.facts.remedy).toEqual({
      kind: 'set-additional-urls',
      example: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
    });
    expect(calls).toEqual([]);
  });

  it('are unreadable if a URL is missing, and the error shows the outline of the answer', async () => {
    const { service } = scriptedService(() => ({ status: 200, body: { urls: [urlOf(3)] } }), {
      additionalUrls: 'GET /upload/{uploadId}/{partNumbers}',
    });
    const error = await failureOf(requestUrls(service, asked));
    expect([error.code, error.message]).toEqual(['UnreadableAnswer', expect.stringContaining('part 5')]);
  });

  it('never go to another server with our token', async () => {
    const { service, calls } = scriptedService(() => ({ status: 200 }), {
      additionalUrls: 'GET https://evil.example.com/{uploadId}/{partNumber}',
    });
    expect((await failureOf(requestUrls(service, asked))).code).toBe('Configuration');
    expect(calls).toEqual([]);
  });

  it.each([
    ['an unknown method', 'FETCH /upload/{uploadId}/{partNumber}'],
    ['no path', 'POST'],
    ['a path without a slash', 'GET upload/{uploadId}/{partNumber}'],
    ['no uploadId', 'GET /upload/{partNumber}'],
    ['no part number', 'GET /upload/{uploadId}'],
    ['a body that is not JSON', 'POST /upload/{uploadId} {"partNumbers":{partNumbers}'],
    ['a GET with a body', 'GET /upload/{uploadId} {"partNumbers":{partNumbers}}'],
  ])("can't be set with %s", (_what, setting) => {
    expect(thrownBy(() => parseUrlRequestForm(setting)).facts.field).toBe('additionalUrls');
  });
});

import { parseUrlRequestForm, requestUrl } from '../../../../../api/upload/protocol/additional-urls';
import { failureOf, thrownBy } from '../failure-of';
import { scriptedService } from '../scripted-service';

const urlOf = (part: number): string => `https://s3.example.com/key?partNumber=${part}`;
const EXAMPLE = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';
const asked = { uploadId: 'u/1', partNumber: 3 };

describe('requests for additional URLs', () => {
  it.each([
    ['POST /upload/{uploadId} {"numbers":{partNumbers}}', 'POST /upload/u%2F1', { numbers: [3] }],
    ['GET /upload/{uploadId}/urls?parts={partNumbers}', 'GET /upload/u%2F1/urls?parts=3', undefined],
    ['get /upload/{uploadId}/url/{partNumber}', 'GET /upload/u%2F1/url/3', undefined],
    ['POST /urls {"id":{uploadId},"parts":[{partNumber}]}', 'POST /urls', { id: 'u/1', parts: [3] }],
  ])('have the form that %s says', async (additionalUrls, call, body) => {
    const scripted = scriptedService(() => ({ status: 200, body: [urlOf(3), urlOf(5)] }), { additionalUrls });
    expect(await requestUrl(scripted.service, asked)).toMatchObject({ partNumber: 3, url: urlOf(3) });
    expect([scripted.calls, scripted.bodies]).toEqual([[call], [body]]);
  });

  it('are a configuration error with what to ask the operator if their form is not set', async () => {
    const { service, calls } = scriptedService(() => ({ status: 200 }));
    const error = await failureOf(requestUrl(service, asked));
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'additionalUrls']);
    expect(error.facts.hint).toContain(`set {additionalUrls}, for example ${EXAMPLE}.`);
    expect(calls).toEqual([]);
  });

  it('are unreadable if a URL is missing, and the error shows the outline of the answer', async () => {
    const { service } = scriptedService(() => ({ status: 200, body: { urls: [urlOf(5)] } }), {
      additionalUrls: 'GET /upload/{uploadId}/{partNumbers}',
    });
    const error = await failureOf(requestUrl(service, asked));
    expect([error.code, error.message]).toEqual(['UnreadableAnswer', expect.stringContaining('part 3')]);
  });

  it.each([
    ['an unknown method', 'FETCH /upload/{uploadId}/{partNumber}'],
    ['no path', 'POST'],
    ['another server, which our token must not reach', 'GET https://evil.example/{uploadId}/{partNumber}'],
    ['a path without a slash', 'GET upload/{uploadId}/{partNumber}'],
    ['no uploadId', 'GET /upload/{partNumber}'],
    ['no part number', 'GET /upload/{uploadId}'],
    ['a body that is not JSON', 'POST /upload/{uploadId} {"partNumbers":{partNumbers}'],
    ['a GET with a body', 'GET /upload/{uploadId} {"partNumbers":{partNumbers}}'],
  ])("can't be set with %s", (_what, setting) => {
    expect(thrownBy(() => parseUrlRequestForm(setting)).facts.field).toBe('additionalUrls');
  });
});

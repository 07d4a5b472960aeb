import { randomBytes } from 'node:crypto';
import type { UploadRequest } from '../../../../../api/upload/types';
import { uploadInput } from '../../../../../temporal/upload/client/upload-input';
import { ACCOUNT as account } from '../../../cli/example-account';
import { sealKeysOf, sourceUrlPurpose, unseal } from '../../../../../temporal/seal';

const request: UploadRequest = {
  source: { kind: 'http', url: 'https://files.example/a/film.mp4?token=hush', label: '' },
  media: { title: 'Film' },
  ingestKey: 'k',
  options: {},
};
const parts = { account, queuePrefix: 'p' };

describe('uploadInput', () => {
  it('names the account without its secrets and seals the address of the source', () => {
    const input = uploadInput({ ...parts, request });
    expect(input).toMatchObject({
      queuePrefix: 'p',
      account: { baseUrl: account.baseUrl, uploadUrl: account.uploadUrl, externalId: account.externalId },
      source: { kind: 'http', label: 'https://files.example/film.mp4' },
    });
    expect(JSON.stringify(input)).not.toMatch(/hush|key-1|secret-1/);
    const { source } = input;
    const url = source.kind === 'http' ? source.url : undefined;
    const purpose = sourceUrlPurpose('https://files.example/film.mp4');
    const opened = unseal(sealKeysOf(account.secretKey), url, purpose);
    expect(opened).toBe('https://files.example/a/film.mp4?token=hush');
  });

  const from = (url: string): Partial<UploadRequest> => ({ source: { kind: 'http', url, label: '' } });
  const LONG = `https://h/f.mp4?${randomBytes(800_000).toString('hex')}`;
  const LARGE = { m: 'x'.repeat(1_000_000) };
  it.each<[string, Partial<UploadRequest>, string]>([
    ['a source that is not a URL', from('film.mp4'), 'source.url'],
    ['a source of another scheme', from('ftp://h/f.mp4'), 'source.url'],
    ['an empty ingest key', { ingestKey: ' ' }, 'ingestKey'],
    ['metadata over the limit', { metadata: LARGE }, 'metadata'],
    ['an address that is over the limit once it is sealed', from(LONG), 'metadata'],
    ['tags over the limit in UTF-8', { media: { tags: { t: 'é'.repeat(510_000) } } }, 'metadata'],
  ])('refuses %s and names the field', (_name, change, field) => {
    expect(() => uploadInput({ ...parts, request: { ...request, ...change } })).toThrow(
      expect.objectContaining({ code: 'Validation', facts: expect.objectContaining({ field }) }),
    );
  });
});

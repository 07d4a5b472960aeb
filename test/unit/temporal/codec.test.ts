import { randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import * as fc from 'fast-check';
import { createCodec, parseCodecKeys } from '../../../temporal/codec';

const KEY = randomBytes(32).toString('base64');
const OTHER_KEY = randomBytes(32).toString('base64');
const codec = createCodec(parseCodecKeys(`one:${KEY}`));

function payloadOf(data: Uint8Array): Payload {
  return { metadata: { encoding: Buffer.from('json/plain') }, data };
}

describe('createCodec', () => {
  it('returns every payload unchanged, metadata included, and shows none of it in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 6, maxLength: 300 }), async (data) => {
        const encoded = await codec.encode([payloadOf(data)]);
        expect(Buffer.from(encoded[0]?.data ?? []).includes(Buffer.from(data))).toBe(false);
        const [decoded] = await codec.decode(encoded);
        expect(Buffer.from(decoded?.data ?? [])).toEqual(Buffer.from(data));
        expect(Buffer.from(decoded?.metadata?.['encoding'] ?? []).toString()).toBe('json/plain');
      }),
    );
  });

  it('reads payloads of an older key that is still in the list, and writes with the first', async () => {
    const rotated = createCodec(parseCodecKeys(`two:${OTHER_KEY}, one:${KEY}`));
    const old = await codec.encode([payloadOf(Buffer.from('"title"'))]);
    expect((await rotated.decode(old))[0]?.data).toEqual(Buffer.from('"title"'));
    const [fresh] = await rotated.encode([payloadOf(Buffer.from('"title"'))]);
    expect(Buffer.from(fresh?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('two');
  });

  it('names the ID of a missing key', async () => {
    const other = createCodec(parseCodecKeys(`two:${OTHER_KEY}`));
    const encoded = await codec.encode([payloadOf(Buffer.from('"title"'))]);
    await expect(async () => other.decode(encoded)).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('"one"'),
    });
  });

  it('passes payloads that were never encrypted', async () => {
    const plain = payloadOf(Buffer.from('1'));
    expect(await codec.decode([plain])).toEqual([plain]);
  });
});

it.each([
  ['nothing', ' ', 'no key given'],
  ['a key without id', KEY, 'no id before a colon'],
  ['a short key', 'one:AAAA', 'key one is not 32 bytes long'],
  ['an id given twice', `one:${KEY},one:${OTHER_KEY}`, 'is there twice'],
])('parseCodecKeys refuses %s and shows no key', (_name, text, reason) => {
  expect(() => parseCodecKeys(text)).toThrow(reason);
  expect(() => parseCodecKeys(text)).not.toThrow(KEY);
});

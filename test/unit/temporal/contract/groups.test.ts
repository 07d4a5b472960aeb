import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { inputsOf, sharing } from '../../../../temporal/contract/groups';

describe("the shared fields of a group's inputs", () => {
  it('are stored once, and the other fields with each input', () => {
    const source = { path: '/films/long.mp4' };
    const inputs = [
      { input: { uploadId: 'u-1', partNumber: 1, source, verifyMd5: true } },
      { input: { uploadId: 'u-1', partNumber: 2, source, verifyMd5: true }, tries: 2 },
    ];
    expect(sharing(inputs)).toEqual({
      inputs: [{ input: { partNumber: 1 } }, { input: { partNumber: 2 }, tries: 2 }],
      shared: { uploadId: 'u-1', source, verifyMd5: true },
    });
  });

  it('are empty for a single input, and for inputs without fields', () => {
    for (const inputs of [[{ input: { uploadId: 'u-1' } }], [{ input: null }, { input: null }]])
      expect(sharing<unknown>(inputs)).toEqual({ inputs });
  });

  it('are put back as they were, whichever fields an input has', () => {
    const value = fc.oneof(fc.constantFrom(1, 2, 'a', true, null), fc.record({ deep: fc.nat(2) }));
    const input = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(fc.record({ input, tries: fc.nat(3) })), (inputs) => {
        const sent: unknown = JSON.parse(JSON.stringify({ accountId: 'a', ...sharing(inputs) }));
        expect(inputsOf(sent as Parameters<typeof inputsOf>[0])).toEqual(inputs);
      }),
    );
  });
});

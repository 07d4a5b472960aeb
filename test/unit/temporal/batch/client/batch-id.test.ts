import fc from 'fast-check';
import { checkBatchId, defaultBatchId } from '../../../../../temporal/batch/client/batch-input';

describe('defaultBatchId', () => {
  it.each([
    ['harbour.csv', /^harbour-[0-9a-f]{8}$/],
    ['Harbour at dawn (2).jsonl', /^Harbour-at-dawn-2-[0-9a-f]{8}$/],
    ['..hidden.csv', /^hidden-[0-9a-f]{8}$/],
    ['Überfahrt.csv', /^berfahrt-[0-9a-f]{8}$/],
    ['', /^[0-9a-f]{8}$/],
  ])('uses the name for %j', (name, expected) => {
    expect(defaultBatchId(name, '/m')).toMatch(expected);
  });

  it('is the same for the same location, and differs for another', () => {
    expect(defaultBatchId('m.csv', 'h:/a/m.csv')).toBe(defaultBatchId('m.csv', 'h:/a/m.csv'));
    expect(defaultBatchId('m.csv', 'h:/a/m.csv')).not.toBe(defaultBatchId('m.csv', 'h:/b/m.csv'));
  });

  it('is valid, whatever the file is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), (name, identity) => {
        const id = defaultBatchId(name, identity);
        expect(checkBatchId(id)).toBe(id);
      }),
    );
  });
});

it.each([
  ['nothing', ''],
  ['a slash', 'a/b'],
  ['a space', 'a b'],
  ['a dot first', '.a'],
  ['129 characters', 'a'.repeat(129)],
])('checkBatchId refuses %s and says which characters an ID may have', (_label, id) => {
  expect(() => checkBatchId(id)).toThrow(
    expect.objectContaining({
      code: 'Validation',
      message: expect.stringContaining('letters, digits'),
      facts: expect.objectContaining({ field: 'batchId' }),
    }),
  );
});

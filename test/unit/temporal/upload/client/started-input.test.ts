import { describe, expect, it } from '@jest/globals';
import { checkedInput } from '../../../../../temporal/upload/client/upload-input';

interface Input {
  readonly schema: number;
  readonly source: string;
}
const check = (input: unknown): Input =>
  checkedInput<Input>(input, { workflowId: 'upload/a', noun: 'an upload', schema: 2, fields: ['source'] });

describe('the input of a started workflow', () => {
  it.each([1, 2])('with the known schema %i is used', (schema) => {
    expect(check({ schema, source: 'a.mp4' })).toEqual({ schema, source: 'a.mp4' });
  });

  it('of a newer version is refused', () => {
    expect(() => check({ schema: 3, source: 'a.mp4' })).toThrow(
      expect.objectContaining({
        code: 'InputTooNew',
        message: 'upload/a was started with input schema 3, this program knows 2: update it.',
      }),
    );
  });

  it.each([
    ['that is missing', undefined],
    ['without a schema', { source: 'a.mp4' }],
    ['without a field of its kind', { schema: 1 }],
  ])('%s is not taken for another one', (_name, input) => {
    expect(() => check(input)).toThrow(
      expect.objectContaining({ code: 'Internal', message: 'upload/a was not started as an upload.' }),
    );
  });
});

import type { IExecuteFunctions } from 'n8n-workflow';
import { given } from '../../../../../api/json';
import { itemFile } from '../../../../../nodes/MediaService/upload/item-source';

/** Takes the file of an item whose binary data is stored so. */
function take(id: string | undefined, bytes: number | undefined): unknown {
  const binary = { data: 'database', mimeType: 'video/mp4', ...given({ id, bytes }) };
  const helpers = { assertBinaryData: () => binary };
  return itemFile({ getNodeParameter: () => 'data', helpers } as unknown as IExecuteFunctions, 0);
}

const MAX_READABLE_BYTES = 268_435_443;

describe("binary data in n8n's database", () => {
  test("is refused from the first size that n8n can't read back, with what to do", () => {
    expect(() => take('database:1', MAX_READABLE_BYTES + 1)).toThrow(
      /can't read this file back from its database: it has 268435444 bytes/,
    );
    expect(() => take('database:1', MAX_READABLE_BYTES + 1)).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({
          outcome: 'unsent',
          hint: expect.stringContaining('N8N_DEFAULT_BINARY_DATA_MODE=filesystem'),
        }),
      }),
    );
  });

  test.each([
    ['the largest file that can be read', 'database:1', MAX_READABLE_BYTES],
    ['a large file in a folder', 'filesystem-v2:workflows/1', MAX_READABLE_BYTES + 1],
    ['a large file in S3', 's3:workflows/1', MAX_READABLE_BYTES + 1],
    ['a file in memory', undefined, MAX_READABLE_BYTES + 1],
    ['a file of unknown size', 'database:1', undefined],
  ])('is accepted: %s', (_what, id, bytes) => {
    expect(() => take(id, bytes)).not.toThrow();
  });
});

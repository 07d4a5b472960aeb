import { refuseUnreadable } from '../../../../../nodes/MediaService/upload/item-source';

const binary = (id: string | undefined, bytes: number | undefined) => ({
  data: 'database',
  mimeType: 'video/mp4',
  ...(id === undefined ? {} : { id }),
  ...(bytes === undefined ? {} : { bytes }),
});
const MAX_READABLE_BYTES = 268_435_443;

describe("binary data in n8n's database", () => {
  test("is refused from the first size that n8n can't read back, with what to do", () => {
    expect(() => refuseUnreadable(binary('database:1', MAX_READABLE_BYTES + 1))).toThrow(
      /can't read this file back from its database: it has 268435444 bytes/,
    );
    expect(() => refuseUnreadable(binary('database:1', MAX_READABLE_BYTES + 1))).toThrow(
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
    expect(() => refuseUnreadable(binary(id, bytes))).not.toThrow();
  });
});

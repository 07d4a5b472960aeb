import { describe, expect, test } from '@jest/globals';
import { earlierResult } from '../../../../../../api/upload/direct/journal/continue-upload';
import type { JournalEntry } from '../../../../../../api/upload/direct/journal/journal-entry';
import type { UploadResult } from '../../../../../../api/upload/request/upload-request';
import type { SourceDescriptor } from '../../../../../../api/upload/sources/source';

const url: SourceDescriptor = { kind: 'http', url: 'https://a.example/film.mp4', label: 'film.mp4' };
const copy: SourceDescriptor = { kind: 'path', path: '/spool/1.spooled', deleteAfter: true };
const result: UploadResult = {
  uploadId: 'upload-1',
  status: 'COMPLETED',
  fileName: 'film.mp4',
  fileType: 'MP4',
  bytes: 7,
  parts: [],
  durations: { pinMs: 0, startMs: 0, transferMs: 0, completeMs: 0, processingMs: 0, totalMs: 0 },
  retries: 0,
  orphans: [],
  orphansVerifiable: true,
};
const about = { accountId: 'a', ingestKey: 'k', meaning: 'm', plan: {} };
const found: JournalEntry = {
  ...about,
  schema: 1,
  bytes: 7,
  amountOfParts: 1,
  parts: [
    {
      partNumber: 1,
      offset: 0,
      bytes: 7,
      eTag: 'of SSE-KMS',
      md5: 'md5',
      verified: false,
      fingerprint: 'of the earlier run',
      attempts: 1,
      ms: 1,
    },
  ],
  completeSent: true,
  result,
};

describe('the copy of a URL that is compared with an earlier result', () => {
  test.each([
    ['the file is the same', 7, 'md5', undefined],
    ['the file has other bytes', 7, 'other', 'SourceChanged'],
    ['the file has another size', 8, 'md5', 'SourceChanged'],
  ])('is released if %s', async (_what, bytes, md5, code) => {
    const released: SourceDescriptor[] = [];
    const steps = {
      pinSource: async () => ({ source: copy, bytes, fingerprint: 'of this run', fileName: 'film.mp4' }),
      releaseSource: async ({ source }: { readonly source: SourceDescriptor }) => void released.push(source),
    };
    const ended = earlierResult({ source: url }, steps, {
      found,
      again: false,
      about,
      md5Of: async () => md5,
    });
    if (code === undefined) expect(await ended).toEqual(result);
    else await expect(ended).rejects.toMatchObject({ code });
    expect(released).toEqual([copy]);
  });
});

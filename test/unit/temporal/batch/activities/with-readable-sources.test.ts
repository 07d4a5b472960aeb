import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, MediaServiceError } from '../../../../../api/errors';
import { createNamedSecrets } from '../../../../../files/named-secrets';
import { createS3 } from '../../../../../files/s3/s3-client';
import type { ManifestMistake, ManifestRow } from '../../../../../manifest/row';
import { withReadableSources } from '../../../../../temporal/batch/activities/plan-batch';

const NO_CREDENTIALS = new ConfigurationError('s3', 'no credentials for S3 were found');
const NOT_THERE = new MediaServiceError('SourceMissing', 's3://films/a.mp4 does not exist');

/** Lines that passed, and the number of requests to S3. */
async function read(
  sources: readonly string[],
  { secret, s3Failure }: { readonly secret?: string; readonly s3Failure?: Error } = {},
): Promise<{ lines: number[]; asked: number }> {
  let asked = 0;
  const facts = (): Promise<{ bytes: number }> => {
    asked += 1;
    return s3Failure === undefined ? Promise.resolve({ bytes: 1 }) : Promise.reject(s3Failure);
  };
  const s3 = Object.assign(createS3(), { facts });
  const deps = { files: { outputRoots: [], roots: [], s3 }, secrets: createNamedSecrets(undefined) };
  const rowContext = { folder: '/films', ...(secret === undefined ? {} : { secret }) };
  const lines: number[] = [];
  const rows = rowsOf(sources);
  for await (const { line } of withReadableSources(deps, { rows, rowContext }, new AbortController().signal))
    lines.push(line);
  return { lines, asked };
}

async function* rowsOf(sources: readonly string[]): AsyncGenerator<ManifestRow | ManifestMistake> {
  for (const [index, source] of sources.entries())
    yield { line: index + 1, id: String(index), source, media: { fileType: 'MP4' } };
  yield { line: 99, message: 'wrong' };
}

describe('rows of a manifest that is planned', () => {
  it('pass with one request to S3, whatever its answer about that object', async () => {
    const sources = ['a.mp4', 's3://films/a.mp4', 's3://films/b.mp4', 'http://127.0.0.1:1/c.mp4'];
    const passed = { lines: [1, 2, 3, 4, 99], asked: 1 };
    expect(await read(sources)).toEqual(passed);
    expect(await read(sources, { s3Failure: NOT_THERE })).toEqual(passed);
  });

  it.each([
    ['S3 that has no credentials', 's3://films/a.mp4', { s3Failure: NO_CREDENTIALS }],
    ['a missing secret', 'https://cdn.example/a.mp4', { secret: 'nosuch' }],
  ])('are refused for %s', async (_label, source, setUp) => {
    await expect(read(['a.mp4', source], setUp)).rejects.toMatchObject({ code: 'Configuration' });
  });

  it('are not refused for a secret that none of them needs', async () => {
    expect(await read(['a.mp4'], { secret: 'nosuch' })).toEqual({ lines: [1, 99], asked: 0 });
  });
});

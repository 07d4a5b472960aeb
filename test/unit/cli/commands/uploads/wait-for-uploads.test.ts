import { MediaServiceError } from '../../../../../api/errors';
import type { UploadResult } from '../../../../../api/upload/types';
import { ReportedFailure } from '../../../../../cli/exit-codes';
import { waitForUploads } from '../../../../../cli/commands/uploads/wait';
import type { WatchedUpload } from '../../../../../cli/commands/uploads/wait';
import { cliContext } from '../../../../support/cli-context';
import { BEGUN, COMPLETED, UNUSED_CONTROLS } from '../../live-fixture';

const RESULT: UploadResult = {
  ...COMPLETED,
  mediaId: 'm-1',
  bytes: 2_000_000,
  parts: [{ partNumber: 1, eTag: 'e', verified: true, bytes: 2_000_000, attempts: 1, ms: 5 }],
  durationMs: 3_000,
  orphans: [{ uploadId: 'u-0', reason: 'its start lost its answer' }],
};

function ended(file: string, end: UploadResult | MediaServiceError): WatchedUpload {
  return {
    file,
    handle: {
      ...UNUSED_CONTROLS,
      workflowId: `upload/${file}`,
      progress: () => Promise.resolve({ ...BEGUN, phase: 'processing' }),
      result: () => (end instanceof MediaServiceError ? Promise.reject(end) : Promise.resolve(end)),
    },
  };
}

const BOTH = ['stdout', 'stderr'] as const;

async function wait(
  uploads: readonly WatchedUpload[],
  { json = false, terminals = [] as readonly (typeof BOTH)[number][] } = {},
) {
  const clock = { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) };
  const { context, written } = cliContext({ terminals, clock });
  context.terminal.view = { json, debug: false };
  const failure = await waitForUploads(context, uploads).catch((error: unknown) => error);
  return { ...written, failure };
}

const LINE = 'clip.mp4: COMPLETED, 2.0 MB in 3 s, 1 of 1 parts verified, media id m-1\n';

describe('the end of an upload', () => {
  test.each<[where: string, terminals: (typeof BOTH)[number][], stdout: string]>([
    ['to stdout, since it is data', [], LINE],
    ['to stdout, also if bars are drawn on stderr', ['stderr'], LINE],
    ['above the bars if both streams are one terminal', [...BOTH], ''],
  ])('goes %s', async (_where, terminals, stdout) => {
    const seen = await wait([ended('clip.mp4', RESULT)], { terminals });
    expect([seen.stdout, seen.failure]).toEqual([stdout, undefined]);
    expect(seen.stderr.includes(LINE.trimEnd())).toBe(stdout === '');
    expect(seen.stderr).toContain('clip.mp4: left behind u-0: its start lost its answer\n');
  });

  test('goes to stderr if the upload failed, and its exit code is thrown', async () => {
    const failed = new MediaServiceError('ProcessingFailed', 'codec not supported');
    const { stdout, stderr, failure } = await wait([ended('clip.mp4', failed)]);
    expect(stdout).toBe('');
    expect(stderr).toContain('Error (clip.mp4): codec not supported');
    expect(failure).toEqual(new ReportedFailure(10));
  });

  test('is one line on stdout with --json', async () => {
    const { stdout } = await wait([ended('clip.mp4', RESULT)], { json: true });
    expect(JSON.parse(stdout)).toEqual({
      file: 'clip.mp4',
      workflowId: 'upload/clip.mp4',
      joined: false,
      ...RESULT,
    });
  });
});

import { describe, expect, test } from '@jest/globals';
import type { UploadListing } from '../../../../../temporal/client/list-uploads';
import { scriptedService, type ScriptedService } from '../../../api/upload/scripted-service';
import { leftBehind } from '../../../../../cli/commands/uploads/orphans';

const UPLOAD: UploadListing = {
  workflowId: 'upload/acme/key-1',
  runId: 'r',
  status: 'COMPLETED',
  startedAt: new Date(0),
  ingestKey: 'key-1',
  uploadId: 'u-2',
  mediaId: 'm-2',
};
const holding = (...mediaIds: string[]): ScriptedService =>
  scriptedService(() => ({
    status: 200,
    body: { content: mediaIds.map((id) => ({ id, tags: { ingestKey: 'key-1' } })) },
  }));

describe('what an upload leaves behind', () => {
  test.each([
    ['a completed upload: other sessions with its key', 'COMPLETED', ['m-1']],
    ['a running upload: other sessions with its key', 'RUNNING', ['m-1']],
    ['a failed upload: its own session too', 'FAILED', ['m-2', 'm-1']],
    ['a cancelled upload: its own session too', 'CANCELLED', ['m-2', 'm-1']],
  ])('by %s', async (_what, status, mediaIds) => {
    const { orphans, verifiable } = await leftBehind(holding('m-1', 'm-2').service, { ...UPLOAD, status });
    expect(orphans.map(({ mediaId }) => mediaId)).toEqual(mediaIds);
    expect(orphans.at(-1)?.reason).toBe('it carries the ingest key');
    expect(verifiable).toBe(true);
  });

  test('by an upload without a session is only what a search finds', async () => {
    const { uploadId: _session, mediaId: _media, ...upload } = UPLOAD;
    const { service } = holding();
    expect(await leftBehind(service, { ...upload, status: 'FAILED' })).toEqual({
      orphans: [],
      verifiable: true,
    });
  });

  test('is unknown if the key is unknown, and nothing is requested', async () => {
    const { ingestKey: _none, ...upload } = UPLOAD;
    const { service, calls } = holding('m-1');
    expect(await leftBehind(service, { ...upload, status: 'FAILED' })).toEqual({
      orphans: [{ uploadId: 'u-2', mediaId: 'm-2', reason: 'its upload ended as FAILED' }],
      verifiable: false,
    });
    expect(calls).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';
import { until } from '../support/until';

const on = useUploadBed();

describe('a session that ends otherwise than COMPLETED', () => {
  it('as FAILED is a typed failure with the service’s reason, and not tried again', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-failed:codec not supported');
    const file = await bed.writeFile('film.mp4', 2);
    const handle = await bed.start(file.path);
    const error = await handle.result().catch((reason: unknown) => reason);
    const session = bed.session();
    expect(error).toMatchObject({
      code: 'ProcessingFailed',
      message: expect.stringContaining('codec not supported'),
      facts: { details: { uploadId: session.uploadId, failureReason: 'codec not supported' } },
    });
    expect(session).toMatchObject({ status: 'FAILED', completesAccepted: 1 });
    expect(bed.simulator.seen().starts).toBe(1);
  });

  it('but as still processing after the limit is no failure of processing, and says how to look later', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-stuck');
    const file = await bed.writeFile('stuck.mp4', 1);
    const handle = await bed.start(file.path, { options: { processingLimitMs: 2_000 } });
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'ProcessingTimeout',
      message: expect.stringContaining('has not failed'),
      facts: {
        hint: expect.stringContaining(`uploads session ${bed.simulator.seen().sessions.at(-1)?.uploadId}`),
      },
    });
    bed.simulator.release();
  });

  it('is waited for by the next start, which sends nothing', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-stuck');
    const file = await bed.writeFile('twice.mp4', 1);
    const same = { ingestKey: 'order-8', options: { processingLimitMs: 2_000 } };
    const first = await bed.start(file.path, same);
    await expect(first.result()).rejects.toMatchObject({ code: 'ProcessingTimeout' });
    const { starts, sessions } = bed.simulator.seen();
    const second = await bed.start(file.path, { ingestKey: 'order-8' });
    expect([second.workflowId, second.joined]).toEqual([first.workflowId, false]);
    await until('the upload is processed', async () => (await second.progress()).phase === 'processing');
    bed.simulator.release();
    const { uploadId, mediaId } = sessions.at(-1) ?? {};
    expect(await second.result()).toMatchObject({ uploadId, mediaId, status: 'COMPLETED', earlier: true });
    expect(bed.simulator.seen().starts).toBe(starts);
  });
});

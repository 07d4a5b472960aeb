import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

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
  }, 60_000);

  it('but as still processing after the limit is no failure of processing, and says how to look later', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-stuck');
    const file = await bed.writeFile('stuck.mp4', 1);
    const handle = await bed.start(file.path, { options: { processingLimitMs: 2_000 } });
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'ProcessingTimeout',
      message: expect.stringContaining('has not failed'),
      facts: { hint: expect.stringContaining('uploads show') },
    });
    bed.simulator.release();
  }, 60_000);
});

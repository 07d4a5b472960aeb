import { describe, expect, it } from '@jest/globals';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

describe('a session that does not end as COMPLETED', () => {
  it("but as FAILED is a typed failure with the service's reason, and is not retried", async () => {
    const { fixture } = on;
    fixture.simulator.fault('processing-failed:codec not supported');
    const file = await fixture.writeFile('film.mp4', 2);
    const handle = await fixture.start(file.path);
    const error = await handle.result().catch((reason: unknown) => reason);
    const session = fixture.session();
    expect(error).toMatchObject({
      code: 'ProcessingFailed',
      message: expect.stringContaining('codec not supported'),
      facts: { details: { uploadId: session.uploadId, failureReason: 'codec not supported' } },
    });
    expect(session).toMatchObject({ status: 'FAILED', completesAccepted: 1 });
    expect(fixture.simulator.seen().starts).toBe(1);
  });

  it('but is still processing after the limit is not reported as failed, and the error says how to look later', async () => {
    const { fixture } = on;
    fixture.simulator.fault('processing-stuck');
    const file = await fixture.writeFile('stuck.mp4', 1);
    const handle = await fixture.start(file.path, { options: { processingLimitMs: 2_000 } });
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'ProcessingTimeout',
      message: expect.stringContaining('has not failed'),
      facts: {
        remedy: { kind: 'wait-for-session', uploadId: fixture.simulator.seen().sessions.at(-1)?.uploadId },
      },
    });
    fixture.simulator.release();
  });

  it('is only waited for by the next start, which sends nothing', async () => {
    const { fixture } = on;
    fixture.simulator.fault('processing-stuck');
    const file = await fixture.writeFile('twice.mp4', 1);
    const same = { ingestKey: 'order-8', options: { processingLimitMs: 2_000 } };
    const first = await fixture.start(file.path, same);
    await expect(first.result()).rejects.toMatchObject({ code: 'ProcessingTimeout' });
    const { starts, sessions } = fixture.simulator.seen();
    const second = await fixture.start(file.path, { ingestKey: 'order-8' });
    expect([second.workflowId, second.joined]).toEqual([first.workflowId, false]);
    await until('the upload is processed', async () => (await second.progress()).phase === 'processing');
    fixture.simulator.release();
    const { uploadId, mediaId } = sessions.at(-1) ?? {};
    expect(await second.result()).toMatchObject({ uploadId, mediaId, status: 'COMPLETED', earlier: true });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });
});

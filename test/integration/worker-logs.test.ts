import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '../../api/json';
import { secretsIn } from '../support/canary';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('the log of a worker', () => {
  it('names account, upload, part and workflow when a part fails, and no secret', async () => {
    const { fixture } = on;
    const lines: string[] = [];
    const writeLog = (line: string): void => void lines.push(line);
    const stop = await fixture.startWorker({ logLevel: 'warn' }, undefined, { writeLog });
    fixture.simulator.fault('put-503:1');
    const file = await fixture.writeFile('logged.mp4', 1);
    const handle = await fixture.start(file.path);
    const { uploadId } = await handle.result();
    await stop();
    // Messages of Temporal itself, such as about a slow server, may come in between.
    const entries = lines
      .map((line): unknown => JSON.parse(line))
      .filter(isJsonObject)
      .filter(({ message }) => message === 'Step failed');
    expect(entries).toEqual([
      expect.objectContaining({
        level: 'warn',
        activityType: 'sendParts',
        step: 'sendPart',
        tries: 1,
        error: expect.objectContaining({ code: 'StorageBusy' }),
        accountId: fixture.accountId,
        uploadId,
        partNumber: 1,
        workflowId: handle.workflowId,
      }),
    ]);
    const { apiKey, secretKey } = fixture.account;
    expect(secretsIn(lines.join(''), [apiKey, secretKey, 'X-Amz-Signature'])).toEqual([]);
  });
});

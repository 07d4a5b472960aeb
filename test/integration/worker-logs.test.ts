import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '../../api/json';
import { secretsIn } from '../support/canary';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('the log of a worker', () => {
  it('names account, upload, part and workflow where a part fails, and no secret', async () => {
    const { bed } = on;
    const lines: string[] = [];
    const writeLog = (line: string): void => void lines.push(line);
    const stop = await bed.startWorker({ logLevel: 'warn' }, undefined, { writeLog });
    bed.simulator.fault('put-503:1');
    const file = await bed.writeFile('logged.mp4', 1);
    const handle = await bed.start(file.path);
    const { uploadId } = await handle.result();
    await stop();
    // Temporal's own remarks, of a server that is slow to answer, say, may stand between.
    const entries = lines
      .map((line): unknown => JSON.parse(line))
      .filter(isJsonObject)
      .filter(({ message }) => message === 'Step failed');
    expect(entries).toEqual([
      expect.objectContaining({
        level: 'warn',
        activityType: 'sendParts',
        step: 'putPart',
        tries: 1,
        error: expect.objectContaining({ code: 'StorageBusy' }),
        accountId: bed.accountId,
        uploadId,
        partNumber: 1,
        workflowId: handle.workflowId,
      }),
    ]);
    const { apiKey, secretKey } = bed.account;
    expect(secretsIn(lines.join(''), [apiKey, secretKey, 'X-Amz-Signature'])).toEqual([]);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import type { LiveBatch } from '../../temporal/batch/client/live-batch';
import { sealKeysOf } from '../../temporal/seal';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const NEXT = 'the-next-secret-key';

let fixture: UploadFixture;
afterEach(() => fixture.close());

async function openFixture(): Promise<void> {
  fixture = await openUploadFixture();
  fixture.simulator.acceptSecretKeys([fixture.account.secretKey, NEXT]);
}

/** Rows whose addresses are sealed when they are sent, and in the batch's folder. */
async function rowsOverHttp(name: string, count: number): Promise<BatchRow[]> {
  const rows = await writeRows(fixture, name, count);
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      source: String((await fixture.serveFile(row.source, '?signature=x')).url),
    })),
  );
}

function withNextKey(): Partial<WorkerConfig> {
  const { account } = fixture;
  const accounts = fixture.config.accounts.map((served) => ({
    ...served,
    account: { ...served.account, secretKey: NEXT },
    previousSecretKeys: [account.secretKey],
  }));
  return { accounts, host: 'next-host' };
}

describe('a batch whose account gets a new secret key', () => {
  it('is planned by the first worker that can decrypt its rows, and says until then what it waits for', async () => {
    await openFixture();
    const stopOld = await fixture.startWorker();
    const rows = await rowsOverHttp('next', 2);
    const account = { ...fixture.account, secretKey: NEXT };
    const batch = await startRows(fixture, 'next', rows, { account });
    const waiting = await progressWhen(batch, ({ waitReason }: LiveBatch) => waitReason !== undefined);
    expect(waiting).toMatchObject({
      phase: 'planning',
      waitReason: {
        code: 'Configuration',
        message: expect.stringContaining(`made with key ${sealKeysOf(NEXT).current.id}`),
      },
    });
    await fixture.startWorker(withNextKey());
    await stopOld();
    expect((await batch.result()).counts).toMatchObject({ rows: 2, completed: 2 });
  });
});

import { describe, expect, it } from '@jest/globals';
import { sealKeysOf } from '../../temporal/seal';
import { startRows, untilWaiting, writeRows } from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const NEXT = 'the-next-secret-key';
const on = useUploadFixture({ worker: false });

/** Rows whose addresses are sealed when they are sent, and in the batch's folder. */
async function rowsOverHttp(fixture: UploadFixture, name: string, count: number): Promise<BatchRow[]> {
  const rows = await writeRows(fixture, name, count);
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      source: String((await fixture.serveFile(row.source, '?signature=x')).url),
    })),
  );
}

describe('a batch whose account gets a new secret key', () => {
  it('is planned by the first worker that can decrypt its rows, and says until then what it waits for', async () => {
    const { fixture } = on;
    const { account, config } = fixture;
    fixture.simulator.acceptSecretKeys([account.secretKey, NEXT]);
    const stopOld = await fixture.startWorker();
    const rows = await rowsOverHttp(fixture, 'next', 2);
    const batch = await startRows(fixture, 'next', rows, { account: { ...account, secretKey: NEXT } });
    expect(await untilWaiting(batch)).toMatchObject({
      phase: 'planning',
      waitReason: {
        code: 'Configuration',
        message: expect.stringContaining(`made with key ${sealKeysOf(NEXT).current.id}`),
      },
    });
    const accounts = config.accounts.map((served) => ({
      ...served,
      account: { ...served.account, secretKey: NEXT },
      previousSecretKeys: [account.secretKey],
    }));
    await fixture.startWorker({ accounts, host: 'next-host' });
    await stopOld();
    expect((await batch.result()).counts).toMatchObject({ rows: 2, completed: 2 });
  });
});

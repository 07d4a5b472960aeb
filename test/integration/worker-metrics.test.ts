import { describe, expect, it } from '@jest/globals';
import { md5Engine } from '../../api/md5/md5-engine';
import { METRICS } from '../../temporal/worker/metrics/metric-names';
import { startRows, writeRows } from '../support/batch-fixture';
import { freePort } from '../support/free-port';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

/** The value of one series of the page, or undefined if it is missing. */
function valueOf(
  page: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const line = page
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        Object.entries(labels).every(([label, value]) => one.includes(`${label}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('the /metrics page of a worker', () => {
  it("counts parts, retries, calls and uploads of an account from 0, and shows Temporal's own metrics too", async () => {
    const { fixture } = on;
    const healthPort = await freePort();
    const stop = await fixture.startWorker({ healthPort, bandwidth: 100_000_000 });
    const account = fixture.accountId;
    const before = await (await fetch(`http://127.0.0.1:${String(healthPort)}/metrics`)).text();
    expect({
      refused: valueOf(before, METRICS.accountReloads.name, { outcome: 'refused' }),
      completed: valueOf(before, METRICS.uploadsEnded.name, { account, outcome: 'completed', code: 'none' }),
      failed: valueOf(before, METRICS.uploadsEnded.name, {
        account,
        outcome: 'failed',
        code: 'SourceChanged',
      }),
      cancelled: valueOf(before, METRICS.uploadsEnded.name, {
        account,
        outcome: 'cancelled',
        code: 'Cancelled',
      }),
    }).toEqual({ refused: 0, completed: 0, failed: 0, cancelled: 0 });
    fixture.simulator.fault('put-503:1');
    const file = await fixture.writeFile('counted.mp4', 3);
    await (await fixture.start(file.path)).result();
    const page = await (await fetch(`http://127.0.0.1:${String(healthPort)}/metrics`)).text();
    const is = (name: string, labels?: Readonly<Record<string, string>>): number | undefined =>
      valueOf(page, name, labels);
    expect({
      sent: is(METRICS.parts.name, { account, outcome: 'sent' }),
      failed: is(METRICS.parts.name, { account, outcome: 'failed' }),
      retries: is(METRICS.partRetries.name, { account, code: 'StorageBusy' }),
      bytes: is(METRICS.partBytes.name, { account }),
      durations: is(`${METRICS.partDuration.name}_count`, { account }),
      starts: is(METRICS.serviceCalls.name, { account, operation: 'upload start' }),
      logins: is(METRICS.serviceCalls.name, { account, operation: 'login', status: '200' }),
      uploads: is(METRICS.uploadsEnded.name, { account, outcome: 'completed', code: 'none' }),
      accounts: is(METRICS.accounts.name, { state: 'served' }),
      ready: is(METRICS.workerReady.name),
      draining: is(METRICS.workerDraining.name),
      bandwidth: is(METRICS.bandwidthLimit.name),
      slots: is(METRICS.slots.name, { account, queue: 'control' }),
      used: is(METRICS.slotsUsed.name, { account, queue: 'host' }),
      hashGain: is(METRICS.partHashGain.name),
    }).toEqual({
      sent: 3,
      failed: 1,
      retries: 1,
      bytes: 3 * PART_BYTES,
      durations: 3,
      starts: 1,
      logins: 1,
      uploads: 1,
      accounts: 1,
      ready: 1,
      draining: 0,
      bandwidth: 100_000_000,
      slots: 40,
      used: 0,
      hashGain: md5Engine.gain,
    });
    expect(is(`${METRICS.taskWait.name}_count`, { account, queue: 'host' })).toBeGreaterThanOrEqual(3);
    expect(is(METRICS.storageConcurrency.name)).toBeGreaterThan(0);
    expect(page).toMatch(/^temporal_num_pollers\{/m);
    await stop();
  });

  it('shows the progress of a batch, and counts its end', async () => {
    const { fixture } = on;
    const healthPort = await freePort();
    const stop = await fixture.startWorker({ healthPort, outputRoots: [fixture.folder] });
    const rows = await writeRows(fixture, 'seen', 3);
    await (await startRows(fixture, 'seen', rows)).result();
    const page = await (await fetch(`http://127.0.0.1:${String(healthPort)}/metrics`)).text();
    const account = fixture.accountId;
    const states = ['completed', 'failed', 'cancelled', 'running', 'waiting'];
    expect(
      states.map((state) => valueOf(page, METRICS.batchRows.name, { account, batch: 'seen', state })),
    ).toEqual([3, 0, 0, 0, 0]);
    expect(valueOf(page, METRICS.batchesEnded.name, { account, outcome: 'completed' })).toBe(1);
    expect(valueOf(page, METRICS.uploadsEnded.name, { account, outcome: 'completed' })).toBe(3);
    await stop();
  });
});

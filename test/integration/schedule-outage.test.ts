import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSchedule } from '../../temporal/schedules/create-schedule';
import { describeSchedule } from '../../temporal/schedules/describe-schedule';
import type { TempDir } from '../support/temp-dir';
import { createTempDir } from '../support/temp-dir';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { until } from '../support/until';
import { openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

let data: TempDir;
let server: TemporalServer;
let bed: UploadBed;
beforeAll(async () => {
  data = await createTempDir('temporal');
  server = await startTemporalServer({ dbFile: join(data.path, 'temporal.db') });
  bed = await openUploadBed({ temporal: { address: server.address, namespace: server.namespace } });
});
afterAll(async () => {
  await bed.close();
  await server.stop();
  await data.remove();
});

/** Temporal takes no shorter time for catching up than ten seconds. */
const OUTAGE_MS = 12_000;

it('a schedule whose times passed during an outage of Temporal fires once afterwards, for the first of them', async () => {
  const { account, accountId, connection, queuePrefix, folder, config } = bed;
  const { schedule } = await createSchedule(connection, {
    account,
    queuePrefix,
    wish: { id: 'outage', timing: { every: '1d', at: '07:00' }, targets: [`file:${folder}/outage`] },
    paths: { cwd: folder, host: config.host },
  });
  const handle = connection.client.schedule.getHandle(schedule.scheduleId);
  const startAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000);
  await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: 1_000 }], startAt } }));
  await until(
    'Temporal has taken the times over',
    () => describeSchedule(connection, { accountId, id: 'outage' }),
    ({ nextTimes }) => nextTimes[0]?.getTime() === startAt.getTime(),
  );
  await server.kill('SIGKILL');
  expect(Date.now()).toBeLessThan(startAt.getTime());
  await until('the times have passed', () => Date.now() > startAt.getTime() + OUTAGE_MS);
  server = await startTemporalServer({ port: server.port, dbFile: join(data.path, 'temporal.db') });
  // No worker ends the run, so whatever else is due is skipped.
  const after = await until(
    'the missed times are dealt with',
    () => describeSchedule(connection, { accountId, id: 'outage' }),
    ({ runs, skipped, missed }) => runs + skipped + missed > OUTAGE_MS / 1_000,
  );
  expect(after).toMatchObject({ runs: 1, missed: 0, running: [expect.any(String)] });
  const { info } = await handle.describe();
  expect(info.recentActions.map(({ scheduledAt }) => scheduledAt)).toEqual([startAt]);
});

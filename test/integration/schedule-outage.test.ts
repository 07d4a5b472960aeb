import { expect, it } from '@jest/globals';
import { createSchedule } from '../../temporal/schedules/create-schedule';
import { describeSchedule } from '../../temporal/schedules/describe-schedule';
import { useOwnTemporal } from '../support/own-temporal';
import { until } from '../support/until';

const temporal = useOwnTemporal();

/** Temporal accepts no catch-up time below ten seconds. */
const OUTAGE_MS = 12_000;

it('a schedule whose times passed during an outage of Temporal fires once afterwards, for the first of them', async () => {
  const { account, accountId, connection, queuePrefix, folder, config } = temporal.fixture;
  const { schedule } = await createSchedule(connection, {
    account,
    queuePrefix,
    request: { id: 'outage', timing: { every: '1d', at: '07:00' }, targets: [`file:${folder}/outage`] },
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
  await temporal.kill();
  expect(Date.now()).toBeLessThan(startAt.getTime());
  await until('the times have passed', () => Date.now() > startAt.getTime() + OUTAGE_MS);
  await temporal.restart();
  // There is no worker, so the run never ends and everything else that is due is skipped.
  const after = await until(
    'the missed times are dealt with',
    () => describeSchedule(connection, { accountId, id: 'outage' }),
    ({ runs, skipped, missed }) => runs + skipped + missed > OUTAGE_MS / 1_000,
  );
  expect(after).toMatchObject({ runs: 1, missed: 0, running: [expect.any(String)] });
  const { info } = await handle.describe();
  expect(info.recentActions.map(({ scheduledAt }) => scheduledAt)).toEqual([startAt]);
});

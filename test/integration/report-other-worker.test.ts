import { expect, it } from '@jest/globals';
import { useReportFixture } from '../support/report-fixture';

const at = useReportFixture({ worker: false });
const DAYS = ['21', '22', '23', '24'];

it('a report reaches a target that one of two workers may not post to, each day', async () => {
  const { on } = at;
  on.setNow('2026-11-20T06:00:30Z');
  await on.startWorker({ sourceHosts: [] });
  await on.startWorker();
  await on.create({ id: 'posted', targets: [on.hook.url] });
  for (const day of DAYS) {
    on.setNow(`2026-11-${day}T06:00:30Z`);
    expect((await on.run('posted')).targets).toMatchObject([{ outcome: 'delivered' }]);
  }
  expect(on.hook.posts).toHaveLength(DAYS.length);
});

import { planFailureReport } from '../../../../../temporal/reports/activities/read-report';
import { MORNING } from '../client/morning-schedule';
import { accountId, exampleDeps } from '../../worker/example-deps';
import { runActivity } from '../../worker/run-activity';

it('plans one period for new targets, the missing one for others, and none where nothing is due', async () => {
  const deps = exampleDeps();
  const delivered = [null, '2020-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
  const [first, missing, none] = await runActivity(planFailureReport(deps), {
    ...{ accountId, schedule: MORNING, delivered },
  });
  expect(Date.parse(first?.to ?? '') - Date.parse(first?.from ?? '')).toBe(24 * 3_600_000);
  expect(missing).toEqual({ from: delivered[1], to: first?.to });
  expect(none).toBeNull();
});

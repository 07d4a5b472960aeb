import type { ReportSchedule } from '../../../temporal/contract/failure-report';

/** A schedule for every day at 07:00 UTC. */
export const MORNING: ReportSchedule = {
  ...{ id: 'morning', zone: 'UTC', timing: { every: '1d' }, times: 'every day at 07:00' },
  ...{ interval: { days: 1 }, lagMs: 0, overlapMs: 0, scope: {}, targets: [] },
  ...{ onEmpty: 'send', deliveryLimitMs: 1_000 },
};

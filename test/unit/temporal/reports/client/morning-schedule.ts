import type { ReportSchedule } from '../../../../../temporal/reports/types';

/** A schedule for every day at 07:00 UTC. */
export const MORNING: ReportSchedule = {
  ...{ id: 'morning', zone: 'UTC', cron: '0 7 * * *', times: 'every day at 07:00' },
  ...{ interval: { days: 1 }, scope: {}, targets: [] },
};

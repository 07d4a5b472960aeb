import { expect, it } from '@jest/globals';
import type { TemporalConnection } from '../../../../../temporal/client/connect';
import { createSchedule } from '../../../../../temporal/reports/client/create-schedule';
import { ACCOUNT as account } from '../../../cli/example-account';

it('a schedule with more targets than Temporal accepts is refused before a request to Temporal', async () => {
  const addresses = Array.from({ length: 10_000 }, (_, at) => `operator-${at}@media.example`);
  const failed = {
    id: 'failed',
    timing: {},
    targets: [`mail:${addresses.join(',')}`],
    mailFrom: 'us@media.example',
    smtpSecret: 'smtp',
  };
  const create = createSchedule({} as TemporalConnection, { account, request: failed, paths: { cwd: '/' } });
  await expect(create).rejects.toMatchObject({
    code: 'Validation',
    message: expect.stringMatching(
      /^The targets and settings of the schedule have \d+ bytes as they are sent/,
    ),
    facts: { field: 'target', hint: expect.stringContaining('fewer targets') },
  });
});

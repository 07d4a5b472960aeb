import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { alertTarget } from '../../../../../temporal/activities/reports/alert-target';
import { webhookUrlPurpose, seal, sealKeysOf } from '../../../../../temporal/seal';
import { startWebhookReceiver } from '../../../../support/webhook-receiver';
import type { WebhookReceiver } from '../../../../support/webhook-receiver';
import { account, accountId, exampleDeps } from '../example-deps';

const transport = createUndiciTransport();
let hook: WebhookReceiver;
beforeAll(async () => {
  hook = await startWebhookReceiver('a signing key');
});
afterAll(async () => {
  await hook.close();
  await transport.close();
});

it("a target that can't be notified of a failure is not notified again, and the failure keeps its code", async () => {
  const url = seal(sealKeysOf(account.secretKey), hook.url, webhookUrlPurpose('hook'));
  const target = { kind: 'webhook', key: 'hook', url } as const;
  hook.answers.push({ status: 410 });
  const reported = new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }).run(
    alertTarget(exampleDeps(transport, { sourceHosts: ['127.0.0.1'] })),
    {
      accountId,
      schedule: {
        id: 'morning',
        zone: 'UTC',
        timing: { every: '1d' },
        times: 'every day at 07:00',
        interval: { days: 1 },
        lagMs: 0,
        overlapMs: 0,
        scope: {},
        targets: [target],
        state: { kind: 'path', path: '/elsewhere/state.json' } as const,
        onEmpty: 'send' as const,
        deliveryLimitMs: 1_000,
      },
      target,
      failure: {
        schedule: 'morning',
        accountId,
        at: '2026-11-21T07:00:00Z',
        reasons: ['The service answered 403.'],
        reached: [],
        workflowId: 'report/morning',
      },
      runId: 'a-run',
    },
  );
  await expect(reported).rejects.toMatchObject({
    type: 'RequestRefused',
    nonRetryable: true,
    message: expect.stringContaining('410'),
  });
});

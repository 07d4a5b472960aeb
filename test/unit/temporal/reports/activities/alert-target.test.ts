import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { alertTarget } from '../../../../../temporal/reports/activities/deliver-report';
import { seal, sealKeysOf, webhookUrlPurpose } from '../../../../../temporal/seal';
import { startWebhookReceiver } from '../../../../support/webhook-receiver';
import type { WebhookReceiver } from '../../../../support/webhook-receiver';
import { MORNING } from '../client/morning-schedule';
import { account, accountId, exampleDeps } from '../../worker/example-deps';
import { runActivity } from '../../worker/run-activity';

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
  const reported = runActivity(alertTarget(exampleDeps(transport, { sourceHosts: ['127.0.0.1'] })), {
    accountId,
    schedule: { ...MORNING, targets: [target] },
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
  });
  await expect(reported).rejects.toMatchObject({
    type: 'RequestRefused',
    nonRetryable: true,
    message: expect.stringContaining('410'),
  });
});

/** Records the history of a release's wait over HTTP, as `record-histories.ts` does for uploads. */
import { createHash } from 'node:crypto';
import { waitWorkflowId } from '../../temporal/waits/types';
import { startTestGateway } from '../support/gateway-fixture';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';
import { startWebhookReceiver } from '../support/webhook-receiver';
import { saveHistory } from './save-history';

const on = useUploadFixture();

it('records wait-delivered', async () => {
  const { connection, accountId, writeFile: write } = on.fixture;
  const gateway = await startTestGateway(on.fixture, { postTo: ['127.0.0.1'] });
  const hook = await startWebhookReceiver(createHash('sha256').update(gateway.token).digest());
  try {
    const { path } = await write('awaited.mp4', 0.1);
    await gateway.ask('/v1/uploads', { body: { source: path, ingestKey: 'awaited' } });
    await gateway.ask('/v1/waits', { body: { ids: ['awaited'], url: hook.url, waitId: 'w-1' } });
    await until(
      'it shows as delivered',
      () => gateway.ask('/v1/waits/w-1'),
      ({ json }) => json['status'] === 'DELIVERED',
    );
    await saveHistory(connection, waitWorkflowId(accountId, 'w-1'), 'wait-delivered');
  } finally {
    await gateway.stop();
    await hook.close();
  }
}, 90_000);

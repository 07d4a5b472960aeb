/** Records the history of a release's wait over HTTP, as `record-histories.ts` does for uploads. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { version } from '../../package.json';
import { waitWorkflowId } from '../../temporal/waits/types';
import { startTestGateway } from '../support/gateway-fixture';
import { recordedHistory } from '../support/recorded-history';
import { HISTORIES } from '../support/saved-histories';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';
import { startWebhookReceiver } from '../support/webhook-receiver';

const ROOT = resolve(__dirname, '..', '..');
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
    const text = await recordedHistory(connection, waitWorkflowId(accountId, 'w-1'));
    const folder = join(HISTORIES, version);
    await mkdir(folder, { recursive: true });
    // Stack traces contain the path of the project.
    const history = JSON.stringify(JSON.parse(text), null, 1).replaceAll(`${ROOT}${sep}`, '');
    await writeFile(join(folder, 'wait-delivered.json'), `${history}\n`, { flag: 'wx' });
    expect(text).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED');
  } finally {
    await gateway.stop();
    await hook.close();
  }
}, 90_000);

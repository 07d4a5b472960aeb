import { connectTemporal } from '../../temporal/client/connect';
import { afterTest } from '../support/after-test';
import { startTcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

it('if the connection is closed while a call is retried, the call ends and the process continues', async () => {
  const { temporal } = on.fixture.config;
  const [host = '', port = ''] = temporal.address.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  afterTest(proxy.close);
  const connection = await connectTemporal({ ...temporal, address: proxy.address });
  proxy.refuse();
  proxy.cut();
  const call = connection.client.workflow.getHandle('nobody').describe();
  const ended = call.catch((error: unknown) => error);
  // The first try has failed, and another one waits.
  await until('the call is tried again', () => proxy.refused > 1);
  await connection.close();
  expect(await ended).toMatchObject({ cause: { code: 14 } });
});

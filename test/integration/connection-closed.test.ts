import { expect, it } from '@jest/globals';
import { connectTemporal } from '../../temporal/client/connect';
import { startTcpProxy } from '../support/tcp-proxy';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

it('a connection that is closed while a call is tried again ends the call, and the process goes on', async () => {
  const { temporal } = on.bed.config;
  const [host = '', port = ''] = temporal.address.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  try {
    const connection = await connectTemporal({ ...temporal, address: proxy.address });
    proxy.refuse();
    proxy.cut();
    const call = connection.client.workflow.getHandle('nobody').describe();
    const ended = expect(call).rejects.toThrow();
    await connection.close();
    await ended;
  } finally {
    await proxy.close();
  }
});

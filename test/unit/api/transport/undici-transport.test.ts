import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import { describeTransport } from './transport-contract';

describeTransport({
  name: 'the undici transport',
  make: () => {
    const transport = createUndiciTransport();
    return { transport, close: () => transport.close() };
  },
});

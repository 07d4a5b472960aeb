import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { createN8nTransport } from '../../nodes/MediaService/n8n-transport';
import { describeTransport } from '../unit/api/transport/transport-contract';

describeTransport({
  name: "n8n's HTTP helper",
  make: () => ({
    transport: createN8nTransport({
      httpRequest: (options) => Container.get(OutboundHttp).requests().request(options),
    }),
    close: () => Promise.resolve(),
  }),
});

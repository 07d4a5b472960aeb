import { accountId } from '../../../api/account';
import { listUploads } from '../../../temporal/upload/client/list-uploads';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { LIMIT, limitOf, RETURN_ALL } from '../parameters';

/** Upload > Get Many: this account's uploads within the retention of the Temporal namespace, newest first. */
export const getMany: Operation = {
  option: {
    name: 'Get Many',
    value: 'getMany',
    description: 'List uploads of this account, newest first, as far back as Temporal keeps them',
    action: 'Get many uploads',
  },
  parameters: [RETURN_ALL, LIMIT],

  async execute({ context, signal, service, temporal }, itemIndex) {
    const { account } = await service(itemIndex);
    const { connection, queuePrefix } = await temporal(itemIndex);
    const { limit = Number.MAX_SAFE_INTEGER } = limitOf(context, itemIndex);
    const uploads = await listUploads(connection, {
      accountId: accountId(account),
      queuePrefix,
      limit,
      signal,
    });
    return uploads.map((upload) => plainItem(upload, itemIndex));
  },
};

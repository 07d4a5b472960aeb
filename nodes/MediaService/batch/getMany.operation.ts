import { accountId } from '../../../api/account';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import { plainItem } from '../items';
import type { Operation } from '../operation';
import { LIMIT, limitOf, RETURN_ALL } from '../parameters';

/** Batch > Get Many: this account's batches within the retention of the Temporal namespace, newest first. */
export const getMany: Operation = {
  option: {
    name: 'Get Many',
    value: 'getMany',
    description: 'List batches of this account, newest first, as far back as Temporal keeps them',
    action: 'Get many batches',
  },
  parameters: [RETURN_ALL, LIMIT],

  async execute({ context, signal, service, temporal }, itemIndex) {
    const { account } = await service(itemIndex);
    const { connection, queuePrefix } = await temporal(itemIndex);
    const { limit = Number.MAX_SAFE_INTEGER } = limitOf(context, itemIndex);
    const batches = await listBatches(connection, {
      accountId: accountId(account),
      queuePrefix,
      limit,
      signal,
    });
    return batches.map((batch) => plainItem(batch, itemIndex));
  },
};

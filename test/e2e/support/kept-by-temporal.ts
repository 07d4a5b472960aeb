import { connectTemporal } from '../../../temporal/client/connect';
import { storedTree } from '../../support/stored-texts';
import type { ServiceFixture } from './service-fixture';

/** Every text that Temporal stores for a workflow and its children: decoded histories, memos, summaries, heartbeats. */
export async function keptByTemporal({ temporal }: ServiceFixture, workflowId: unknown): Promise<string> {
  if (temporal === undefined) throw new Error('This stage has no Temporal.');
  const { address, namespace } = temporal;
  const connection = await connectTemporal({ address, namespace });
  try {
    const tree = await storedTree(connection, String(workflowId));
    return tree.map(({ history, described }) => `${history}\n${described}`).join('\n');
  } finally {
    await connection.close();
  }
}

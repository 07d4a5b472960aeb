import type { INodeProperties } from 'n8n-workflow';
import { accountId } from '../../api/account';
import type { TemporalConnection } from '../../temporal/client/connect';
import { plainItem } from './items';
import type { NodeExecution } from './node-execution';
import type { Operation } from './operation';
import { LIMIT, limitOf, RETURN_ALL } from './parameters';
import { hintWaitingRequest } from './without-worker';

/** What runs on workers, and is controlled in the same way: an upload or a batch. */
export interface Controlled {
  /** The words of the editor. */
  readonly one: string;
  readonly many: string;
  readonly pauses: string;
  /** What a cancel leaves, for its output. */
  readonly cancelNote: string;
  /** The field that identifies it. */
  readonly id: INodeProperties;
  workflowOf(execution: NodeExecution, itemIndex: number): Promise<string> | string;
  /** More fields of the output that identify it. */
  idsOf?(workflowId: string): object;
  open(connection: TemporalConnection, workflowId: string): Control;
  list(
    connection: TemporalConnection,
    list: { accountId: string; queuePrefix: string; limit: number; signal: AbortSignal | undefined },
  ): Promise<readonly object[]>;
}

interface Control {
  pause(): Promise<void>;
  resume(): Promise<void>;
  cancel(): Promise<void>;
}

/** Pause, Resume, Cancel and Get Many. A request that changes nothing, such as a second pause, is no error. */
export function controlOperations(
  what: Controlled,
): Readonly<Record<'cancel' | 'getMany' | 'pause' | 'resume', Operation>> {
  const { one, many, pauses, cancelNote } = what;
  return {
    cancel: request(what, {
      action: 'cancel',
      description: `End a running ${one}`,
      output: { cancelRequested: true, note: cancelNote },
    }),
    getMany: {
      option: {
        name: 'Get Many',
        value: 'getMany',
        description: `List ${many} of this account, newest first, as far back as Temporal keeps them`,
        action: `Get many ${many}`,
      },
      parameters: [RETURN_ALL, LIMIT],
      async execute({ context, signal, service, temporal }, itemIndex) {
        const { account } = await service(itemIndex);
        const { connection, queuePrefix } = await temporal(itemIndex);
        const { limit = Number.MAX_SAFE_INTEGER } = limitOf(context, itemIndex);
        const asked = { accountId: accountId(account), queuePrefix, limit, signal };
        return (await what.list(connection, asked)).map((listed) => plainItem(listed, itemIndex));
      },
    },
    pause: request(what, { action: 'pause', description: pauses, output: { pauseRequested: true } }),
    resume: request(what, {
      action: 'resume',
      description: `Continue a paused ${one}`,
      output: { resumeRequested: true },
    }),
  };
}

interface ControlRequest {
  readonly action: keyof Control;
  readonly description: string;
  readonly output: object;
}

function request(what: Controlled, { action, description, output }: ControlRequest): Operation {
  const name = `${action[0]?.toUpperCase() ?? ''}${action.slice(1)}`;
  const article = what.one.startsWith('u') ? 'an' : 'a';
  return {
    option: { name, value: action, description, action: `${name} ${article} ${what.one}` },
    parameters: [what.id],
    async execute(execution, itemIndex) {
      const workflowId = await what.workflowOf(execution, itemIndex);
      const { connection } = await execution.temporal(itemIndex);
      await what.open(connection, workflowId)[action]();
      await hintWaitingRequest(execution.context, connection, workflowId);
      return [plainItem({ ...what.idsOf?.(workflowId), workflowId, ...output }, itemIndex)];
    },
  };
}

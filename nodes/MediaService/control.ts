import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { textAt } from '../../api/json';
import { pathOf } from './access/door';
import { shownFields } from './await-end';
import { itemOf, plainItem } from './items';
import type { Operation } from './operation';
import { LIMIT, limitOf, RETURN_ALL } from './parameters';
import { ON_WORKER } from './upload/fields/run-in';
import { showWarnings } from './worker-warnings';

/** What runs on workers, and is controlled in the same way: an upload or a batch. */
export interface Controlled {
  /** The words of the editor. */
  readonly one: string;
  readonly many: 'uploads' | 'batches';
  readonly pauses: string;
  /** What a cancel leaves, for its output. */
  readonly cancelNote: string;
  /** The field that identifies it. */
  readonly id: INodeProperties;
  idOf(context: IExecuteFunctions, itemIndex: number): string;
  /** More fields of the output that identify it. */
  idsOf?(workflowId: string): object;
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
      parameters: [ON_WORKER, RETURN_ALL, LIMIT],
      async execute({ context, door }, itemIndex) {
        const { limit = Number.MAX_SAFE_INTEGER } = limitOf(context, itemIndex);
        const listed = await (await door(itemIndex)).list(`/v1/${many}`, {}, limit);
        return listed.map((found) => itemOf(shownFields(found), itemIndex));
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
  readonly action: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  readonly output: object;
}

function request(what: Controlled, { action, description, output }: ControlRequest): Operation {
  const name = `${action[0]?.toUpperCase() ?? ''}${action.slice(1)}`;
  const article = what.one.startsWith('u') ? 'an' : 'a';
  return {
    option: { name, value: action, description, action: `${name} ${article} ${what.one}` },
    parameters: [ON_WORKER, what.id],
    async execute({ context, door }, itemIndex) {
      const id = what.idOf(context, itemIndex);
      const answer = await (await door(itemIndex)).post(pathOf(what.many, id, action));
      showWarnings(context, answer['warnings']);
      const workflowId = textAt(answer, ['id']) ?? '';
      return [plainItem({ ...what.idsOf?.(workflowId), workflowId, ...output }, itemIndex)];
    },
  };
}

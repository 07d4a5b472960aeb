import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { given, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { capitalized, choices, collectionOf, field } from '../../n8n/form-fields';
import { pathOf } from './access/door';
import { shownFields } from './await-end';
import { itemOf } from './output';
import type { NodeExecution } from './node-execution';
import { WAITS_AT_ONCE } from './operation';
import type { Operation } from './operation';
import { choiceField, fieldsOf, LIMIT, limitOf, requiredText, RETURN_ALL, textField } from './parameters';
import { ON_WORKER } from './upload/upload-fields';
import { showWarnings } from './worker-warnings';

/** What runs on workers, and is controlled in the same way: an upload or a batch. */
interface Controlled {
  /** The words of the editor. */
  readonly one: string;
  readonly article: string;
  readonly many: 'uploads' | 'batches';
  readonly pauses: string;
  /** What a cancel leaves, for its output. */
  readonly cancelNote: string;
  /** The field that identifies it. */
  readonly id: INodeProperties;
  /** What to do if that is empty. */
  readonly idHint?: string;
  /** The fields of Get and Wait, if they are more. */
  readonly parametersOf?: (waits: boolean) => INodeProperties[];
  /** The output of Get and Wait without a worker. Undefined: a worker is asked. */
  session?(
    execution: NodeExecution,
    itemIndex: number,
    waits: boolean,
  ): Promise<INodeExecutionData[] | undefined>;
}

/** Get, Get Many, Wait, Pause, Resume and Cancel. A request that changes nothing, such as a second pause, is no error. */
export function controlOperations(what: Controlled): Operation[] {
  const { one, article, many, pauses, cancelNote } = what;
  return [
    request(what, {
      action: 'cancel',
      description: `End a running ${one}`,
      output: { cancelRequested: true, note: cancelNote },
    }),
    {
      option: {
        name: 'Get',
        value: 'get',
        description: `Get the progress or the result of ${article} ${one}`,
        action: `Get ${article} ${one}`,
      },
      parameters: what.parametersOf?.(false) ?? [what.id],
      async execute(execution, itemIndex) {
        const session = await what.session?.(execution, itemIndex, false);
        return session ?? [itemOf(shownFields(await shownOf(what, execution, itemIndex)), itemIndex)];
      },
    },
    getMany(many),
    request(what, { action: 'pause', description: pauses, output: { pauseRequested: true } }),
    request(what, {
      action: 'resume',
      description: `Continue a paused ${one}`,
      output: { resumeRequested: true },
    }),
    {
      option: {
        name: 'Wait',
        value: 'wait',
        description: `Wait for the end of ${article} ${one} that was started before`,
        action: `Wait for ${article} ${one}`,
      },
      parameters: what.parametersOf?.(true) ?? [what.id],
      atOnce: WAITS_AT_ONCE,
      async execute(execution, itemIndex) {
        const session = await what.session?.(execution, itemIndex, true);
        if (session !== undefined) return session;
        // The form may have the short id of a batch.
        const shown = await shownOf(what, execution, itemIndex);
        const simplify = execution.context.getNodeParameter('simplify', itemIndex, false) === true;
        return { list: many, workflowId: textAt(shown, ['id']) ?? '', simplify };
      },
    },
  ];
}

const STATUSES = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
const STATUS = field('status', { type: 'options', default: 'RUNNING', options: choices(STATUSES) });
const NAME = field('name', {
  placeholder: 'e.g. kitchen',
  description: 'Only those whose file name or batch ID contains this text',
});

function getMany(many: Controlled['many']): Operation {
  return {
    option: {
      name: 'Get Many',
      value: 'getMany',
      description: `List ${many} of this account, newest first, as far back as Temporal keeps them`,
      action: `Get many ${many}`,
    },
    parameters: [ON_WORKER, RETURN_ALL, LIMIT, collectionOf('Filter', [NAME, STATUS])],
    async execute({ context, door }, itemIndex) {
      const { limit = Number.MAX_SAFE_INTEGER } = limitOf(context, itemIndex);
      const filters = fieldsOf(context, 'filters', itemIndex);
      const status = choiceField(filters['status'], 'status', STATUSES);
      const query = given({ name: textField(filters['name'], 'name'), status });
      const listed = await (await door(itemIndex)).list(`/v1/${many}`, query, limit);
      return listed.map((found) => itemOf(shownFields(found), itemIndex));
    },
  };
}

const idOf = (what: Controlled, context: IExecuteFunctions, itemIndex: number): string =>
  requiredText(context, { name: what.id.name, hint: what.idHint }, itemIndex);

async function shownOf(
  what: Controlled,
  { context, door }: NodeExecution,
  itemIndex: number,
): Promise<JsonObject> {
  const path = pathOf(what.many, idOf(what, context, itemIndex));
  return (await door(itemIndex)).get(path);
}

interface ControlRequest {
  readonly action: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  readonly output: JsonObject;
}

function request(what: Controlled, { action, description, output }: ControlRequest): Operation {
  const name = capitalized(action);
  return {
    option: { name, value: action, description, action: `${name} ${what.article} ${what.one}` },
    parameters: [ON_WORKER, what.id],
    async execute({ context, door }, itemIndex) {
      const path = pathOf(what.many, idOf(what, context, itemIndex), action);
      const answer = await (await door(itemIndex)).post(path);
      showWarnings(context, answer['warnings']);
      const workflowId = textAt(answer, ['id']) ?? '';
      const batchId = workflowId.slice(workflowId.lastIndexOf('/') + 1);
      const ids = what.many === 'batches' ? { batchId, workflowId } : { workflowId };
      return [itemOf({ ...ids, ...output }, itemIndex)];
    },
  };
}

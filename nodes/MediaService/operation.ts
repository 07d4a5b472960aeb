import type {
  IDisplayOptions,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import type { AwaitedEnd } from './await-end';
import type { NodeExecution } from './node-execution';

/** The output items of an input item, or the end on a worker that makes them. */
export type OperationOutput = INodeExecutionData[] | AwaitedEnd;

/** One operation. Its file exports only its parameters and `execute`. */
export interface Operation {
  /** The entry in n8n's list: `name`, `value`, `description`, `action`. */
  readonly option: INodePropertyOptions;
  readonly parameters: INodeProperties[];
  /** True: `execute` runs once for all items together, with the index of the first. Default: once for each. */
  together?(context: IExecuteFunctions): boolean;
  /** How many items may run at once, besides those that have called `next`. Default 1. */
  readonly atOnce?: number;
  /**
   * The output for one item. Throws on failure; the router handles "continue on fail". `next` lets the next item begin
   * while this one only waits.
   */
  execute(execution: NodeExecution, itemIndex: number, next: () => void): Promise<OperationOutput>;
}

/** `atOnce` of operations that only wait. */
export const WAITS_AT_ONCE = 100;

export interface Resource {
  readonly option: INodePropertyOptions;
  readonly operations: readonly Operation[];
}

/** The resource's operation list and every operation's parameters, each shown only for its operation. */
export function resourceProperties({ option, operations }: Resource): INodeProperties[] {
  const resource = [String(option.value)];
  const [first = ''] = operations.map((operation) => operation.option.value);
  const picker: INodeProperties = {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource } },
    options: operations.map((operation) => operation.option),
    default: first,
  };
  const parameters = operations.flatMap((operation) => {
    const belongs = { resource, operation: [operation.option.value] };
    return operation.parameters.map((parameter) => shownWhere(belongs, parameter));
  });
  return [picker, ...parameters];
}

/** As n8n's `updateDisplayOptions`, whose general deep merge would slow down n8n's start. */
function shownWhere(
  belongs: NonNullable<IDisplayOptions['show']>,
  { displayOptions, ...parameter }: INodeProperties,
): INodeProperties {
  return {
    ...parameter,
    displayOptions: { ...displayOptions, show: { ...displayOptions?.show, ...belongs } },
  };
}

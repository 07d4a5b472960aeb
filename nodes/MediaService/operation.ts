import type {
  IDisplayOptions,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import type { NodeExecution } from './node-execution';

/** One operation: its file holds these two and nothing else that others need. */
export interface Operation {
  /** How n8n lists it: `name`, `value`, `description`, `action`. */
  readonly option: INodePropertyOptions;
  readonly parameters: INodeProperties[];
  /** True: `execute` runs once for all items together, with the index of the first. Default: once for each. */
  together?(context: IExecuteFunctions): boolean;
  /** The output for one item; throws on failure, and knows nothing of "continue on fail". */
  execute(execution: NodeExecution, itemIndex: number): Promise<INodeExecutionData[]>;
}

export interface Resource {
  readonly option: INodePropertyOptions;
  readonly operations: readonly Operation[];
}

/** The resource's operation picker and every operation's parameters, each shown only where it belongs. */
export function resourceProperties({ option, operations }: Resource): INodeProperties[] {
  const resource = [String(option.value)];
  const [first] = operations;
  const picker: INodeProperties = {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource } },
    options: operations.map((operation) => operation.option),
    default: first?.option.value ?? '',
  };
  const parameters = operations.flatMap((operation) => {
    const belongs = { resource, operation: [operation.option.value] };
    return operation.parameters.map((parameter) => shownWhere(belongs, parameter));
  });
  return [picker, ...parameters];
}

/** As `updateDisplayOptions` of n8n, whose general deep merge is a noticeable part of n8n's start. */
function shownWhere(
  belongs: NonNullable<IDisplayOptions['show']>,
  { displayOptions, ...parameter }: INodeProperties,
): INodeProperties {
  return {
    ...parameter,
    displayOptions: { ...displayOptions, show: { ...displayOptions?.show, ...belongs } },
  };
}

/** What the canvas shows below the node's name: the action of the chosen operation. */
export function subtitleOf(resources: readonly Resource[]): string {
  const actions = resources.flatMap(({ option, operations }) =>
    operations.map((operation) => [
      `${String(option.value)} ${String(operation.option.value)}`,
      operation.option.action,
    ]),
  );
  const names = JSON.stringify(Object.fromEntries(actions));
  return `={{ (${names})[$parameter["resource"] + " " + $parameter["operation"]] }}`;
}

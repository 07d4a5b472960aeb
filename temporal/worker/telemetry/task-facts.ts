import type { Info } from '@temporalio/activity';
import { given, isJsonObject } from '../../../api/json';

/** The subject of an activity, for logs, metrics and spans: names and numbers, never content. */
export interface TaskFacts {
  readonly accountId?: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
  readonly batchId?: string;
}

type QueueKind = 'control' | 'transfer' | 'host' | 'pages';

/** Reads the facts from an activity's input, as far as it contains them. */
export function taskFactsOf(args: readonly unknown[]): TaskFacts {
  const [input] = args;
  if (!isJsonObject(input)) return {};
  const account: unknown = input['account'];
  const named: unknown = isJsonObject(account) ? account['accountId'] : undefined;
  const accountId = textOf(input['accountId']) ?? textOf(named);
  const uploadId = textOf(input['uploadId']);
  const batchId = textOf(input['batchId']);
  const partNumber: unknown = input['partNumber'];
  return {
    ...given({ accountId, uploadId }),
    ...(typeof partNumber === 'number' ? { partNumber } : {}),
    ...(batchId === undefined ? {} : { batchId }),
  };
}

/** `<prefix>.<account>`, `….transfer`, `….transfer@<host>`, `….pages`, `….pages@<host>`. */
export function queueKindOf({ taskQueue }: Pick<Info, 'taskQueue'>): QueueKind {
  if (/\.transfer@[^@]+$/.test(taskQueue)) return 'host';
  if (/\.pages(@[^@]+)?$/.test(taskQueue)) return 'pages';
  return taskQueue.endsWith('.transfer') ? 'transfer' : 'control';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

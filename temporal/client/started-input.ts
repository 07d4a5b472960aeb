import { MediaServiceError } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import type { JsonObject } from '../../api/json';
import type { TemporalConnection } from './connect';
import { payloadReader } from './payload-reader';
import { askTemporal } from './rpc-failure';

/**
 * The input with which a run was started. Read from the first event of its history, so that no worker is needed.
 * Rejects with `RequestRefused` if Temporal does not know the run (any more).
 */
export async function startedInput(
  connection: TemporalConnection,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<unknown> {
  const { client, namespace } = connection;
  const { history } = await askTemporal(connection, execution.workflowId, () =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await payloadReader(connection)(payloads);
  return input;
}

export interface KnownInput<Input> {
  readonly workflowId: string;
  /** What the workflow was started as: `an upload`. */
  readonly noun: string;
  /** The newest schema that this version knows. */
  readonly schema: number;
  /** Fields that only such an input has. Temporal carries the rest as JSON. */
  readonly fields: readonly (keyof Input & string)[];
}

/** The input as its type. Throws `InputTooNew` if a newer version started it, and `Internal` if it is another input. */
export function checkedInput<Input>(input: unknown, known: KnownInput<Input>): Input {
  const { workflowId, noun, schema } = known;
  if (isKnown(input, known)) return input;
  const given = isJsonObject(input) ? input['schema'] : undefined;
  const isNewer = typeof given === 'number' && given > schema;
  throw new MediaServiceError(
    isNewer ? 'InputTooNew' : 'Internal',
    isNewer
      ? `${workflowId} was started with input schema ${String(given)}, this program knows ${String(schema)}: update it.`
      : `${workflowId} was not started as ${noun}.`,
  );
}

function isKnown<Input>(input: unknown, { schema, fields }: KnownInput<Input>): input is Input & JsonObject {
  if (!isJsonObject(input) || typeof input['schema'] !== 'number') return false;
  return input['schema'] <= schema && fields.every((field) => field in input);
}

import { ConfigurationError, errorWith, MediaServiceError } from '../../api/errors';
import { isBatchWorkflowId } from '../batch/ids';
import { grpcCodeOf, unreachable } from './connect';
import type { TemporalConnection } from './connect';

/** gRPC status codes that a caller can act on. */
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** With these codes, the server says that it did not execute a call. */
const REFUSED: ReadonlySet<number> = new Set([
  3,
  NOT_FOUND,
  6,
  PERMISSION_DENIED,
  8,
  FAILED_PRECONDITION,
  11,
  12,
  UNAUTHENTICATED,
]);

/** Whether Temporal did not answer at all, so that a retry can help. */
export function isUnreachable(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code === UNAVAILABLE || code === DEADLINE_EXCEEDED;
}

export function isDeadline(error: unknown): boolean {
  return grpcCodeOf(error) === DEADLINE_EXCEEDED;
}

/** Whether Temporal does not know the workflow (any more). For a cancellation, also whether no run of it is open. */
export function isNotFound(error: unknown): error is Error {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** What a call answers about a workflow. Undefined: Temporal does not know it (any more). */
export async function ifKnown<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Whether a start was refused because of the workflow that has its id. */
export function isAlreadyStarted(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError';
}

/**
 * A failed call to Temporal as our error: what to check, with the SDK's error as its cause. Our own errors pass
 * unchanged.
 */
export function errorOfRpc(
  { address, namespace }: Pick<TemporalConnection, 'address' | 'namespace'>,
  workflowId: string | undefined,
  error: unknown,
): Error {
  if (error instanceof MediaServiceError) return error;
  if (isUnreachable(error)) return unreachable({ address }, error);
  const code = grpcCodeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (isNamespaceMissing(error)) return namespaceMissing({ address, namespace }, error);
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return new ConfigurationError(
      'temporalApiKey',
      `Temporal at ${address} refuses the API key or certificate.`,
      'Check it, and that it may use this namespace.',
    );
  }
  if (isNotFound(error)) return notRunning(workflowId, error);
  if (error instanceof Error && error.name === 'ScheduleNotFoundError') return noSchedule(workflowId, error);
  return new MediaServiceError(
    'Internal',
    `Temporal refused the call: ${message}`,
    { details: code === undefined ? {} : { grpcCode: code } },
    { cause: error },
  );
}

/**
 * The same for a call that starts something. `ambiguous` unless the server refused the call, because it may have been
 * executed.
 */
export function errorOfStart(
  connection: Pick<TemporalConnection, 'address' | 'namespace'>,
  workflowId: string,
  error: unknown,
): Error {
  const code = grpcCodeOf(error);
  const failure = errorOfRpc(connection, workflowId, error);
  const isRefused = isNamespaceMissing(error) || (code !== undefined && REFUSED.has(code));
  if (isRefused || !(failure instanceof MediaServiceError)) return failure;
  return errorWith(failure, { outcome: 'ambiguous' });
}

/** Calls Temporal. Rejects with the error of `errorOfRpc`. */
export async function askTemporal<T>(
  connection: Pick<TemporalConnection, 'address' | 'namespace'>,
  workflowId: string | undefined,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

/** The same for a call that only describes the namespace, so that nothing else can be missing. */
export function errorOfNamespace(
  at: Pick<TemporalConnection, 'address' | 'namespace'>,
  error: unknown,
): Error {
  return grpcCodeOf(error) === NOT_FOUND ? namespaceMissing(at, error) : errorOfRpc(at, undefined, error);
}

/** The SDK's client reads this from the details of a gRPC error. */
function isNamespaceMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'NamespaceNotFoundError';
}

function namespaceMissing(
  { address, namespace }: Pick<TemporalConnection, 'address' | 'namespace'>,
  cause: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'namespace',
    `Temporal at ${address} has no namespace "${namespace}".`,
    'Check the namespace; on Temporal Cloud it ends with the account id.',
    { cause },
  );
}

function notRunning(workflowId: string | undefined, cause: Error): MediaServiceError {
  const noun = workflowId !== undefined && isBatchWorkflowId(workflowId) ? 'batch' : 'upload';
  return new MediaServiceError(
    'RequestRefused',
    `Temporal knows no such ${noun}: ${workflowId ?? 'unknown id'}.`,
    {
      outcome: 'refused',
      hint: `Find its id in ${noun === 'batch' ? '{batchList}' : '{uploadList}'}; ended ones stay visible for the retention time of the namespace.`,
    },
    { cause },
  );
}

function noSchedule(scheduleId = '', cause: Error): MediaServiceError {
  const id = scheduleId.slice(scheduleId.lastIndexOf('/') + 1);
  const hint = '`media-service schedules list` lists the schedules.';
  const message = `There is no schedule "${id}" of this account.`;
  return new MediaServiceError('RequestRefused', message, { outcome: 'refused', hint }, { cause });
}

import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { ErrorCode } from '../../api/errors';
import type { StepFailure } from '../../api/upload/upload-steps';
import { stepFailureOf } from '../failure';
import type { PayloadReader } from './payload-reader';

/** Why a step failed last; it is tried again. */
export interface HeldUp {
  readonly code: ErrorCode;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** As Temporal's protocol has it; the enum itself stands in a package that is not ours to install. */
const BENIGN = 1;

type Described = Pick<WorkflowExecutionDescription, 'raw'>;
type Failure = NonNullable<NonNullable<Described['raw']['pendingActivities']>[number]['lastFailure']>;

/** What the last try of a workflow's running step failed with; undefined where none has, or was only asked too early. */
export async function heldUpBy({ raw }: Described, read: PayloadReader): Promise<HeldUp | undefined> {
  for (const { lastFailure } of raw.pendingActivities ?? []) {
    const isBenign = Number(lastFailure?.applicationFailureInfo?.category) === BENIGN;
    if (lastFailure == null || isBenign) continue;
    const { code, message, facts } = await failureOf(lastFailure, read);
    return { code, message, ...(facts.hint === undefined ? {} : { hint: facts.hint }) };
  }
  return undefined;
}

async function failureOf(
  { message, applicationFailureInfo, timeoutFailureInfo }: Failure,
  read: PayloadReader,
): Promise<StepFailure> {
  const type = applicationFailureInfo?.type;
  // Without the key that they were encrypted with, the message alone has to do.
  const details = await read(applicationFailureInfo?.details?.payloads ?? []).catch(() => []);
  const name = timeoutFailureInfo == null ? 'ApplicationFailure' : 'TimeoutFailure';
  return stepFailureOf(Object.assign(new Error(message ?? 'An unknown failure'), { name, type, details }));
}

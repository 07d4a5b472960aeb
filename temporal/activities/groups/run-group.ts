import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { redact } from '../../../api/answers/redact';
import { inputsOf } from '../../contract/groups';
import type { Group, GroupResult } from '../../contract/groups';
import type { ActivityDeps } from '../context/activity-deps';
import { GroupRun } from './group-run';
import type { GroupStep } from './group-step';

/**
 * Runs one step for all inputs of a group, some of them at once, and answers with an outcome for each: one that fails never fails the others. Its
 * heartbeats carry the outcomes so far, so that the next try of this activity does only the rest. Inputs that twice lost their worker
 * travel alone from then on.
 *
 * A group in which nothing was done fails, and Temporal repeats it: waiting costs no history then, and the failure says what it waits for. Cancelled,
 * all that runs is aborted; when the worker stops, what is not done is given back.
 */
export async function runGroup<Input, Value>(
  deps: ActivityDeps,
  step: GroupStep<Input, Value>,
  group: Group<Input>,
): Promise<GroupResult<Input, Value>> {
  const context = Context.current();
  const run = new GroupRun({ deps, step, group: { ...group, inputs: inputsOf(group) }, context });
  const outcomes = await run.toEnd().catch((error: unknown) => {
    throw unexpected(error);
  });
  if (isDone(outcomes) || step.once === true || isHeldLongEnough(context, group)) return outcomes;
  // All of it is repeated.
  run.endTry();
  throw nothingMoved(outcomes, run.notYet());
}

function isDone(outcomes: GroupResult): boolean {
  return outcomes.some(
    (outcome) => outcome === null || !('again' in outcome) || outcome.again.alone === true,
  );
}

function isHeldLongEnough({ info }: Context, { holdMs }: Pick<Group<unknown>, 'holdMs'>): boolean {
  return holdMs !== undefined && Date.now() - info.scheduledTimestampMs >= holdMs;
}

/** A mistake of ours, and no input's: repeating it would not help, a smaller group may. */
function unexpected(error: unknown): ApplicationFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  return ApplicationFailure.nonRetryable(redact(message), 'GroupFailed');
}

/** Temporal waits as long as the first of them must, else by the activity's backoff. */
function nothingMoved(outcomes: GroupResult, reason: string): ApplicationFailure {
  const waits = outcomes.flatMap((outcome) =>
    outcome !== null && 'again' in outcome ? [outcome.again] : [],
  );
  const pauses = waits.flatMap(({ afterMs }) => afterMs ?? []);
  const delay = pauses.length === waits.length ? { nextRetryDelay: Math.min(...pauses) } : {};
  const failure = waits.find((wait) => wait.failure !== undefined)?.failure;
  if (failure === undefined) {
    return ApplicationFailure.create({
      message: reason,
      type: 'NotYet',
      category: ApplicationFailureCategory.BENIGN,
      ...delay,
    });
  }
  const { code: type, message, facts } = failure;
  return ApplicationFailure.create({ message, type, details: [facts], ...delay });
}

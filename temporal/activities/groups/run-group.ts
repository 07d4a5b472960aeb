import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { redact } from '../../../api/answers/redact';
import { inputsOf } from '../../contract/groups';
import type { Group, GroupResult } from '../../contract/groups';
import type { ActivityDeps } from '../context/activity-deps';
import { GroupRun } from './group-run';
import type { GroupStep } from './group-step';

/**
 * Runs one step for all inputs of a group, some of them at once, and returns an outcome for each. The failure of one
 * input never fails the others. Heartbeats carry the outcomes so far, so that the next try of this activity does only
 * the rest. Inputs that lost their worker twice run in their own group from then on.
 *
 * If nothing was done, the group fails and Temporal repeats it. So waiting adds no history, and the failure says what
 * the group waits for. A cancellation aborts everything that runs. When the worker stops, unfinished inputs are
 * requeued.
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
  if (isDone(outcomes) || step.once === true) return outcomes;
  // Temporal repeats all of it.
  run.endTry();
  throw nothingMoved(outcomes, run.notYet());
}

function isDone(outcomes: GroupResult): boolean {
  return outcomes.some((outcome) => !('again' in outcome) || outcome.again.alone === true);
}

/** A bug of this package, not of an input. Repeating it would not help, but a smaller group may. */
function unexpected(error: unknown): ApplicationFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  return ApplicationFailure.nonRetryable(redact(message), 'GroupFailed');
}

/** Temporal waits as long as the first input must, otherwise as the activity's backoff says. */
function nothingMoved(outcomes: GroupResult, reason: string): ApplicationFailure {
  const waits = outcomes.flatMap((outcome) => ('again' in outcome ? [outcome.again] : []));
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

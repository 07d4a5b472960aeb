import { Worker } from '@temporalio/worker';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** Before an activity does anything, or when it is done and its answer has not left its worker. */
export const KILL_MOMENTS = ['before', 'after'] as const;
export type KillMoment = (typeof KILL_MOMENTS)[number];

/**
 * The point at which a worker process ends itself by SIGKILL: the first call of this activity for a workflow of this
 * type.
 */
export interface KillPoint {
  readonly workflow: string;
  readonly activity: string;
  readonly moment: KillMoment;
}

/** Every worker that this process makes from now on kills the process at this point. */
export function dieAt(point: KillPoint): void {
  const create = Worker.create.bind(Worker);
  Worker.create = (options) => {
    const { interceptors } = options;
    const activity = [...(interceptors?.activity ?? []), at(point, die)];
    return create({ ...options, interceptors: { ...interceptors, activity } });
  };
}

/** The call of an activity that reached a point. */
export interface ReachedCall {
  readonly workflowId: string;
  readonly activityId: string;
}

/** Calls `act` at each call of the activity, at its moment. A failure counts as an answer as well. */
function at(
  { workflow, activity, moment }: KillPoint,
  act: (call: ReachedCall) => Promise<void>,
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        if (info.activityType !== activity || info.workflowType !== workflow) return next(input);
        const { activityId } = info;
        const call = { activityId, workflowId: info.workflowExecution?.workflowId ?? '' };
        if (moment === 'before') await act(call);
        try {
          return await next(input);
        } finally {
          if (moment === 'after') await act(call);
        }
      },
    },
  });
}

export type Hold = ReturnType<typeof heldAt>;

/** Holds calls at a point until they are released. */
export function heldAt(point: KillPoint) {
  const { promise: released, resolve } = Promise.withResolvers<undefined>();
  /** Resolves with the first call. */
  const { promise: reached, resolve: reach } = Promise.withResolvers<ReachedCall>();
  const hold = (call: ReachedCall): Promise<void> => {
    reach(call);
    return released;
  };
  /** The interceptor for the worker. */
  const factory = at(point, hold);
  return { factory, reached, released, release: () => resolve(undefined) };
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

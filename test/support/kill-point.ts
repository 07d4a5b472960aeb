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

/** Calls `act` at each call of the activity, at its moment. A failure counts as an answer as well. */
function at(
  { workflow, activity, moment }: KillPoint,
  act: () => Promise<void>,
  workflowIdEnd = '',
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const isMeant = info.activityType === activity && info.workflowType === workflow;
        const workflowId = info.workflowExecution?.workflowId ?? '';
        if (!isMeant || !workflowId.endsWith(workflowIdEnd)) return next(input);
        if (moment === 'before') await act();
        try {
          return await next(input);
        } finally {
          if (moment === 'after') await act();
        }
      },
    },
  });
}

/** Holds calls at a point until they are released. */
export interface Hold {
  /** The interceptor for the worker. */
  readonly factory: ActivityInterceptorsFactory;
  /** Resolves with the first call. */
  readonly reached: Promise<void>;
  release(): void;
}

/** `workflowIdEnd`: only workflows whose ID ends like this. */
export function heldAt(point: KillPoint, workflowIdEnd?: string): Hold {
  let release: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (): Promise<void> => {
    reach();
    return released;
  };
  return { factory: at(point, hold, workflowIdEnd), reached, release };
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

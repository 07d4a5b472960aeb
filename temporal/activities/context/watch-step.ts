import type { TaskFacts } from '../../worker/telemetry/task-facts';

/** One try of a step. */
export interface WatchedStep {
  /** The name of the step in `UploadSteps`. */
  readonly step: string;
  /** 1 = the first. */
  readonly attempt: number;
  readonly facts: TaskFacts;
  /** True: the step is an activity, which has a span of its own. */
  readonly isActivity?: true;
}

/** Watches one try from start to end. The result or error of `run` passes unchanged. */
export type WatchStep = <T>(step: WatchedStep, run: () => Promise<T>) => Promise<T>;

/** Watches nothing. */
export const unwatched: WatchStep = (_step, run) => run();

import type { TaskFacts } from '../../worker/telemetry/task-facts';

/** One try of a step for one input of a group. */
export interface WatchedStep {
  /** As `UploadSteps` names it. */
  readonly step: string;
  /** 1 = the first. */
  readonly attempt: number;
  readonly facts: TaskFacts;
}

/** Watches one try from its begin to its end; what it returns or throws passes unchanged. */
export type WatchStep = <T>(step: WatchedStep, run: () => Promise<T>) => Promise<T>;

/** Where nobody counts. */
export const unwatched: WatchStep = (_step, run) => run();

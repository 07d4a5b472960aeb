import type { KillMoment } from '../../support/kill-point';
import type { ReportFixture } from '../../support/report-fixture';
import type { StoredWorkflow } from '../../support/stored-texts';
import type { UploadFixture } from '../../support/upload-fixture';

/** What a run leaves behind for the invariant to check. */
export interface Evidence {
  /** Root workflows; their children belong to them. */
  readonly workflowIds: readonly string[];
  /** What Temporal stored for earlier starts under the same workflow ids. Default: none. */
  readonly earlier?: readonly StoredWorkflow[];
  /** Title and file of everything that was uploaded. */
  readonly files: ReadonlyMap<string, string>;
  /** Results, result lines and errors, as their readers see them. */
  readonly reported: unknown;
  /** All files that were written besides. */
  readonly folders?: readonly string[];
}

/** One cell of the table, while it runs. */
export interface Cell {
  readonly fixture: UploadFixture;
  readonly reports: ReportFixture;
  readonly moment: KillMoment;
  /** Resolves once the run continues: another worker polls, or the activity is released. */
  readonly resumed: Promise<void>;
}

/** An upload, a batch or a report that runs through the activity. `pause` and `resume` of a report: its schedule. */
export interface Controlled {
  readonly workflowId: string;
  pause(): Promise<void>;
  resume(): Promise<void>;
  cancel(): Promise<void>;
  result(): Promise<unknown>;
}

/** A run that has started, and that its user can control. */
export interface RunContext {
  readonly handle: Controlled;
  /** What the run leaves behind. `reported`: what its callers received. */
  evidence(reported: unknown): Promise<Evidence>;
  /** Starts the same again. */
  again(): Promise<Controlled>;
  /** What a run that has ended shows besides its result. */
  shown?(): Promise<unknown>;
}

/** Brings a workflow that can be controlled to an activity. */
export type Scenario = (cell: Cell) => Promise<RunContext>;

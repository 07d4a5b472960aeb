import type { StepFailure } from '../../api/upload/upload-steps';
import type { UploadWorkflowInput } from '../contract/upload';

/** What the inputs of all uploads of a page have in common. */
export type SharedInput = Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>;
/** The ingest key is left out because it follows from the ids of the batch and the row. */
type OwnInput = Omit<UploadWorkflowInput, keyof SharedInput | 'ingestKey'>;

/** A row that must be uploaded. */
export interface LoadedRow {
  readonly line: number;
  readonly id: string;
  /** Runs of the row so far. */
  readonly attempts: number;
  /** The source as the manifest names it, for the results. For an http URL, its label. */
  readonly source: string;
  /** Only for a row that can't be uploaded. Otherwise the upload's input contains it. */
  readonly title?: string;
  /** An upload under the row's key runs or is completed. The row takes the result of that upload. */
  readonly joins?: true;
  /** Unset: the row can't be uploaded, and `error` says why. */
  readonly upload?: { readonly input: OwnInput; readonly inputDigest: string };
  readonly error?: StepFailure;
}

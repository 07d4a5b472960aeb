import type { LiveProgress } from '../../temporal/client/upload-handle';

/** Shows the progress of uploads, only on stderr. */
export interface ProgressView {
  readonly show: (file: string, progress: LiveProgress) => void;
  /** Shows a line about one upload that is not progress, such as its end or that nobody works on it. */
  readonly say: (text: string) => void;
  /** An upload of this many bytes ended well. */
  readonly completed: (file: string, bytes: number) => void;
  /** An upload ended in another way. */
  readonly failed: (file: string) => void;
  readonly close: () => void;
}

import type { LiveProgress } from '../../temporal/client/upload-handle';

/** Shows how uploads go on. Draws on stderr alone. */
export interface ProgressView {
  readonly show: (file: string, progress: LiveProgress) => void;
  /** A line about one upload that is no progress: that nobody works on it, or its end. */
  readonly say: (text: string) => void;
  /** An upload of so many bytes ended well. */
  readonly completed: (file: string, bytes: number) => void;
  /** An upload ended in another way. */
  readonly failed: (file: string) => void;
  readonly close: () => void;
}

import type { ManifestRow } from '../../manifest/row';
import type { BatchCounts, ResultLine } from '../contract/batch';
import { NO_ROWS, withEnded } from '../contract/batch-counts';

/** What the first pass over a batch's pages collects. */
export class ResultsSummary {
  counts: BatchCounts = NO_ROWS;
  readonly tags = new Set<string>();
  /** Ids of failed rows by page. */
  readonly failed = new Map<number, Set<string>>();
  readonly #round: number;

  constructor(round: number) {
    this.#round = round;
  }

  add(page: number, row: ManifestRow, line: ResultLine): void {
    this.counts = withEnded({ ...this.counts, rows: this.counts.rows + 1 }, line, this.#round);
    if (line.status !== 'FAILED') return;
    for (const tag of Object.keys(row.media.tags ?? {})) this.tags.add(tag);
    this.failed.set(page, (this.failed.get(page) ?? new Set()).add(line.id));
  }
}

import { jsonBytes } from '../../../api/upload/request/json-size';
import type { InputOutcome } from '../../contract/groups';
import { MAX_OUTCOME_BYTES } from './outcome-of';

/** When the outcomes have this number of bytes, nothing more begins. Values of running inputs may exceed it. */
const FULL_BYTES = 400_000;

/** The size of a group's result. The values together are no larger than a single one may be. */
export class ResultSize {
  private bytes = 0;
  /** The share of the values. */
  private valueBytes = 0;

  isFull(): boolean {
    return this.bytes > FULL_BYTES;
  }

  /** Counts an outcome, and returns it. A value that is too large beside the others becomes another try. */
  add<Input, Value>(
    outcome: InputOutcome<Input, Value>,
    tries: number,
    mayRepeat: boolean,
  ): InputOutcome<Input, Value> {
    const bytes = jsonBytes(outcome);
    if (!('value' in outcome)) {
      this.bytes += bytes;
      return outcome;
    }
    if (mayRepeat && this.valueBytes > 0 && this.valueBytes + bytes > MAX_OUTCOME_BYTES) {
      // A value that fills a result travels alone.
      return { again: { tries, afterMs: 0, ...(bytes > FULL_BYTES ? { alone: true } : {}) } };
    }
    this.bytes += bytes;
    this.valueBytes += bytes;
    return outcome;
  }
}

import type { JsonObject } from '../../../api/json';

/** One choice of the parameter "Event", opened for one poll. */
export interface TriggerEvent {
  /** The parameters of the event. If they differ from those of the stored state, the trigger starts again. */
  readonly asks: JsonObject;
  /**
   * The new items since `state`, and the state after them. `state` is undefined at the first poll. A failure rejects
   * and changes nothing.
   */
  poll(state: unknown): Promise<EventPoll>;
  /** The newest existing item for "Fetch Test Event", or undefined if there is none. */
  example(): Promise<JsonObject | undefined>;
}

export interface EventPoll {
  readonly state: JsonObject;
  /** In the order of the output. */
  readonly items: readonly JsonObject[];
}

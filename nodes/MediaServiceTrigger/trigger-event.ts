import type { JsonObject } from '../../api/json';

/** One choice of the parameter "Event", opened for one poll. */
export interface TriggerEvent {
  /** What is asked for: where it differs from what the stored state was made for, the trigger starts anew. */
  readonly asks: JsonObject;
  /** What is new since `state`, which is undefined at the first poll, and the state after it. A failure rejects and changes nothing. */
  poll(state: unknown): Promise<EventPoll>;
  /** The newest that exists, for "Fetch Test Event"; undefined: there is none. */
  example(): Promise<JsonObject | undefined>;
}

export interface EventPoll {
  readonly state: JsonObject;
  /** In the order in which they are to come. */
  readonly items: readonly JsonObject[];
}

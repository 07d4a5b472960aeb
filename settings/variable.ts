/** One environment variable: what it is called, what it means, and how its text becomes a value. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** Where it stands in the documentation. */
  readonly group: VariableGroup;
  /** One sentence for a reader who sees it for the first time. */
  readonly meaning: string;
  /** What holds while it is unset, as the documentation says it. */
  readonly whenUnset: string;
  /** A value that would be accepted; shown when another one was not. */
  readonly example: string;
  /** True: never shown, and also read from the file that `<name>_FILE` names. */
  readonly secret?: boolean;
  /** Throws an `Error` whose message ends the sentence "<name> …". */
  parse(text: string): T;
}

export type VariableGroup = 'account' | 'service' | 'sources' | 'temporal' | 'workers';

/** Keeps the type of the value. */
export function variable<T>(definition: Variable<T>): Variable<T> {
  return definition;
}

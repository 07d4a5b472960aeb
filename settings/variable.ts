/** One environment variable: its name, its meaning, and how to read its text. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** Its section in the documentation. */
  readonly group: VariableGroup;
  /** One sentence for a reader who sees it for the first time. */
  readonly meaning: string;
  /** What applies while it is unset, in the words of the documentation. */
  readonly whenUnset: string;
  /** A valid value, shown when another value was refused. */
  readonly example: string;
  /** True: never shown, and also read from the file in `<name>_FILE`. */
  readonly secret?: boolean;
  /** The value is a path, or several separated as in PATH. */
  readonly paths?: 'one' | 'list';
  /** Throws an `Error` whose message ends the sentence "<name> …". */
  parse(text: string): T;
}

export type VariableGroup = 'account' | 'service' | 'sources' | 'temporal' | 'workers';

/** Keeps the type of the value. */
export function variable<T>(definition: Variable<T>): Variable<T> {
  return definition;
}

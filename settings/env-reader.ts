import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../api/errors';
import { unreadableReason } from '../files/read-failure';
import type { Variable } from './variables';

export type Env = Readonly<Record<string, string | undefined>>;

/** Reads variables and collects their problems, so that one message can name them all. */
export class EnvReader {
  private readonly problems: { readonly name: string; readonly problem: string }[] = [];

  constructor(private readonly env: Env) {}

  /**
   * Returns the variable's value; undefined if it is unset, empty or wrong. A secret is also read from the file in
   * `<name>_FILE`.
   */
  read<T>(variable: Variable<T>): T | undefined {
    const text = variable.secret === true ? this.secretText(variable.name) : this.env[variable.name];
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return variable.parse(text);
    } catch (error) {
      const shown = variable.secret === true ? '' : ` (it is "${text}")`;
      const reason = error instanceof Error ? error.message : "can't be read";
      this.problem(variable.name, `${reason}${shown}; an example: ${variable.example}`);
      return undefined;
    }
  }

  /** Notes a problem. `problem` ends the sentence "<name> …". */
  problem(name: string, problem: string): void {
    this.problems.push({ name, problem });
  }

  /** Returns one `ConfigurationError` with all problems so far; undefined if there are none. */
  problemFound(): ConfigurationError | undefined {
    const [first] = this.problems;
    if (first === undefined) return undefined;
    const lines = this.problems.map(({ name, problem }) => `${name} ${problem}`);
    return new ConfigurationError(
      first.name,
      lines.length === 1
        ? `${lines.join('')}.`
        : `${lines.length} settings are wrong:\n  ${lines.join('\n  ')}`,
      'Fix these environment variables. The documentation of this package lists them all.',
    );
  }

  private secretText(name: string): string | undefined {
    const fileName = `${name}_FILE`;
    const direct = this.env[name];
    const file = this.env[fileName];
    if (file === undefined || file === '') return direct;
    if (direct !== undefined && direct !== '') {
      this.problem(name, `and ${fileName} are both set; keep one of them`);
      return undefined;
    }
    try {
      return readFileSync(file, 'utf8').trimEnd();
    } catch (error) {
      const why = file.startsWith('~')
        ? 'begins with "~", which only a shell expands: write the path in full'
        : `names a file that ${unreadableReason(error)}`;
      this.problem(fileName, `${why} (it is "${file}"); an example: /run/secrets/media-service`);
      return undefined;
    }
  }
}

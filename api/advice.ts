import type { ErrorCode } from './errors';
import { given } from './json';

/**
 * What each interface (command line, n8n, TypeScript) calls the same thing. Hints have these names in braces:
 * `Add its folder to {fileRoots}.` A name of a thing with a value stands before it: `{batchEnd:acme}`.
 */
export interface DoorNames {
  readonly accounts: string;
  readonly secrets: string;
  readonly deliveryFields: string;
  readonly fileRoots: string;
  readonly outputRoots: string;
  readonly sourceHosts: string;
  readonly spoolDir: string;
  readonly s3Buckets: string;
  readonly s3Credentials: string;
  readonly s3Endpoint: string;
  readonly s3Region: string;
  readonly sourceSecret: string;
  /** These are what to do, such as `use --again`. */
  readonly all: string;
  readonly allowPlainHttp: string;
  readonly certificates: string;
  readonly payForRequests: string;
  readonly acceptAnyContent: string;
  readonly turnOffChecksums: string;
  readonly again: string;
  readonly sharedPath: string;
  readonly nameFormat: string;
  readonly fileType: string;
  readonly maxParts: string;
  readonly concurrency: string;
  readonly partContentType: string;
  readonly additionalUrls: string;
  readonly previousSecretKeys: string;
  readonly waitForSession: string;
  readonly ingestKey: string;
  readonly batchId: string;
  readonly uploadEnd: (id: string) => string;
  readonly batchEnd: (id: string) => string;
  readonly temporalTls: string;
  readonly noTls: string;
  /** The name of an option or setting of TypeScript. */
  readonly option: (name: string) => string;
}

/** The words of one interface. A missing name or code does not compile. */
export interface DoorWords {
  readonly names: DoorNames;
  /** For errors without a hint. Null: the user can do nothing about it, or the message says it all. */
  readonly codes: Readonly<Record<ErrorCode, string | null>>;
}

/** An error, or the reason for a wait, as far as advice needs it. */
interface Advised {
  readonly code?: string;
  readonly hint?: string | undefined;
}

const NAME = /\{(\w+)(?::([^{}]*))?\}/g;

/** Says what to do in the words of one interface: the hint, else what the interface says of the code. */
export function whatToDo({ names, codes }: DoorWords, { code = '', hint }: Advised): string | undefined {
  if (hint === undefined)
    return Object.hasOwn(codes, code) ? (codes[code as ErrorCode] ?? undefined) : undefined;
  return hint.replace(NAME, (whole: string, name: keyof DoorNames, value?: string) => {
    const shown = Object.hasOwn(names, name) ? names[name] : whole;
    return typeof shown === 'string' ? shown : shown(value ?? '');
  });
}

/** Returns an error, a reason or a warning with its hint in the words of one interface. Undefined stays undefined. */
export function shownAdvice<T extends Advised | undefined>(words: DoorWords, advice: T): T {
  return advice && { ...advice, ...given({ hint: whatToDo(words, { hint: advice.hint }) }) };
}

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

type Method = 'read' | 'stat' | 'sync' | 'write';

/** Lets the next use of an open file, or each, fail with the system's code. `jest.restoreAllMocks` ends it. */
export async function failFiles(
  method: Method,
  code: string,
  which: 'next' | 'each' = 'next',
): Promise<void> {
  const own = await open(__filename);
  await own.close();
  const methods: Record<Method, (...values: never[]) => Promise<unknown>> = Object.getPrototypeOf(
    own,
  ) as FileHandle;
  const error = Object.assign(new Error(code), { code, syscall: method });
  const spy = jest.spyOn(methods, method);
  if (which === 'next') spy.mockRejectedValueOnce(error);
  else spy.mockRejectedValue(error);
}

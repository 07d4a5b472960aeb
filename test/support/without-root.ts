const NOBODY = 65_534;

/** Runs without root's right to write everywhere. Other users do not have that right anyway. */
export async function withoutRoot<T>(run: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || seteuid === undefined) return run();
  seteuid(NOBODY);
  try {
    return await run();
  } finally {
    seteuid(0);
  }
}

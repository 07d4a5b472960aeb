/**
 * Whether a signal or a cancellation found no running workflow. Temporal's core reports it only in the message: "…
 * because it was not found", "… because not found".
 */
export function hasEnded(error: unknown): boolean {
  return error instanceof Error && /because (it was )?not found$/.test(error.message);
}

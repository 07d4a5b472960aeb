/**
 * Returns whether nothing may be drawn on the terminal: it can't move its cursor (TERM=dumb), or its user wants plain
 * text (NO_COLOR).
 */
export function isPlainTerminal(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env['TERM'] === 'dumb' || (env['NO_COLOR'] ?? '') !== '';
}

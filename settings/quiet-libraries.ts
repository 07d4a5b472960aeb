/**
 * Keeps libraries from writing their own messages to standard error, where logs are JSON and `--json` has errors. Call
 * it before they are loaded. Variables that are already set stay.
 */
export function quietLibraries(env: Record<string, string | undefined> = process.env): void {
  // Users of a command can't change a library that calls deprecated functions. --trace-deprecation still shows it.
  process.noDeprecation ??= !process.traceDeprecation;
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}

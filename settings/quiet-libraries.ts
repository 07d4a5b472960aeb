/**
 * Keeps libraries from writing to standard error what is no message of this program's, where logs are JSON and `--json` has errors. Has to be
 * called before they are loaded; what somebody has set stays.
 */
export function quietLibraries(env: Record<string, string | undefined> = process.env): void {
  // Who runs a command can do nothing about a library that calls something old; --trace-deprecation still shows it.
  process.noDeprecation ??= !process.traceDeprecation;
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}

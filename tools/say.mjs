/** Set-up writes messages to stderr, because callers read stdout, for example a tool's path. */
export function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

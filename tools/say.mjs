/** Set-up writes messages to stderr, because callers read stdout, for example a tool's path. */
export function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/** Says why the next step will be silent for long, to people and to programs that watch the log. */
export function sayWait({ step, about, why }) {
  process.stderr.write(`set-up: wait step=${step} about="${about}" why="${why}"\n`);
}

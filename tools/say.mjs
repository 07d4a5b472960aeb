/** Set-up talks on stderr: stdout belongs to what a caller reads, such as a tool's path. */
export function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/** Tells people, and programs that watch the log, why the next step is silent for long. */
export function sayWait({ step, about, why }) {
  process.stderr.write(`set-up: wait step=${step} about="${about}" why="${why}"\n`);
}

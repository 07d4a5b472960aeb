import { spawn } from 'node:child_process';

/** Runs a command with its output in this terminal. Resolves on exit code 0, otherwise rejects with one sentence. */
export async function run(command, args, options = {}) {
  const { code } = await exitOf(
    spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options }),
  );
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}.`);
}

/** Runs a command and collects its output. Never rejects. A missing command gives code 127. */
export async function capture(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const { code, error } = await exitOf(child);
  return { code, stdout, stderr: error ? String(error.message) : stderr };
}

function exitOf(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 127, error }));
    child.once('close', (code, signal) => resolve({ code: code ?? signal }));
  });
}

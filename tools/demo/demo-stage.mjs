/** Processes and files of the demo. All of them are removed at the end, even after a failure. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { distOfCommand } from '../folders.mjs';

/** Time for a process to end normally before it is killed. */
const GRACE_MS = 5_000;
const SERVING_LIMIT_MS = 180_000;
const COMMAND = join(distOfCommand, 'cli', 'main.js');

export class Stage {
  #children = new Set();
  #folder;
  #cleared;

  /** The demo's own folder. */
  async folder() {
    this.#folder ??= await realpath(await mkdtemp(join(tmpdir(), 'media-service-demo-')));
    return this.#folder;
  }

  /** Starts a program; `stdio` as for spawn. */
  start(program, args, { env, cwd, stdio }) {
    const child = spawn(program, args, { env, cwd, stdio });
    child.ended = new Promise((resolve) => {
      child.once('error', () => resolve(-1));
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    this.#children.add(child);
    child.ended.then(() => this.#children.delete(child));
    return child;
  }

  /** Starts `media-service`. Resolves with the first line of JSON that it prints. */
  startCommand(args, options) {
    return this.startScript([COMMAND, ...args, '--json'], options);
  }

  /** The same for another script. */
  async startScript(words, options) {
    const child = this.start(process.execPath, words, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-2_000)));
    return { child, ready: await firstLine(child, () => log) };
  }

  /** Runs `media-service` to its end. Returns its output if `stdio` is `pipe`. */
  async run(args, { env, cwd, stdio = ['ignore', 'pipe', 'inherit'] }) {
    const child = this.start(process.execPath, [COMMAND, ...args], { env, cwd, stdio });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (piece) => (text += piece));
    const code = await child.ended;
    if (code !== 0) throw new Error(`media-service ${args[0]} ended with ${code}.`);
    return text;
  }

  /**
   * Ends running processes, newest first, and removes the folder. A second call joins the first, so that processes
   * don't get a second, harder signal.
   */
  clear() {
    this.#cleared ??= this.#clear();
    return this.#cleared;
  }

  async #clear() {
    for (const child of [...this.#children].reverse()) await end(child);
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Ends one process normally, or by force if it does not react. */
export async function end(child) {
  child.kill('SIGTERM');
  const late = new AbortController();
  pause(GRACE_MS, undefined, { signal: late.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await child.ended;
  late.abort();
}

/** A free loopback port. Below those of outgoing connections, one of which could take it before its server does. */
export async function freePort() {
  const port = randomInt(10_081, 31_000);
  return (await takesConnections(port)) ? freePort() : port;
}

/** Resolves when something listens on the port. Rejects if the process that should listen has ended. */
export async function serving(port, child) {
  let ended = false;
  const note = () => (ended = true);
  child.ended.then(note, note);
  const giveUpAt = Date.now() + SERVING_LIMIT_MS;
  while (!(await takesConnections(port))) {
    if (ended || Date.now() > giveUpAt) throw new Error(`Nothing listens on port ${port}.`);
    await pause(50);
  }
}

/** Whether something on this machine listens on the port. */
function takesConnections(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function firstLine(child, log) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
    });
    child.ended.then((code) =>
      reject(new Error(`A process ended with ${code} before it was ready.\n${log()}`)),
    );
  });
}

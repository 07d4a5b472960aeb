#!/usr/bin/env node
import { systemClock } from '../api/clock';
import { packageVersion } from '../temporal/worker/package-version';
import { Interrupts } from './interrupts';
import { libraryException } from './errors/render-error';
import { EXIT_CODES } from './exit-codes';
import { outputFailed } from '../files/output-path';
import { runWithSettingsFile } from './program';
import { isPlainTerminal, quietLibraries } from '../settings/surroundings';
import { Terminal, written } from './output/terminal';

/**
 * How long open handles of libraries may keep an ended command alive after its output was written. gRPC keeps a timer
 * of ten seconds after a connection that failed.
 */
const LINGER_MS = 100;

async function main(): Promise<void> {
  quietLibraries();
  const interrupts = new Interrupts(() => process.exit(EXIT_CODES.INTERRUPTED.code));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupts.stop(signal));
  // The terminal or its connection is gone. Without a listener, a worker would end in the middle of its parts.
  process.on('SIGHUP', () => interrupts.stop('SIGTERM'));
  const terminal = new Terminal(
    { stdout: process.stdout, stderr: process.stderr },
    { plain: isPlainTerminal(process.env) },
  );
  // Nobody reads stderr, so there is no way to report this. The work continues.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (terminal.outlivesReaders) return;
    // The reader has read enough, as `| head` does.
    if (error.code === 'EPIPE') process.exit(EXIT_CODES.OK.code);
    terminal.fail(outputFailed('stdout', error));
    process.exit(EXIT_CODES.FAILED.code);
  });
  process.on('uncaughtException', (error, origin) => {
    // A rejection that nobody handles may be one that somebody still waits for.
    const warning = origin === 'uncaughtException' ? libraryException(error) : undefined;
    if (warning !== undefined) terminal.warn(warning);
    else {
      terminal.view = { ...terminal.view, debug: true };
      terminal.fail(error);
      process.exit(EXIT_CODES.UNEXPECTED.code);
    }
  });
  const context = { terminal, interrupts, cwd: process.cwd(), clock: systemClock, env: process.env };
  process.exitCode = await runWithSettingsFile(process.argv.slice(2), context, packageVersion());
  await written([process.stdout, process.stderr]);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

void main();

#!/usr/bin/env node
import { systemClock } from '../api/clock';
import { packageVersion } from '../temporal/worker/package-version';
import { Interrupts } from './interrupts';
import { EXIT_CODES, exitCodeOf } from './exit-codes';
import type { CliContext } from './context';
import { outputFailed } from '../files/output-failure';
import { runCommandLine } from './program';
import { renderError, type ErrorView } from './errors/render-error';
import { isPlainTerminal, quietLibraries, requireNode } from '../settings/surroundings';
import { addSettingsFile } from '../settings/settings-file';
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
  const terminal = new Terminal(
    { stdout: process.stdout, stderr: process.stderr },
    { plain: isPlainTerminal() },
  );
  // Nobody reads stderr, so there is no way to report this. The work continues.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (terminal.outlivesReaders) return;
    // The reader has read enough, as `| head` does.
    if (error.code === 'EPIPE') process.exit(EXIT_CODES.OK.code);
    process.stderr.write(renderError(outputFailed('stdout', error), view()));
    process.exit(EXIT_CODES.OUTPUT.code);
  });
  process.exitCode = await run({ terminal, interrupts, cwd: process.cwd(), clock: systemClock });
  await written([process.stdout, process.stderr]);
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

async function run(context: CliContext): Promise<number> {
  try {
    requireNode();
    const fromSettingsFile = addSettingsFile();
    return await runCommandLine(process.argv.slice(2), { ...context, fromSettingsFile }, packageVersion());
  } catch (error) {
    context.terminal.report(renderError(error, view()));
    return exitCodeOf(error);
  }
}

function view(): ErrorView {
  return { json: process.argv.includes('--json'), debug: process.argv.includes('--debug') };
}

void main();

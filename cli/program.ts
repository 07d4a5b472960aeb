import { Command, CommanderError } from 'commander';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { ValidationError } from '../api/errors';
import { ADDRESS_ATTEMPT_MS } from '../api/transport/transport';
import { environmentWarnings } from '../settings/environment-warnings';
import { addSettingsFile } from '../settings/settings-file';
import { requireNode, trustCertificateFile } from '../settings/surroundings';
import { addBatchesCheck } from './commands/batches/check';
import { addBatchesList } from './commands/batches/list';
import { addBatchesPlan } from './commands/batches/plan';
import { addBatchesResults } from './commands/batches/results';
import { addBatchesShow } from './commands/batches/show';
import { addBatchesRetry } from './commands/batches/retry';
import { addBatchesStart } from './commands/batches/start';
import { addBatchesWait } from './commands/batches/wait';
import { controlsOf, BATCHES, UPLOADS } from './commands/control';
import { addDeliveriesList } from './commands/deliveries/list';
import { addDeliveriesReport } from './commands/deliveries/report';
import { addDoctor } from './commands/doctor';
import { addGateway } from './commands/gateway';
import { addLogin } from './commands/login';
import { addSchedulesCreate } from './commands/schedules/create';
import { addSchedulesDelete } from './commands/schedules/delete';
import { addSchedulesList } from './commands/schedules/list';
import { addSchedulesRun } from './commands/schedules/run';
import { addSchedulesShow } from './commands/schedules/show';
import { addSearch } from './commands/search';
import { addSimulator } from './commands/simulator';
import { addTokensCreate } from './commands/tokens/create';
import { addUpload } from './commands/upload';
import { addUploadsList } from './commands/uploads/list';
import { addUploadsRetry } from './commands/uploads/retry';
import { addUploadsShow } from './commands/uploads/show';
import { addUploadsWait } from './commands/uploads/wait';
import { addWorker } from './commands/worker';
import type { CliContext } from './context';
import { EXIT_CODES, exitCodeOf, ReportedFailure } from './exit-codes';
import { interruptCode } from './interrupts';
import { plainJson } from './output/plain-text';

/** Width of help for a file or a program. */
const PLAIN_COLUMNS = 80;

/**
 * Checks Node, adds the settings file to `env`, runs one command line (without node and script) and returns its exit
 * code. Errors are shown only here.
 */
export async function runWithSettingsFile(
  words: readonly string[],
  context: CliContext & { readonly env: Record<string, string | undefined> },
  version: string,
): Promise<number> {
  const printed: string[] = [];
  const { terminal, interrupts, env } = context;
  terminal.view = { json: words.includes('--json'), debug: words.includes('--debug') };
  let program = new Command();
  try {
    requireNode();
    trustCertificateFile(env);
    const fromSettingsFile = new Set<string>();
    const output = { version, printError: (text: string) => void printed.push(text) };
    program = createProgram({ ...context, fromSettingsFile }, output);
    // Help needs no settings, also while their file is wrong.
    program.hook('preAction', (_program, command) => {
      const { names, warning } = addSettingsFile(env);
      for (const name of names) fromSettingsFile.add(name);
      if (warning !== undefined) terminal.warn(warning);
      refuseEmptyValues(command);
      for (const unread of environmentWarnings(env)) terminal.warn(unread);
      setDefaultAutoSelectFamilyAttemptTimeout(
        Math.max(getDefaultAutoSelectFamilyAttemptTimeout(), ADDRESS_ATTEMPT_MS),
      );
    });
    // Commander's own `help` takes the name of a group only.
    const [first, ...rest] = words;
    await program.parseAsync(first === 'help' ? [...rest, '--help'] : words, { from: 'user' });
    return EXIT_CODES.OK.code;
  } catch (error) {
    if (error instanceof ReportedFailure) return error.exitCode;
    if (interrupts.first.aborted) {
      const exitCode = interruptCode(interrupts.first);
      const interrupted = { code: 'Interrupted', message: 'Interrupted.', exitCode };
      terminal.report(`${terminal.isJson ? plainJson({ error: interrupted }) : interrupted.message}\n`);
      return exitCode;
    }
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT_CODES.OK.code;
      // Called without a command: the help itself is the answer.
      if (error.code === 'commander.help') terminal.report(printed.join(''));
      else terminal.fail(usageError(error, program, words));
      return EXIT_CODES.USAGE.code;
    }
    terminal.fail(error);
    return exitCodeOf(error);
  }
}

/** Creates the commands with their flags and runs none. `whole`: also those of groups, for a list of all commands. */
export function createProgram(
  context: CliContext,
  output: { version: string; printError: (text: string) => void; whole?: boolean },
): Command {
  const columns = context.terminal.columns ?? PLAIN_COLUMNS;
  const program = new Command('media-service')
    .description('Search media, export webhook deliveries, and upload large files durably through Temporal.')
    .version(output.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.terminal.data(text),
      writeErr: output.printError,
      getOutHelpWidth: () => columns,
    })
    .addHelpText('after', FIRST_STEPS);
  addSearch(program, context);
  addUpload(program, context);
  addGroups(program, context, output.whole === true);
  addWorker(program, context);
  addGateway(program, context);
  addSimulator(program, context);
  addLogin(program, context);
  addDoctor(program, context);
  return program;
}

/** Adds the commands of two words. Unless `whole`, those of a group are made when it is called. */
function addGroups(program: Command, context: CliContext, whole: boolean): void {
  type Add = (parent: Command, of: CliContext) => void;
  const group = (name: string, description: string, commands: readonly Add[]): void => {
    const parent = program.command(name).description(description);
    const fill = (): void => commands.forEach((add) => add(parent, context));
    if (whole) fill();
    else program.hook('preSubcommand', (_program, called) => (called === parent ? fill() : undefined));
  };
  const ofUploads = [addUploadsList, addUploadsShow, addUploadsWait, controlsOf(UPLOADS), addUploadsRetry];
  group('uploads', 'Started uploads: list, show, wait, pause, resume, cancel, retry.', ofUploads);
  const verbs = 'plan, check, start, list, show, wait, pause, resume, cancel, retry, results';
  const started = [addBatchesList, addBatchesShow, addBatchesWait, controlsOf(BATCHES), addBatchesRetry];
  const ofBatches = [addBatchesPlan, addBatchesCheck, addBatchesStart, ...started, addBatchesResults];
  group('batches', `Many files by a manifest: ${verbs}.`, ofBatches);
  group('deliveries', 'Webhook deliveries: list, report.', [addDeliveriesList, addDeliveriesReport]);
  const ofSchedules = [addSchedulesCreate, addSchedulesList, addSchedulesShow, addSchedulesRun];
  const verbsOfSchedules = 'create, list, show, run, delete';
  group('schedules', `Reports at fixed times: ${verbsOfSchedules}.`, [...ofSchedules, addSchedulesDelete]);
  group('tokens', 'Tokens for the HTTP door: create.', [addTokensCreate]);
}

const FIRST_STEPS = `
Settings are environment variables, see docs/configuration.md. First steps:
  $ media-service simulator        # or use the settings of a real account
  $ media-service doctor           # what is missing, and what to do
  $ media-service login            # tests the settings and saves them for other terminals
  $ media-service worker           # on the machine with the files
  $ media-service upload FILE --wait`;

/** What other programs call our words. Commander itself suggests words that differ in a few letters. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...{ watch: 'wait', 'retry-failed': 'retry', get: 'show', status: 'show' },
  ...{ stop: 'cancel', abort: 'cancel', webhooks: 'deliveries', media: 'search' },
};

function usageError(error: CommanderError, program: Command, words: readonly string[]): ValidationError {
  const [message = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const [, dashes = '', wrong = ''] = /unknown (?:command|option) '(-*)([^']+)'/.exec(message) ?? [];
  const right = OTHER_WORDS[wrong];
  const meant =
    suggestion.length > 0 || right === undefined ? suggestion : [`(Did you mean ${dashes}${right}?)`];
  const kind = error.code === 'commander.unknownCommand' ? 'commands' : 'options';
  const file = dashes === '-' ? ` For a file of that name, write ./-${wrong}.` : '';
  return new ValidationError(
    fieldOf(error),
    [message, ...meant].join(' ').trim(),
    `Run \`${commandPath(program, words)} --help\` for its ${kind}.${file}`,
  );
}

/** Returns the flag or argument that is wrong. Commander names it only in its message. */
function fieldOf({ code, message }: CommanderError): string {
  const [, named = ''] = /(?:option|argument) '([^']+)'/.exec(message) ?? [];
  const [field] = /--[\w-]+/.exec(named) ?? named.split(' ');
  return field || (code === 'commander.unknownCommand' ? 'command' : 'arguments');
}

/** Returns the command that the words start with, as far as it exists. */
function commandPath(command: Command, [word, ...rest]: readonly string[]): string {
  const found = command.commands.find((candidate) => candidate.name() === word);
  return found === undefined ? command.name() : `${command.name()} ${commandPath(found, rest)}`;
}

/** Refuses empty arguments and flags, which an unset shell variable leaves. */
function refuseEmptyValues(command: Command): void {
  const values: readonly (readonly [name: string, value: unknown])[] = [
    ...command.registeredArguments.map((one, at) => [one.name(), command.processedArgs[at]] as const),
    ...command.options.map(
      (one) => [one.long ?? one.flags, command.getOptionValue(one.attributeName())] as const,
    ),
  ];
  for (const [name, value] of values)
    if ([value].flat().some((text) => typeof text === 'string' && text.trim() === ''))
      throw new ValidationError(name, `${name} is empty.`, 'Check that the shell variable is set.');
}

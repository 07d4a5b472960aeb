import { once } from 'node:events';
import type { Command } from 'commander';
import { ConfigurationError, ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import { FAULTS } from '../../simulator/faults/faults';
import { SHAPE_GROUPS } from '../../simulator/shapes/shapes';
import type { Shape } from '../../simulator/shapes/shapes';
import type { SimulatorOptions } from '../../simulator/options';
import { VARIABLES } from '../../settings/variables';
import type { CliContext } from '../context';
import { addHelp } from '../context';
import { collect, numberFrom } from '../flags/options';

/** The form that the simulator has for "additional pre-signed URLs". */
const ADDITIONAL_URLS = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';

interface SimulatorFlags extends Pick<SimulatorOptions, 'port'> {
  readonly fault?: readonly string[];
  readonly shape?: readonly string[];
  readonly list?: boolean;
}

/** `media-service simulator`: a strict stand-in for the service and its storage. Tests use its other options. */
export function addSimulator(program: Command, context: CliContext): void {
  const command = program
    .command('simulator')
    .description('Run a strict simulator of the service and its object storage, for tests.')
    .option(
      '--port <port>',
      'port of login and searches; uploads get the next, storage the one after (default: any)',
      numberFrom(0, 65_533),
    )
    .option('--fault <fault>', 'NAME[:COUNT][:key=value,…], see --list; repeatable', collect(String))
    .option('--shape <name>', 'another form of an answer, see --list; repeatable', collect(String))
    .option('--list', 'print every fault and every shape, and exit');
  addHelp(
    command,
    'Prints the export lines for a shell, runs until Ctrl-C and saves nothing. GET <baseUrl>/__simulator returns the requests it got.',
    [
      'media-service simulator --port 4100',
      'media-service simulator --fault put-503:3 --fault put-reset:1:part=2',
    ],
  ).action((flags: SimulatorFlags) => (flags.list === true ? list(context) : simulate(context, flags)));
}

/** One shape of each group is active; the first is the default. */
function list({ terminal }: CliContext): Promise<void> {
  const faults = [...FAULTS.values()].map(({ name, description }) => ({ name, description }));
  const width = Math.max(...[...faults, ...SHAPE_GROUPS.flat()].map(({ name }) => name.length)) + 2;
  const row = ({ name, description }: Shape): string => `  ${name.padEnd(width)}${description}`;
  return terminal.answer(
    { faults, shapes: SHAPE_GROUPS },
    [
      'Faults (as put-503:3, hold:part=2,bytes=1048576; :always for every time):',
      ...faults.map(row),
      '',
      'Shapes, in groups. One shape of each group is used; the first is the default:',
      ...SHAPE_GROUPS.map((group) => `${group.map(row).join('\n')}\n`),
    ].join('\n'),
  );
}

async function simulate(
  { terminal, interrupts }: CliContext,
  { port, fault: faults, shape: shapes }: SimulatorFlags,
): Promise<void> {
  const { startSimulator } = await import('../../simulator/start-simulator.js');
  const simulator = await startSimulator(given({ port, faults, shapes })).catch((error: unknown) => {
    throw wrongOption(error);
  });
  try {
    const { baseUrl, uploadUrl, storageUrl, account } = simulator;
    const environment = {
      [VARIABLES.baseUrl.name]: baseUrl,
      [VARIABLES.uploadUrl.name]: uploadUrl,
      [VARIABLES.apiKey.name]: account.apiKey,
      [VARIABLES.secretKey.name]: account.secretKey,
      [VARIABLES.externalId.name]: account.externalId,
      [VARIABLES.additionalUrls.name]: ADDITIONAL_URLS,
    };
    const lines = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'\n`);
    await terminal.answer({ baseUrl, uploadUrl, storageUrl, environment }, lines.join(''));
    terminal.note('Paste the lines above into another terminal. The simulator runs until Ctrl-C.');
    if (!interrupts.first.aborted) await once(interrupts.first, 'abort');
  } finally {
    await simulator.close();
  }
}

const CLOSED_PORTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: "can't be opened by this user",
};

/** Only an error that the user's flags caused gets advice. Any other error stays as it is. */
function wrongOption(error: unknown): unknown {
  const hint = '`media-service simulator --list` shows faults and shapes.';
  if (error instanceof RangeError) return new ValidationError('simulator', error.message, hint);
  const { code = '', port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const why = CLOSED_PORTS[code];
  if (why === undefined) return error;
  const message = `The port ${String(port)} ${why}. The simulator uses --port and the two ports after it.`;
  return new ConfigurationError('--port', message, 'Choose another --port, or omit it.');
}

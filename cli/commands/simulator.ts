import { once } from 'node:events';
import type { Command } from 'commander';
import { ValidationError } from '../../api/errors';
import { UnknownFault } from '../../simulator/faults/fault-book';
import { UnknownShape } from '../../simulator/shapes/shapes';
import { UnusableS3 } from '../../simulator/storage/storage';
import type { Simulator } from '../../simulator/simulator';
import { VARIABLES } from '../../settings/variables';
import type { CliContext } from '../context';
import { addHelp } from '../command-help';
import { simulatorOptionsOf, withSimulatorFlags, type SimulatorFlags } from '../flags/simulator-flags';
import { faultsAndShapes, faultsAndShapesText } from '../output/faults-and-shapes';

/** One of the two forms that the simulator offers for "additional pre-signed URLs". */
const ADDITIONAL_URLS = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';

/** `media-service simulator`: a strict stand-in for the service and its storage. */
export function addSimulator(program: Command, context: CliContext): void {
  const command = withSimulatorFlags(
    program
      .command('simulator')
      .description('Run a strict simulator of the service and its object storage, for tests.'),
  );
  addHelp(command, {
    output:
      'The export lines for a shell. --json: {"baseUrl","uploadUrl","storageUrl","environment":{…}}.\n' +
      'It runs until Ctrl-C and saves nothing. Its recorded requests: GET <baseUrl>/__simulator.\n' +
      'With --list: every fault and shape. --json: {"faults":[{"name","description"}],"shapes":[[{"name","description"}]]}.',
    exits: [],
    examples: [
      { says: 'Without a real service', run: 'media-service simulator --port 4100' },
      {
        says: 'Storage that is busy three times, then resets the connection of a part',
        run: 'media-service simulator --fault put-503:3 --fault put-reset:1:part=2',
      },
    ],
  }).action((flags: SimulatorFlags & { readonly json?: boolean }) =>
    flags.list === true ? list(context, flags.json === true) : simulate(context, flags),
  );
}

function list({ terminal }: CliContext, json: boolean): Promise<void> {
  const all = faultsAndShapes();
  return json ? terminal.json(all) : terminal.data(faultsAndShapesText(all));
}

async function simulate(
  { terminal, interrupts }: CliContext,
  flags: SimulatorFlags & { readonly json?: boolean },
): Promise<void> {
  const { startSimulator } = await import('../../simulator/start-simulator.js');
  const simulator = await startSimulator(simulatorOptionsOf(flags)).catch((error: unknown) => {
    throw wrongOption(error);
  });
  try {
    const environment = environmentOf(simulator, flags.additionalUrls);
    const { baseUrl, uploadUrl, storageUrl } = simulator;
    if (flags.json === true) await terminal.json({ baseUrl, uploadUrl, storageUrl, environment });
    else {
      await terminal.data(
        Object.entries(environment)
          .map(([name, value]) => `export ${name}='${value}'\n`)
          .join(''),
      );
      terminal.note('Paste the lines above into another terminal. The simulator runs until Ctrl-C.');
    }
    if (!interrupts.first.aborted) await once(interrupts.first, 'abort');
  } finally {
    await simulator.close();
  }
}

function environmentOf(
  { baseUrl, uploadUrl, account }: Simulator,
  additionalUrls: boolean,
): Record<string, string> {
  return {
    [VARIABLES.baseUrl.name]: baseUrl,
    [VARIABLES.uploadUrl.name]: uploadUrl,
    [VARIABLES.apiKey.name]: account.apiKey,
    [VARIABLES.secretKey.name]: account.secretKey,
    [VARIABLES.externalId.name]: account.externalId,
    ...(additionalUrls ? { [VARIABLES.additionalUrls.name]: ADDITIONAL_URLS } : {}),
  };
}

/** Only an error that the user's flags caused gets advice. Any other error stays as it is. */
function wrongOption(error: unknown): unknown {
  const hint = '`media-service simulator --list` shows faults and shapes.';
  if (error instanceof RangeError || error instanceof UnknownFault || error instanceof UnknownShape) {
    return new ValidationError('simulator', error.message, hint);
  }
  if (error instanceof UnusableS3) {
    const hint = 'Check the server, --s3-endpoint, --s3-access-key and --s3-secret-key.';
    return new ValidationError('--s3-endpoint', error.message, hint);
  }
  if (error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) {
    return new ValidationError(
      '--port',
      `The simulator can't listen there: ${error.message}.`,
      'Choose another --port, or omit it.',
    );
  }
  return error;
}

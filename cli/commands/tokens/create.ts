import { resolve } from 'node:path';
import type { Command } from 'commander';
import { accountId } from '../../../api/account';
import { ValidationError } from '../../../api/errors';
import { createToken, RIGHTS } from '../../../gateway/tokens';
import type { Right } from '../../../gateway/tokens';
import { readSettings } from '../../../settings/settings';
import type { Settings } from '../../../settings/settings';
import { addHelp } from '../../context';
import type { CliContext } from '../../context';
import { wordOf } from '../../flags/options';
import { servedAccounts } from '../gateway';

interface TokenFlags {
  readonly file: string;
  readonly rights?: readonly Right[];
  readonly account?: string;
}

/** `media-service tokens create NAME`: a token for the HTTP door. */
export function addTokensCreate(tokens: Command, context: CliContext): void {
  const command = tokens
    .command('create')
    .description('Make a token for the HTTP door, and add its hash to a file.')
    .argument('<name>', 'who will use it, for logs')
    .requiredOption('--file <file>', 'file of tokens, made if it is missing')
    .option('--rights <list>', 'some of read,start,control (default: all)', rightsIn)
    .option('--account <id>', 'the account that it is for (default: that of the environment)');
  addHelp(
    command,
    'Prints the token, which is shown only once; the file holds its hash. To revoke it, delete its entry from the file; a running gateway notices that within a second.',
    [
      'media-service tokens create n8n --file tokens.json',
      'media-service tokens create wall --file tokens.json --rights read',
    ],
  ).action((name: string, flags: TokenFlags) => create(context, name, flags));
}

async function create({ env, cwd, terminal }: CliContext, name: string, flags: TokenFlags): Promise<void> {
  const { rights = RIGHTS } = flags;
  const account = await chosenAccount(readSettings(env), flags.account);
  const token = await createToken({ file: resolve(cwd, flags.file), name, account, rights });
  await terminal.answer({ name, account, rights, token }, `${token}\n`);
  terminal.note(
    `${name} may ${rights.join(', ')} for ${account}. Keep the token, which can't be shown again.`,
  );
}

function rightsIn(list: string): readonly Right[] {
  const asked = list.split(',').map(wordOf(RIGHTS));
  return RIGHTS.filter((right) => asked.includes(right));
}

async function chosenAccount(settings: Settings, wanted: string | undefined): Promise<string> {
  const ids = (await servedAccounts(settings)).map(({ account }) => accountId(account));
  const [only, ...others] = ids;
  if (wanted === undefined && only !== undefined && others.length === 0) return only;
  if (wanted !== undefined && ids.includes(wanted)) return wanted;
  throw new ValidationError('--account', `--account must be one of ${ids.join(', ')}.`);
}

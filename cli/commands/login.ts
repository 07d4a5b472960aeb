import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { accountId } from '../../api/account';
import {
  addedByFile,
  ownVariables,
  readSettingsFile,
  settingsFilePath,
  settingsFileText,
} from '../../settings/settings-file';
import { addHelp, withService } from '../context';
import type { CliContext } from '../context';
import { writeOutputFile } from '../output/output-file';

/** `media-service login`: tests the account's settings and, if the service accepts them, saves them. */
export function addLogin(program: Command, context: CliContext): void {
  const command = program
    .command('login')
    .description('Log in with the variables that are set now, and save them for other terminals.');
  addHelp(
    command,
    'Nothing is saved if the service refuses the login. Only this user can read the file, because it can contain ' +
      'secrets; variables in the environment override it. It is media-service/settings.env in ~/.config (or ' +
      'XDG_CONFIG_HOME), or the file that MEDIA_SERVICE_SETTINGS names.',
    ['media-service login', 'TEMPORAL_ADDRESS=temporal.example:7233 media-service login'],
  ).action(async () => {
    await withService(context, async (service) => {
      await service.tokens.login(context.interrupts.first);
      const { baseUrl, uploadUrl, externalId } = service.account;
      const { file, variables } = await save(context);
      const account = { baseUrl, uploadUrl, externalId, accountId: accountId(service.account) };
      const saved = variables.length === 0 ? '' : `Saved to ${file ?? ''}: ${variables.join(', ')}.\n`;
      await context.terminal.answer(
        { loggedIn: true, ...account, file, variables },
        `Logged in at ${baseUrl} as ${externalId}.\n${saved}`,
      );
    });
  });
}

/** Returns the settings file and the names of the variables that were saved. */
async function save({ cwd, env, fromSettingsFile }: CliContext) {
  const file = settingsFilePath(env);
  const own = ownVariables(env, cwd, fromSettingsFile);
  const variables = Object.keys(own);
  if (file === undefined || file === '/dev/null' || variables.length === 0) return { file, variables: [] };
  // A saved key stays only beside the address that it was saved with.
  const text = settingsFileText({ ...addedByFile(own, readSettingsFile(file)), ...own });
  // If the folder can't be created, writing the file shows why.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await writeOutputFile({ cwd, path: file, ownerOnly: true }, [text]);
  return { file, variables };
}

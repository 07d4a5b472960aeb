import type { Command } from 'commander';
import { accountId } from '../../api/account';
import { withService } from '../context';
import type { CliContext } from '../context';
import { addHelp } from '../command-help';

/** `media-service login`: proves that the account's settings are correct. */
export function addLogin(program: Command, context: CliContext): void {
  const command = program.command('login').description('Log in once to check the settings of the account.');
  addHelp(command, {
    output:
      'Service and sub-account of the login. The token is never shown.\n' +
      '--json: {"loggedIn":true,"baseUrl","uploadUrl","externalId","accountId","environment"}',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK'],
    examples: [
      { says: 'Check the settings in the environment', run: 'media-service login' },
      { says: 'Check the release candidate', run: 'MEDIA_SERVICE_ENVIRONMENT=rc media-service login --json' },
    ],
  }).action(async (flags: { readonly json?: boolean }) => {
    await withService(context, async (service, { environment }) => {
      await service.tokens.login(context.interrupts.first);
      const { baseUrl, uploadUrl, externalId } = service.account;
      if (flags.json === true) {
        const id = accountId(service.account);
        return context.terminal.json({
          loggedIn: true,
          baseUrl,
          uploadUrl,
          externalId,
          accountId: id,
          environment,
        });
      }
      return context.terminal.data(`Logged in at ${baseUrl} as ${externalId} (${environment}).\n`);
    });
  });
}

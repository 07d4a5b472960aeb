import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError } from '../../api/errors';
import type { Env } from '../../settings/env-reader';
import { inspectSettings } from '../../settings/settings';
import {
  readSettingsFile,
  settingsFilePath,
  settingsFileText,
  setVariables,
  withoutReplaced,
} from '../../settings/settings-file';
import type { Variable } from '../../settings/variable';
import { VARIABLES } from '../../settings/variables';
import type { CliContext } from '../context';
import { addHelp } from '../command-help';
import { printTable } from '../output/print-records';
import { writeOutputFile } from '../output/output-file';
import type { Finding } from '../doctor-checks';

const HIDDEN = '(secret)';

interface SettingsFlags {
  readonly json?: boolean;
}

/** `media-service settings`: one file instead of variables in every terminal. */
export function addSettings(program: Command, context: CliContext): void {
  const settings = program
    .command('settings')
    .description('Settings file for all commands: save, show. Environment variables override it.');
  const save = settings
    .command('save')
    .description('Save the variables that are set now, for other terminals.');
  addHelp(save, {
    output:
      'The file and the names of its variables. --json: {"file","variables":[name]}. Only this user can read the file (0600), ' +
      "because it can contain secrets. Variables of the file that aren't set now stay.\n" +
      'MEDIA_SERVICE_SETTINGS is the path of the file (default: media-service/settings.env in ~/.config or XDG_CONFIG_HOME).',
    exits: ['CONFIGURATION', 'OUTPUT'],
    examples: [
      {
        says: 'Once, instead of exports in every terminal',
        run: 'media-service doctor && media-service settings save',
      },
      {
        says: 'Change one of them',
        run: 'TEMPORAL_ADDRESS=temporal.example:7233 media-service settings save',
      },
    ],
  }).action((flags: SettingsFlags) => saveSettings(context, flags));
  const show = settings.command('show').description('Show all variables that are set, and their source.');
  addHelp(show, {
    output:
      'A table; secrets aren\'t shown. --json: one line per variable {"name","value","from"}; "from" is environment, or the file.',
    exits: ['CONFIGURATION'],
    examples: [
      { says: 'Which settings do commands use?', run: 'media-service settings show' },
      { says: 'Names only', run: 'media-service settings show --json | jq -r .name' },
    ],
  }).action((flags: SettingsFlags) => showSettings(context, flags));
}

async function saveSettings(context: CliContext, flags: SettingsFlags): Promise<void> {
  const { terminal, cwd, env } = context;
  const { problem } = inspectSettings(env);
  if (problem !== undefined) throw problem;
  const file = fileOrThrow(env);
  const set = ownVariables(context);
  if (Object.keys(set).length === 0) {
    throw new ConfigurationError(
      VARIABLES.baseUrl.name,
      'No variable of media-service is set, so there is nothing to save.',
      'Set them once, as docs/configuration.md says, then save them.',
    );
  }
  const text = settingsFileText({ ...withoutReplaced(readSettingsFile(file), set), ...set });
  // If the folder can't be created, writing the file shows why.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await writeOutputFile({ cwd, path: file, replace: true, ownerOnly: true }, [text]);
  const names = Object.keys(set);
  if (flags.json === true) return terminal.json({ file, variables: names });
  return terminal.data(`Saved to ${file}: ${names.join(', ')}.\n`);
}

function fileOrThrow(env: Env): string {
  const file = settingsFilePath(env);
  if (file !== undefined) return file;
  throw new ConfigurationError(
    VARIABLES.settings.name,
    'This user has no home folder for a settings file.',
    `Name one with ${VARIABLES.settings.name}.`,
  );
}

async function showSettings(
  { terminal, fromSettingsFile, env }: CliContext,
  flags: SettingsFlags,
): Promise<void> {
  const path = settingsFilePath(env);
  const all: readonly Variable[] = Object.values(VARIABLES);
  const secrets = new Set(all.flatMap(({ name, secret }) => (secret === true ? [name] : [])));
  const rows = Object.entries(setVariables(env)).map(([name, value]) => ({
    name,
    value: secrets.has(name) ? HIDDEN : value,
    from: fromSettingsFile?.has(name) === true ? (path ?? '') : 'environment',
  }));
  if (flags.json === true) {
    for (const row of rows) await terminal.json(row);
    return;
  }
  await printTable(terminal, rows);
  terminal.note(`${rows.length} variable${rows.length === 1 ? '' : 's'}. Settings file: ${path ?? 'none'}`);
}

const check = 'settings file';

/**
 * Checks whether another terminal would have the same settings. Both answers are fine, so neither is a mistake. Settings
 * with which the login failed should not replace saved ones.
 */
export function checkSettingsFile(
  context: Pick<CliContext, 'cwd' | 'env' | 'fromSettingsFile'>,
  loginFailed: boolean,
): Finding {
  const path = settingsFilePath(context.env);
  const file = path === undefined ? {} : readSettingsFile(path);
  const own = Object.entries(ownVariables(context)).filter(([name, value]) => file[name] !== value);
  if (own.length === 0) return { check, state: 'ok', says: `every setting is in ${path ?? 'no file'}` };
  const names = `${own.length} variable${own.length === 1 ? '' : 's'}`;
  return {
    check,
    state: 'skip',
    says:
      Object.keys(file).length > 0
        ? `this terminal sets ${names} differently from ${path ?? ''}`
        : `only this terminal sets ${names}`,
    remedy: loginFailed
      ? 'Correct the login before you save these settings.'
      : 'Run `media-service settings save`, so that every terminal and its worker use them.',
  };
}

/** Returns the variables that this terminal sets, without those from the settings file. */
function ownVariables({
  cwd,
  env,
  fromSettingsFile,
}: Pick<CliContext, 'cwd' | 'env' | 'fromSettingsFile'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(setVariables(env))
      .filter(([name]) => fromSettingsFile?.has(name) !== true)
      // A relative path would mean another file in another folder.
      .map(([name, value]) => [name, name.endsWith('_FILE') ? resolve(cwd, value) : value]),
  );
}

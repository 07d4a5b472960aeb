import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { ServedAccount } from '../../api/account';
import { ValidationError, ConfigurationError } from '../../api/errors';
import { readSettings, requireAccount } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import { addHelp } from '../context';
import type { CliContext } from '../context';
import { readAccounts } from '../../settings/accounts';
import { VARIABLES } from '../../settings/variables';
import { given } from '../../api/json';
import { parseS3Address } from '../../api/upload/sources/source';
import type { FileLocation } from '../../files/file-location';
import type { GatewayConfig, LocalWorker } from '../../gateway/gateway-config';
import { LOOPBACK } from '../../temporal/worker/health-server';
import { collect, listenAddress } from '../flags/options';

const DEFAULT_ADDRESS = { port: 8090 };

/** `media-service gateway`: the HTTP door without a worker. */
export function addGateway(program: Command, context: CliContext): void {
  const command = withHttpFlags(
    program
      .command('gateway')
      .description('Answer HTTP requests for uploads and batches, without a worker in this process.'),
    DEFAULT_ADDRESS,
  );
  addHelp(
    command,
    'Prints one line when requests are answered; the log is on stderr. It needs the secrets of the accounts, as a worker does, to seal addresses of sources. docs/gateway.md shows requests. To serve HTTP beside a worker, use `media-service worker --http 8090`.',
    [
      'media-service gateway',
      'media-service gateway --http 10.0.0.7:8090 --http-tokens tokens.json --http-tls /etc/tls',
    ],
  ).action((flags: HttpFlags) => serve(context, flags));
}

async function serve({ env, cwd, terminal, interrupts }: CliContext, flags: HttpFlags): Promise<void> {
  terminal.outlivesReaders = true;
  const settings = readSettings(env);
  const accounts = await servedAccounts(settings);
  const config = gatewayConfigOf(settings, { http: DEFAULT_ADDRESS, ...flags }, { cwd, accounts });
  // Its server library is large, and no other command needs it.
  const { runGateway } = await import('../../gateway/run-gateway.js');
  await runGateway(config, {
    signal: interrupts.first,
    onReady: (http) => {
      // A reader that has gone misses it.
      terminal.answer({ ready: true, http }, `Ready: ${http}\n`).catch(() => undefined);
    },
  });
}

export type FlagAddress = ReturnType<typeof listenAddress>;

/** The flags of the HTTP door, as commander returns them. */
export interface HttpFlags {
  readonly http?: FlagAddress;
  readonly httpTokens?: string;
  readonly httpTls?: string;
  readonly httpPostTo?: readonly string[];
  readonly httpFiles?: FileLocation;
}

/** For `worker` and `gateway`. */
export function withHttpFlags(command: Command, byDefault?: FlagAddress): Command {
  const when = byDefault === undefined ? 'default: no HTTP' : `default: ${byDefault.port}`;
  return command
    .option(
      '--http <address>',
      `answer HTTP requests at this port, as 8090 or 10.0.0.7:8090 (${when}; default host: 127.0.0.1)`,
      listenAddress,
    )
    .option('--http-tokens <file>', 'file of tokens that requests must have, see `tokens create`')
    .option('--http-tls <folder>', 'folder with tls.crt and tls.key (PEM) for https')
    .option(
      '--http-files <prefix>',
      'where files that are sent to the door are kept, as s3://bucket/prefix (default: the spool folder)',
      s3Prefix,
    )
    .option(
      '--http-post-to <host>',
      'host that ends of uploads may be posted to, as n8n.example or n8n:5678; repeatable',
      collect(String),
    );
}

function s3Prefix(text: string): FileLocation {
  const address = parseS3Address(text, 'address');
  if (address === undefined) throw new InvalidArgumentError('It must be an address as s3://bucket/prefix.');
  return { kind: 's3', ...address };
}

interface Given {
  readonly cwd: string;
  readonly accounts: readonly ServedAccount[];
  /** Unset: the gateway runs alone. */
  readonly worker?: LocalWorker;
}

/** Combines the environment's settings with the flags. */
export function gatewayConfigOf(
  settings: Settings,
  { http, httpTokens, httpTls, httpPostTo, httpFiles }: HttpFlags & { readonly http: FlagAddress },
  { cwd, accounts, worker }: Given,
): GatewayConfig {
  const tokensFile = httpTokens && resolve(cwd, httpTokens);
  const tls = httpTls && {
    certFile: resolve(cwd, httpTls, 'tls.crt'),
    keyFile: resolve(cwd, httpTls, 'tls.key'),
  };
  return {
    temporal: settings.temporal,
    accounts,
    listen: { host: LOOPBACK, ...http },
    s3: settings.s3,
    queuePrefix: settings.queuePrefix,
    ...given({
      tokensFile,
      tls: tls || undefined,
      worker,
      postTo: httpPostTo,
      sentFiles: httpFiles,
    }),
  };
}

/** Throws if flags of the door are given without the door. */
export function refuseWithoutHttp({ http, ...others }: HttpFlags): void {
  const [first] = ['httpTokens', 'httpTls', 'httpPostTo', 'httpFiles'].filter((name) => name in others);
  if (http !== undefined || first === undefined) return;
  throw new ValidationError(
    '--http',
    'Flags of the HTTP door need --http.',
    'Add --http, for example --http 8090.',
  );
}

/**
 * Returns the accounts of the accounts file or folder if it is set, else that of the environment. Setting both is a
 * `Configuration` error: nobody could know which secrets apply to an account in both.
 */
export async function servedAccounts(settings: Settings): Promise<readonly ServedAccount[]> {
  const { accounts, account, options, previousSecretKeys } = settings;
  const previous = given({ previousSecretKeys });
  if (accounts === undefined) return [{ account: requireAccount(settings), options, ...previous }];
  const set = Object.keys({ ...account, ...previous });
  if (set.length === 0) return readAccounts(accounts);
  throw new ConfigurationError(
    VARIABLES.accounts.name,
    `${VARIABLES.accounts.name} and the variables of an account are both set (${set.join(', ')}).`,
    'Keep one: move the account of the environment into the accounts file, or unset MEDIA_SERVICE_ACCOUNTS.',
  );
}

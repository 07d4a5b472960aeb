import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { ServedAccount } from '../../api/account';
import { ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import { parseS3Address } from '../../api/upload/sources/source';
import type { FileLocation } from '../../files/file-location';
import type { GatewayConfig, LocalWorker } from '../../gateway/gateway-config';
import type { Settings } from '../../settings/settings';
import { LOOPBACK } from '../../temporal/worker/health-server';
import { collect, listenAddress } from './option-values';

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
    ...given({
      queuePrefix: settings.queuePrefix,
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

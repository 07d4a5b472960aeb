import type { Command } from 'commander';
import { given } from '../../api/json';
import { ValidationError } from '../../api/errors';
import type { S3Options, SimulatorOptions } from '../../simulator/options';
import { collect, millisecondsOf, numberFrom, wordOf } from './option-values';

export interface SimulatorFlags {
  readonly host?: string;
  readonly port?: number;
  readonly storage?: 'builtin' | 's3';
  readonly s3Endpoint?: string;
  readonly s3AccessKey?: string;
  readonly s3SecretKey?: string;
  readonly s3Region?: string;
  readonly s3Bucket?: string;
  readonly fault?: readonly string[];
  readonly shape?: readonly string[];
  readonly list?: boolean;
  readonly tokenTtl?: number;
  readonly urlTtl?: number;
  readonly initialUrls?: number;
  /** False with `--no-additional-urls`. */
  readonly additionalUrls: boolean;
  readonly processingMs?: number;
  readonly searchLag?: number;
  readonly latency?: number;
  readonly slowEvery?: number;
  readonly maxParts?: number;
  readonly media?: number;
  readonly deliveries?: number;
  readonly externalId?: string;
}

export function withSimulatorFlags(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--port <port>',
      'port of login and searches; uploads get the next, storage the one after (default: any)',
      numberFrom(0, 65_533),
    )
    .option(
      '--storage <kind>',
      'builtin, or s3: a real S3 server behind it (default: builtin)',
      wordOf(['builtin', 's3']),
    )
    .option('--s3-endpoint <url>', 'with --storage s3: its address')
    .option('--s3-access-key <key>', 'with --storage s3')
    .option('--s3-secret-key <key>', 'with --storage s3')
    .option('--s3-region <region>', 'with --storage s3 (default: us-east-1)')
    .option('--s3-bucket <bucket>', 'with --storage s3 (default: media-service)')
    .option('--fault <fault>', 'NAME[:COUNT][:key=value,…], see --list; repeatable', collect(String))
    .option('--shape <name>', 'another form of an answer, see --list; repeatable', collect(String))
    .option('--list', 'print every fault and every shape, and exit')
    .option('--token-ttl <span>', 'life of an access token (default: 30m)', millisecondsOf)
    .option('--url-ttl <span>', 'life of a pre-signed URL (default: 1h)', millisecondsOf)
    .option('--initial-urls <n>', 'max URLs that `start` returns (default: all)', numberFrom(0))
    .option('--no-additional-urls', 'no further URLs can be requested')
    .option('--processing-ms <span>', 'from `complete` to COMPLETED (default: 300)', millisecondsOf)
    .option('--search-lag <span>', 'until search finds a new upload (default: 100ms)', millisecondsOf)
    .option('--latency <span>', 'added to every call of the service (default: 0)', millisecondsOf)
    .option(
      '--slow-every <n>',
      'each n-th call of the service takes 10 s more (default: none)',
      numberFrom(1),
    )
    .option('--max-parts <n>', 'max parts that `start` accepts (default: 120)', numberFrom(1, 120))
    .option('--media <n>', 'media to begin with (default: 250)', numberFrom(0))
    .option('--deliveries <n>', 'webhook deliveries to begin with (default: 2500)', numberFrom(0))
    .option('--external-id <id>', 'external id of the account');
}

export function simulatorOptionsOf(flags: SimulatorFlags): SimulatorOptions {
  const { media, deliveries } = flags;
  const seed = given({ media, deliveries });
  const options = {
    host: flags.host,
    port: flags.port,
    storage: flags.storage,
    s3: s3OptionsOf(flags),
    faults: flags.fault,
    shapes: flags.shape,
    tokenTtlMs: flags.tokenTtl,
    urlTtlMs: flags.urlTtl,
    initialUrls: flags.initialUrls,
    additionalUrls: flags.additionalUrls ? undefined : false,
    processingMs: flags.processingMs,
    searchLagMs: flags.searchLag,
    latencyMs: flags.latency,
    slowEvery: flags.slowEvery,
    maxParts: flags.maxParts,
    seed: Object.keys(seed).length === 0 ? undefined : seed,
    account: flags.externalId === undefined ? undefined : { externalId: flags.externalId },
  };
  return given(options);
}

function s3OptionsOf(flags: SimulatorFlags): S3Options | undefined {
  if (flags.storage !== 's3') return undefined;
  const { s3Endpoint: endpoint, s3AccessKey: accessKey, s3SecretKey: secretKey } = flags;
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined) {
    throw new ValidationError(
      '--storage',
      '--storage s3 needs --s3-endpoint, --s3-access-key and --s3-secret-key.',
    );
  }
  return {
    endpoint,
    accessKey,
    secretKey,
    ...given({ region: flags.s3Region, bucket: flags.s3Bucket }),
  };
}

import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { ValidationError } from '../../../../api/errors';
import {
  simulatorOptionsOf,
  withSimulatorFlags,
  type SimulatorFlags,
} from '../../../../cli/flags/simulator-flags';
import type { SimulatorOptions } from '../../../../simulator/options';

function optionsOf(...flags: string[]): SimulatorOptions {
  const words = flags.flatMap((some) => some.split(' '));
  const command = withSimulatorFlags(new Command('simulator')).exitOverride().parse(words, { from: 'user' });
  return simulatorOptionsOf(command.opts<SimulatorFlags>());
}

describe('the flags of the simulator', () => {
  test('keep the defaults if they were not given', () => {
    expect(optionsOf()).toEqual({});
  });

  test('all set their options', () => {
    expect(
      optionsOf(
        '--port 4100 --fault put-503:3 --fault hold:part=2 --shape urls-map --token-ttl 5s',
        '--url-ttl 1m --initial-urls 2 --no-additional-urls --processing-ms 50 --max-parts 10',
        '--search-lag 7ms --latency 20ms --slow-every 100',
        '--media 3 --deliveries 4 --external-id acme --host ::1',
      ),
    ).toEqual({
      host: '::1',
      port: 4100,
      faults: ['put-503:3', 'hold:part=2'],
      shapes: ['urls-map'],
      tokenTtlMs: 5_000,
      urlTtlMs: 60_000,
      initialUrls: 2,
      additionalUrls: false,
      processingMs: 50,
      maxParts: 10,
      searchLagMs: 7,
      latencyMs: 20,
      slowEvery: 100,
      seed: { media: 3, deliveries: 4 },
      account: { externalId: 'acme' },
    });
  });

  test('pass all settings of an S3 server on', () => {
    expect(
      optionsOf('--storage s3 --s3-endpoint http://127.0.0.1:7070', '--s3-access-key a --s3-secret-key b'),
    ).toEqual({ storage: 's3', s3: { endpoint: 'http://127.0.0.1:7070', accessKey: 'a', secretKey: 'b' } });
  });

  test('are refused with what the S3 settings lack', () => {
    expect(() => optionsOf('--storage s3')).toThrow(ValidationError);
  });
});

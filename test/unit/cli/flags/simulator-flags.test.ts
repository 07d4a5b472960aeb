import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { ValidationError } from '../../../../api/errors';
import {
  simulatorOptionsOf,
  withSimulatorFlags,
  type SimulatorFlags,
} from '../../../../cli/flags/simulator-flags';
import type { SimulatorOptions } from '../../../../simulator/options';

function optionsOf(...words: string[]): SimulatorOptions {
  const command = withSimulatorFlags(new Command('simulator')).exitOverride().parse(words, { from: 'user' });
  return simulatorOptionsOf(command.opts<SimulatorFlags>());
}

describe('flags of the simulator', () => {
  test('that are not given leave everything at its default', () => {
    expect(optionsOf()).toEqual({});
  });

  test('all find their options', () => {
    expect(
      optionsOf(
        ...[
          '--port',
          '4100',
          '--fault',
          'put-503:3',
          '--fault',
          'hold:part=2',
          '--shape',
          'urls-map',
          '--token-ttl',
          '5s',
        ],
        ...[
          '--url-ttl',
          '1m',
          '--initial-urls',
          '2',
          '--no-additional-urls',
          '--processing-ms',
          '50',
          '--max-parts',
          '10',
          '--latency',
          '20ms',
          '--slow-every',
          '100',
        ],
        ...['--media', '3', '--deliveries', '4', '--external-id', 'acme', '--host', '::1'],
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
      latencyMs: 20,
      slowEvery: 100,
      seed: { media: 3, deliveries: 4 },
      account: { externalId: 'acme' },
    });
  });

  test('hand an S3 server over whole', () => {
    expect(
      optionsOf(
        '--storage',
        's3',
        '--s3-endpoint',
        'http://127.0.0.1:7070',
        '--s3-access-key',
        'a',
        '--s3-secret-key',
        'b',
      ),
    ).toEqual({ storage: 's3', s3: { endpoint: 'http://127.0.0.1:7070', accessKey: 'a', secretKey: 'b' } });
  });

  test('name what an S3 server lacks', () => {
    expect(() => optionsOf('--storage', 's3')).toThrow(ValidationError);
  });
});

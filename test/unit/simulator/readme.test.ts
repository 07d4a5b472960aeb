import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SERVICE_OPERATIONS } from '../../../simulator/faults/fault';
import { FAULTS } from '../../../simulator/faults/faults';
import { SHAPES } from '../../../simulator/shapes/shapes';

const README = readFileSync(join(__dirname, '../../../simulator/README.md'), 'utf8');

test('the README describes every fault', () => {
  const isReported = (name: string): boolean =>
    [name, ...SERVICE_OPERATIONS.map((operation) => name.replace(operation, 'OPERATION'))].some((form) =>
      README.includes(`\`${form}\``),
    );
  expect([...FAULTS.keys()].filter((name) => !isReported(name))).toEqual([]);
});

test('the README lists every shape with its description', () => {
  const isReported = ({ name, description }: { name: string; description: string }): boolean =>
    README.includes(`\`${name}\``) && README.includes(description);
  expect([...SHAPES.values()].filter((shape) => !isReported(shape))).toEqual([]);
});

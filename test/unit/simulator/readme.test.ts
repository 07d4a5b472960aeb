import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SERVICE_OPERATIONS } from '../../../simulator/faults/fault';
import { FAULTS } from '../../../simulator/faults/faults';
import { SHAPES } from '../../../simulator/shapes/shapes';

const README = readFileSync(join(__dirname, '../../../simulator/README.md'), 'utf8');

test('The README tells of every fault', () => {
  const isTold = (name: string): boolean =>
    [name, ...SERVICE_OPERATIONS.map((operation) => name.replace(operation, 'OPERATION'))].some((form) =>
      README.includes(`\`${form}\``),
    );
  expect([...FAULTS.keys()].filter((name) => !isTold(name))).toEqual([]);
});

test('The README tells of every shape with its description', () => {
  const isTold = ({ name, description }: { name: string; description: string }): boolean =>
    README.includes(`\`${name}\``) && README.includes(description);
  expect([...SHAPES.values()].filter((shape) => !isTold(shape))).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port';

test('a port is given once, even while nothing listens on it', async () => {
  const ports: number[] = [];
  while (ports.length < 500) ports.push(await freePort());
  expect(new Set(ports).size).toBe(500);
});

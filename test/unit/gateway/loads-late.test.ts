import { expect, it, jest } from '@jest/globals';
import { createProgram } from '../../../cli/program';
import { cliContext } from '../../support/cli-context';

it('the command line shows its help without the server library, which only the HTTP door loads', () => {
  jest.doMock('fastify', () => {
    throw new Error('Only the HTTP door needs it.');
  });
  const output = { version: '0.0.0', printError: () => undefined };
  expect(createProgram(cliContext().context, output).helpInformation()).toContain('gateway');
  expect(() => jest.requireActual('../../../gateway/run-gateway')).toThrow('Only the HTTP door needs it.');
});

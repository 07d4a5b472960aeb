import { retryDelayMs } from '../../../../temporal/worker/in-activity';

it('a failed attempt of a page waits twice as long each time, up to a minute', () => {
  expect([1, 2, 4, 6, 7, 40].map(retryDelayMs)).toEqual([1_000, 2_000, 8_000, 32_000, 60_000, 60_000]);
});

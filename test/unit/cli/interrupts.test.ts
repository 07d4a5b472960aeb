import { describe, expect, test } from '@jest/globals';
import { Interrupted, Interrupts } from '../../../cli/interrupts';

function pressed(times: number, takesSecond: boolean): { first: boolean; second: boolean; ended: number } {
  let ended = 0;
  const interrupts = new Interrupts(() => {
    ended += 1;
  });
  const second = takesSecond ? interrupts.takeSecond() : undefined;
  for (let press = 0; press < times; press += 1) interrupts.press();
  return { first: interrupts.first.aborted, second: second?.aborted ?? false, ended };
}

describe('Ctrl-C', () => {
  test('once asks the command to stop', () => {
    expect(pressed(1, false)).toEqual({ first: true, second: false, ended: 0 });
  });

  test('twice ends at once where no command has another use for it', () => {
    expect(pressed(2, false)).toEqual({ first: true, second: false, ended: 1 });
  });

  test('twice is the command’s where it took it, and the third one ends at once', () => {
    expect(pressed(2, true)).toEqual({ first: true, second: true, ended: 0 });
    expect(pressed(3, true)).toEqual({ first: true, second: true, ended: 1 });
  });

  test('is the reason of what it aborts', () => {
    const interrupts = new Interrupts(() => undefined);
    interrupts.press();
    expect(interrupts.first.reason).toBeInstanceOf(Interrupted);
  });
});

import type { SimulatorEvent } from '../../simulator/control/recorder';
import type { Simulator } from '../../simulator/start-simulator';

/** Returns what waits until the simulator holds something that it did not hold before this call. */
export function nextHeld(simulator: Simulator): () => Promise<SimulatorEvent> {
  const after = simulator.events().at(-1)?.seq ?? 0;
  return () => simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
}

/** Lets the processing of the next `count` uploads hang. Resolves when all of them do. */
export function processingHeld(simulator: Simulator, count: number): Promise<unknown> {
  const after = simulator.events().at(-1)?.seq ?? 0;
  simulator.fault(`processing-stuck:${count}`);
  let held = 0;
  return simulator.waitFor(
    ({ event, operation, seq }) =>
      seq > after && event === 'held' && operation === 'processing' && (held += 1) === count,
  );
}

/** Releases what is held, and prevents that a retry is held. */
export function letGo(simulator: Simulator): void {
  simulator.clearFaults();
  simulator.release();
}

import type { SimulatorEvent } from '../../simulator/control/recorder';
import type { Simulator } from '../../simulator/start-simulator';

/** Returns what waits until the simulator holds something that it did not hold before this call. */
export function nextHeld(simulator: Simulator): () => Promise<SimulatorEvent> {
  const after = simulator.events().at(-1)?.seq ?? 0;
  return () => simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
}

/** Releases what is held, and prevents that a retry is held. */
export function letGo(simulator: Simulator): void {
  simulator.clearFaults();
  simulator.release();
}

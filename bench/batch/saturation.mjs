/**
 * What limits a fleet, from what one file was measured to cost: for each resource the files per second that it allows, the tightest first. Everything that a
 * file costs grows with the files alone (`npm run bench:batch` shows the slope), so that a rate holds for any number of them. Pure.
 *
 * `measured`: eventsPerFile, actionsPerFile, bytesPerFile (history), cpu.workers and cpu.server (s of a core per file), uploadSeconds (how long a
 * row holds its slot), partsPerFile, serviceCallsPerFile. `fleet`: workers, coresPerWorker, window, fileBytes, and what the other sides allow, each unset where it is
 * not known: serverCores, actionsPerSecond, shards with writesPerShard, callsPerSecond, storagePutsPerSecond, storageBytesPerSecond.
 */
export function saturation(measured, fleet) {
  const { cpu, eventsPerFile, actionsPerFile, uploadSeconds, partsPerFile, serviceCallsPerFile } = measured;
  const { shards, writesPerShard, serverCores } = fleet;
  const resources = [
    ['window of the batch', 'uploads at once', fleet.window, uploadSeconds],
    ['workers', 'cores', fleet.workers * fleet.coresPerWorker, cpu.workers],
    ['Temporal: actions', 'actions/s', fleet.actionsPerSecond, actionsPerFile],
    ['Temporal: processors', 'cores', serverCores, cpu.server],
    [
      'Temporal: shards',
      'writes/s',
      shards === undefined ? undefined : shards * writesPerShard,
      writesOf(eventsPerFile),
    ],
    ['service: calls', 'calls/s', fleet.callsPerSecond, serviceCallsPerFile],
    ['storage: PUTs', 'PUTs/s', fleet.storagePutsPerSecond, partsPerFile],
    ['storage: bytes', 'bytes/s', fleet.storageBytesPerSecond, fleet.fileBytes],
  ];
  return resources
    .filter(([, , capacity]) => capacity !== undefined)
    .map(([name, unit, capacity, perFile]) => ({
      name,
      unit,
      capacity,
      perFile,
      filesPerSecond: capacity / perFile,
    }))
    .sort((a, b) => a.filesPerSecond - b.filesPerSecond);
}

/** A write to a workflow's shard adds three events on average: a finished task, what it scheduled, the next task. */
function writesOf(events) {
  return events / 3;
}

/** Logins of all workers: each process logs in once for each life of a token, whatever it uploads. */
export function loginsPerHour({ workers, tokenMinutes }) {
  return (workers * 60) / tokenMinutes;
}

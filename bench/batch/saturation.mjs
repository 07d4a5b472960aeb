/**
 * What limits a fleet, calculated from the measured cost of one file: the files per second that each resource allows,
 * the lowest first. The total cost grows only with the number of files (`npm run bench:batch` shows the slope), so a
 * rate is valid for any number of them. Pure.
 *
 * `measured`: eventsPerFile, actionsPerFile, bytesPerFile (history), cpu.workers and cpu.server (s of a core per
 * file), uploadSeconds (how long a row occupies its slot), partsPerFile, serviceCallsPerFile.
 *
 * `fleet`: workers, coresPerWorker, concurrency, fileBytes, and the limits of the other systems, each unset if
 * unknown: serverCores, actionsPerSecond, shards with writesPerShard, callsPerSecond, storagePutsPerSecond,
 * storageBytesPerSecond.
 */
export function saturation(measured, fleet) {
  const { cpu, eventsPerFile, actionsPerFile, uploadSeconds, partsPerFile, serviceCallsPerFile } = measured;
  const { shards, writesPerShard, serverCores } = fleet;
  const resources = [
    ['concurrency of the batch', 'uploads at once', fleet.concurrency, uploadSeconds],
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

/**
 * A write to a workflow's shard adds three events on average: a finished task, what it scheduled, and the next task.
 */
function writesOf(events) {
  return events / 3;
}

/** Logins of all workers. Each process logs in once per lifetime of a token, however many files it uploads. */
export function loginsPerHour({ workers, tokenMinutes }) {
  return (workers * 60) / tokenMinutes;
}

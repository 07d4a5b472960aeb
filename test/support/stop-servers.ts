const running: (() => Promise<void>)[] = [];

export function keepUntilTeardown(stop: () => Promise<void>): void {
  running.push(stop);
}

/** Jest calls it once after the integration tests, in the process that started the servers. */
export default async function stopServers(): Promise<void> {
  await Promise.all(running.splice(0).map((stop) => stop()));
}

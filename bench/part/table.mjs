const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Markdown table: speed as a ratio to curl in the same round (higher is faster), CPU per GiB, peak memory of the
 * largest process.
 */
export function printTable(title, rows) {
  const curl = rows.get('curl');
  console.log(`\n### ${title}\n`);
  console.log('| client | x curl (median) | min–max | MB/s | CPU s/GiB | peak RSS MB |');
  console.log('|---|---|---|---|---|---|');
  for (const [name, runs] of rows) {
    if (runs.length === 0) continue;
    const ratios = curl === undefined ? [] : runs.map((run, round) => curl[round].ms / run.ms);
    const ratio = ratios.length ? median(ratios).toFixed(2) : '–';
    const span = ratios.length ? `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}` : '–';
    const speed = median(runs.map((run) => run.bytes / 1e6 / (run.ms / 1000)));
    const cpu = median(runs.map((run) => run.cpuSeconds / (run.bytes / 2 ** 30)));
    const rss = Math.max(...runs.map((run) => run.rssMb));
    console.log(
      `| ${name} | ${ratio} | ${span} | ${speed.toFixed(0)} | ${cpu.toFixed(2)} | ${rss.toFixed(0)} |`,
    );
  }
}

/** Returns how many characters must be added, removed or replaced to turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_unused, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}

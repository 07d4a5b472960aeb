/** Reads the job from stdin, runs `send` and prints its figures. */
export async function runJob(send) {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const job = JSON.parse(Buffer.concat(chunks).toString());
  process.stdout.write(`${JSON.stringify(await send(job))}\n`);
}

/** Sends every part, `concurrency` at once. `ms` is the time from the first requested byte to the last answer. */
export async function sendParts(job, sendPart) {
  const eTags = [];
  let next = 0;
  const begun = performance.now();
  const lane = async () => {
    for (let index = next++; index < job.urls.length; index = next++) {
      const offset = index * job.partBytes;
      eTags[index] = await sendPart({
        index,
        url: job.urls[index],
        offset,
        bytes: Math.min(job.partBytes, job.bytes - offset),
      });
    }
  };
  await Promise.all(Array.from({ length: job.concurrency }, lane));
  return { ms: performance.now() - begun, eTags };
}

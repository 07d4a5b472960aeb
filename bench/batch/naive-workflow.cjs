// The naive batch: one workflow with one child per file and limited concurrency, without pages. Its history grows with
// every file until the server ends it.
const { executeChild } = require('@temporalio/workflow');

Object.assign(exports, require('../../packages/media-service/dist/temporal/workflow/index.js'));

exports.naiveBatch = async function naiveBatch({ files, concurrency, inputs, prefix }) {
  let next = 0;
  const lane = async () => {
    while (next < files) {
      const number = next;
      next += 1;
      const path = `${inputs.folder}/clip-${String(number).padStart(6, '0')}.mp4`;
      const source = { kind: 'path', path, host: inputs.host };
      const input = { ...inputs.shared, source, media: {}, options: {}, ingestKey: `${prefix}/${number}` };
      await executeChild('uploadMedia', { workflowId: `${prefix}/${number}`, args: [input] });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};

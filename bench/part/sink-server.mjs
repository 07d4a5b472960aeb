import http from 'node:http';

const server = http.createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => response.writeHead(200, { etag: '"sink"' }).end());
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));

class Server {
  start(): void {}
}
function boot(server: Server) {
  server.start();
}

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Server } from 'node:net'

/**
 * Below the ports that systems hand out by themselves, so that nobody gets one by chance while its
 * owner is started again.
 */
const PORTS = { from: 20_000, to: 32_000 }

/**
 * A port that nobody listens on now. No other process of ours on this machine gets it as long as
 * this one lives.
 */
export async function freePort({ from, to } = PORTS): Promise<number> {
  for (;;) {
    const port = randomInt(from, to)
    if ((await isPortFree(port)) && (await isReserved(port))) return port
  }
}

/**
 * Who gets a port listens there only seconds later. On Linux a name without a file reserves it
 * meanwhile, and goes with its process.
 */
async function isReserved(port: number): Promise<boolean> {
  return (
    process.platform !== 'linux' ||
    isListening(
      (server, done) => server.listen({ path: `\0kontor port ${port}` }, done).unref(),
      () => undefined,
    )
  )
}

export async function isPortFree(port: number): Promise<boolean> {
  return isListening(
    (server, done) => server.listen(port, done),
    (server) =>
      new Promise((closed) => {
        server.close(closed)
      }),
  )
}

/** False where another one listens; `then` is done with the server that does. */
async function isListening(
  listen: (server: Server, listening: () => void) => void,
  then: (server: Server) => unknown,
): Promise<boolean> {
  const server = createServer()
  const taken = await new Promise<boolean>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(true) : fail(error),
    )
    listen(server, () => {
      done(false)
    })
  })
  if (!taken) await then(server)
  return !taken
}

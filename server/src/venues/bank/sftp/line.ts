/**
 * Calls over one connection to an SFTP server. ssh2 forgets some callbacks when a connection breaks
 * (its issues 1175 and 1490). So each call here ends with the connection, or with its own time
 * limit, whatever the library does.
 */
import type { Client, Sftp } from 'ssh2'

/** What concerns one file alone; the connection goes on. */
export class FileProblem extends Error {}

/** A refusal of the server. */
class ServerStatus extends FileProblem {
  readonly status: number
  constructor(status: number, message: string) {
    super(`${message} (status ${status})`)
    this.status = status
  }
}

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ServerStatus && error.status === status

/** Calls over one connection: each ends with an answer, with the connection, or by time. */
export class Line {
  readonly #client: Client
  readonly #timeout: number
  readonly #lost: Promise<never>
  #lose: (error: Error) => void = () => undefined
  isLost = false

  constructor(client: Client, timeout: number) {
    this.#client = client
    this.#timeout = timeout
    this.#lost = new Promise((_resolve, reject) => {
      this.#lose = (error) => {
        this.isLost = true
        reject(error)
      }
    })
    // Whoever waits sees it; between calls nobody does.
    this.#lost.catch(() => undefined)
    client.on('error', (error) => {
      this.#lose(new Error(error.message))
    })
    const ended = () => {
      this.#lose(new Error('the connection ended'))
    }
    client.on('end', ended).on('close', ended)
  }

  follow(sftp: Sftp): void {
    const ended = () => {
      this.#lose(new Error('the connection ended'))
    }
    sftp.on('close', ended)
    sftp.on('error', ended)
  }

  async call<Value>(
    start: (done: (error: Error | null | undefined, value: Value) => void) => void,
  ): Promise<Value> {
    const timer = setTimeout(() => {
      this.#lose(new Error(`no answer within ${this.#timeout / 1000} s`))
      this.#client.destroy()
    }, this.#timeout)
    try {
      return await Promise.race([answerOf(start), this.#lost])
    } finally {
      clearTimeout(timer)
    }
  }
}

function answerOf<Value>(
  start: (done: (error: Error | null | undefined, value: Value) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error === undefined || error === null) return resolve(value)
      const { code } = error as { code?: unknown }
      reject(typeof code === 'number' ? new ServerStatus(code, error.message) : error)
    })
  })
}

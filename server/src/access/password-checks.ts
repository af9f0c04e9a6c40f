/**
 * Checking a password takes a core and memory for a while, and needs no token. So few are checked
 * at once, and networks take turns: who sends many waits behind their own. Known to this process
 * alone.
 */
import { ApiError } from '../core/errors.ts'

const AT_ONCE = 2
/** Of one network. */
const WAITING_AT_MOST = 100
const RETRY_SECONDS = 5

export class PasswordChecks {
  /** Those who wait, by network; the network whose turn is next stands first. */
  readonly #queues = new Map<string, (() => void)[]>()
  #running = 0

  /** Throws 4291 when too many of this network wait. */
  async check<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < AT_ONCE) this.#running += 1
    else await this.#turn(network)
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turn(network: string): Promise<void> {
    const queue = this.#queues.get(network) ?? []
    if (queue.length >= WAITING_AT_MOST) {
      const reason = 'too many logins from this network at once'
      throw new ApiError('RateLimited', reason, [], RETRY_SECONDS)
    }
    return new Promise((resolve) => {
      queue.push(resolve)
      this.#queues.set(network, queue)
    })
  }

  #next(): void {
    const [first] = this.#queues
    if (first === undefined) {
      this.#running -= 1
      return
    }
    const [network, queue] = first
    const start = queue.shift()
    this.#queues.delete(network)
    if (queue.length > 0) this.#queues.set(network, queue)
    start?.()
  }
}

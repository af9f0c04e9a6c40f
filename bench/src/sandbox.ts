/**
 * The hand on the outside world: its control interface, and its clock that a bench lets run faster.
 */
export type Sandbox = {
  post<Data>(path: string, body: object): Promise<Data>
  get<Data>(path: string): Promise<Data>
  /**
   * World seconds per real second while `work` runs, with all prices standing still: they would run
   * as fast. 1 again after it.
   */
  atPace<T>(pace: number, work: () => Promise<T>): Promise<T>
}

export const EXCHANGES = ['kraken', 'bitstamp', 'prime'] as const

export function sandboxAt(url: string): Sandbox {
  const ask = async <Data>(path: string, init: RequestInit): Promise<Data> => {
    const answer = await fetch(`${url}/control/${path}`, init)
    if (!answer.ok) throw new Error(`sandbox ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Data
  }
  const post = <Data>(path: string, body: object) =>
    ask<Data>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const freeze = (frozen: boolean) =>
    Promise.all(EXCHANGES.map((exchange) => post(`${exchange}/market`, { frozen })))
  return {
    post,
    get: (path) => ask(path, {}),
    async atPace(pace, work) {
      await freeze(true)
      await post('clock', { pace })
      try {
        return await work()
      } finally {
        await post('clock', { pace: 1 })
        await freeze(false)
      }
    },
  }
}

/** Asks until the answer is not undefined. */
export async function eventually<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined>,
  every_ms = 50,
): Promise<T> {
  const limit = performance.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > limit) throw new Error(`${what}: not within ${seconds} s`)
    await new Promise((resolve) => {
      setTimeout(resolve, every_ms)
    })
  }
}

/** `work` of every item, `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(width, items.length) }, async () => {
      for (let index = next++; index < items.length; index = next++)
        await work(items[index] as T, index)
    }),
  )
}

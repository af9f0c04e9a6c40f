/**
 * What an account's lists answered last, for as long as nothing says that they are others now. At
 * an exchange that counts every call, a list in which nothing happens is read now and then only.
 * What is read tells about the rest: when balances have changed, all lists are read, and the other
 * way round.
 */

const LISTS = ['balances', 'deposits', 'withdrawals', 'trades'] as const
export type ListName = (typeof LISTS)[number]

/** How long a quiet list is not read, in milliseconds. */
export type Paces = Readonly<Record<ListName, number>> & {
  /** While something is under way in it. */
  live: number
}

/** `quiet`: nothing was new. `live`: something is under way. */
type Reading<Answer> = { answer: Answer; quiet: boolean; live: boolean }
type Held = { key: string; answer: unknown; read_at: number; change: number; live: boolean }

export class QuietLists {
  readonly #paces: (() => Paces) | null
  readonly #held = new Map<ListName, Held>()
  /** Counts what has been said of each list. */
  readonly #changes: Record<ListName, number> = {
    balances: 0,
    deposits: 0,
    withdrawals: 0,
    trades: 0,
  }

  /** Without paces every read is done. They may change. */
  constructor(paces: (() => Paces) | null) {
    this.#paces = paces
  }

  /** `key`: what is asked for, for example where to read on from. */
  async read<Answer>(
    list: ListName,
    { key, fresh = false }: { key: string; fresh?: boolean | undefined },
    read: () => Promise<Reading<Answer>>,
  ): Promise<Answer> {
    const held = this.#held.get(list)
    if (!fresh && held !== undefined && held.key === key && this.#stands(list, held))
      return held.answer as Answer
    const [read_at, change] = [Date.now(), this.#changes[list]]
    const { answer, quiet, live } = await read()
    if (this.#paces === null) return answer
    if (quiet) this.#held.set(list, { key, answer, read_at, change, live })
    else {
      this.#held.delete(list)
      this.changed(LISTS.filter((other) => other !== list))
    }
    return answer
  }

  /** Something may be new in them. */
  changed(lists: readonly ListName[] = LISTS): void {
    for (const list of lists) this.#changes[list] += 1
  }

  #stands(list: ListName, { read_at, change, live }: Held): boolean {
    const paces = this.#paces?.()
    if (paces === undefined || change !== this.#changes[list]) return false
    const pace = live ? Math.min(paces.live, paces[list]) : paces[list]
    return Date.now() - read_at < pace
  }
}

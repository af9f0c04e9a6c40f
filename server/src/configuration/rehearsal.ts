/**
 * The venues while a file is applied. What it says of them is not committed yet, so nobody else has
 * their adapters; and inside the transaction nothing is opened and no venue is asked. What is
 * missing there is fetched outside, and the file is applied anew.
 */
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { ApiError } from '../core/errors.ts'
import type { Tx } from '../store/db.ts'
import { withTimeLimit } from '../venues/index.ts'
import type { AssetProtocols, Venue, VenueRecord, Venues } from '../venues/index.ts'

/** What an entry needs is not there yet. */
export class NotYet extends Error {
  override name = 'NotYet'
}

/** How something came out. */
type Settled<T> = { value: T } | { error: ApiError }

export class Rehearsal {
  readonly #venues: Pick<Venues, 'look'>
  readonly #adapters = new Map<string, Settled<Venue>>()
  readonly #protocols = new Map<string, Settled<readonly AssetProtocols[]>>()
  readonly #missing = new Map<string, () => Promise<void>>()

  constructor(venues: Pick<Venues, 'look'>) {
    this.#venues = venues
  }

  /** Venues as the transaction has them. What they need and is not there is noted: NotYet. */
  inside(tx: Tx): Pick<Venues, 'connect'> {
    return {
      connect: async (workspace: WorkspaceId, venue_id: VenueId) => {
        const { venue, opening, open } = await this.#venues.look(tx, workspace, venue_id)
        const adapter = this.#known('open', this.#adapters, opening, open)
        return { venue, adapter: this.#withProtocols(opening, venue, adapter) }
      },
    }
  }

  /** Fetches what was noted. Answers whether there was something. */
  async provide(): Promise<boolean> {
    const missing = [...this.#missing.values()]
    this.#missing.clear()
    await Promise.all(missing.map((fetch) => fetch()))
    return missing.length > 0
  }

  async close(): Promise<void> {
    for (const settled of this.#adapters.values())
      if ('value' in settled) await settled.value.close()
  }

  #withProtocols(opening: string, { label }: VenueRecord, adapter: Venue): Venue {
    const ask = () => withTimeLimit(adapter.protocols(), label)
    const protocols = async () => [...this.#known('ask', this.#protocols, opening, ask)]
    return { ...adapter, protocols }
  }

  #known<T>(
    what: 'open' | 'ask',
    settled: Map<string, Settled<T>>,
    opening: string,
    fetch: () => Promise<T>,
  ): T {
    const found = settled.get(opening)
    if (found !== undefined && 'value' in found) return found.value
    if (found !== undefined) throw found.error
    this.#missing.set(`${what} ${opening}`, async () => {
      settled.set(opening, await settle(fetch))
    })
    throw new NotYet(opening)
  }
}

/** An adapter says by RangeError what of its options cannot be right. */
async function settle<T>(fetch: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await fetch() }
  } catch (error) {
    if (error instanceof ApiError) return { error }
    if (error instanceof RangeError) return { error: new ApiError('BadRequest', error.message) }
    throw error
  }
}

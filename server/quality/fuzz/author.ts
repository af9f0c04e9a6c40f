/** Who writes requests for one of the two workspaces, out of what that workspace has answered. */
import { Arbitraries } from './arbitraries.ts'
import type { Draws } from './draws.ts'
import { KnownRecords } from './known-records.ts'
import type { Endpoint } from '../../src/http/index.ts'
import type { ServiceUnderTest, Side } from '../service-under-test.ts'

export type Author = {
  draws: Draws
  endpoints: readonly Endpoint[]
  own: KnownRecords
  /** Of the other workspace. */
  foreign: KnownRecords
  values: Arbitraries
  side: Side
  other: Side
}

export function authorsOf(
  service: ServiceUnderTest,
  draws: Draws,
): { ours: Author; theirs: Author } {
  const { endpoints } = service
  const [us, them] = [new KnownRecords(), new KnownRecords()]
  return {
    ours: {
      draws,
      endpoints,
      own: us,
      foreign: them,
      values: new Arbitraries(us),
      side: service.ours,
      other: service.theirs,
    },
    theirs: {
      draws,
      endpoints,
      own: them,
      foreign: us,
      values: new Arbitraries(them),
      side: service.theirs,
      other: service.ours,
    },
  }
}

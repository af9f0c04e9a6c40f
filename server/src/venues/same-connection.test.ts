/** What was sent elsewhere is not absent here. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lookup, Venue } from './contract.ts'
import { openAdapter } from './open-adapters.ts'
import { withSameConnection } from './same-connection.ts'
import type { VenueRecord } from './venues.schema.ts'

const CHANGED = 1_000
const ABSENT = { lookup: 'absent' } as const

describe('a lookup at a connection that was changed', () => {
  for (const part of ['transfers', 'trading'] as const) {
    const answer = (sent: number, since?: number, lookup: Lookup<never> = ABSENT) => {
      const venue = { [part]: { find: async () => lookup } } as unknown as Venue
      const asked = { submitted_at: sent, sent_at: sent }
      const connection = since === undefined ? {} : { since }
      return withSameConnection(venue, connection)[part]?.find(asked as never)
    }

    test(`of ${part} is unknown for what was sent before`, async () => {
      assert.equal((await answer(CHANGED - 1, CHANGED))?.lookup, 'unknown')
      assert.equal((await answer(CHANGED, CHANGED))?.lookup, 'unknown')
    })

    test(`of ${part} is absent for what was sent afterwards, or was never changed`, async () => {
      assert.deepEqual(await answer(CHANGED + 1, CHANGED), ABSENT)
      assert.deepEqual(await answer(1, undefined), ABSENT)
    })

    test(`of ${part} tells what was found`, async () => {
      const found = { lookup: 'found', report: {} as never } as const
      assert.deepEqual(await answer(1, CHANGED, found), found)
    })

    test(`of ${part} is absent over its own connection alone, whenever it was sent`, async () => {
      const venue = { [part]: { find: async () => ABSENT } } as unknown as Venue
      const over = async (sent_over: string | null, connection: object) => {
        const asked = { submitted_at: 1, sent_at: 1, sent_over }
        const adapter = withSameConnection(venue, connection)
        return (await adapter[part]?.find(asked as never))?.lookup
      }
      assert.equal(await over('one', { connection: 'one', since: CHANGED }), 'absent')
      assert.equal(await over('one', { connection: 'two' }), 'unknown')
      assert.equal(await over('one', {}), 'unknown')
      assert.equal(await over(null, { connection: 'two' }), 'absent')
      assert.equal(await over(null, { connection: 'two', since: CHANGED }), 'unknown')
    })
  }
})

test('an adapter is opened with what its venue says of the connection', async () => {
  const venue = { transfers: { find: async () => ABSENT } } as unknown as Venue
  const { adapter } = await openAdapter(
    {
      factories: { BANK: async () => venue },
      secrets: async () => ({}),
      judge: async () => {},
      folders: async () => ({ options: {}, since: undefined }),
      meet: async () => ({ connection: 'one', since: CHANGED }),
    },
    { kind: 'BANK' } as VenueRecord,
    { options: {}, secrets: {} },
  )
  assert.equal(adapter.connection, 'one')
  const answer = await adapter.transfers?.find({ submitted_at: 1 } as never)
  assert.equal(answer?.lookup, 'unknown')
})

/** Cases of lists: a record that cannot be read, and an entry that has no name, or two. */
import assert from 'node:assert/strict'
import { mustExist } from '../../core/assert.ts'
import { until } from '../../core/testing.ts'
import type { Incoming, SetAsideRecord, Transfers, Venue } from '../contract.ts'
import { surpriseCase } from './surprises.testing.ts'
import { transferCase } from './transfers.testing.ts'
import type { Case } from './trial.testing.ts'

type Page = { movements: { foreign_id: string }[]; set_aside?: SetAsideRecord[] }

/** All that comes in and leaves, from the beginning that the venue offers. */
async function readLists(transfers: Transfers) {
  const incoming = await transfers.incoming(null)
  const outgoing = await mustExist(transfers.outgoing, 'it lists what leaves')(null)
  return { incoming, outgoing }
}

const setAside = ({ set_aside = [] }: Page): string[] =>
  set_aside.map(({ foreign_id }) => foreign_id)

/** Of both lists. */
async function allSetAside(transfers: Transfers): Promise<string[]> {
  const { incoming, outgoing } = await readLists(transfers)
  return [...setAside(incoming), ...setAside(outgoing)]
}

function assertStillRead(before: Page, after: Page): void {
  const read = new Set(after.movements.map(({ foreign_id }) => foreign_id))
  const lost = before.movements.filter(({ foreign_id }) => !read.has(foreign_id))
  assert.deepEqual(lost, [])
}

/** A final movement with that quantity, and the new ids of all that there are. */
async function arrived(
  transfers: Transfers,
  isArrival: (movement: Incoming) => boolean,
): Promise<string[]> {
  const found = await until('it arrives', async () => {
    const { movements } = await transfers.incoming(null)
    const ours = movements.filter(isArrival)
    return ours.some(({ state }) => state === 'FINAL') && ours
  })
  return [...new Set(found.map(({ foreign_id }) => foreign_id))]
}

async function agrees(venue: Venue, total: () => Promise<bigint>): Promise<void> {
  await until("the balance is the bank's", async () => {
    const [balance] = await venue.balances()
    return balance?.total === (await total()) || undefined
  })
}

export const LIST_CASES: readonly Case[] = [
  transferCase(
    'C32 a record that cannot be read is set aside, and all others are read',
    async ({ transfers, stage }) => {
      const before = await readLists(transfers)
      const settle = await stage.oddRecords.begin()
      const isArrival = await stage.arrive()
      const order = stage.good()
      const sent = await transfers.send(order)
      assert.ok(sent.outcome === 'accepted')
      const ours = [sent.report.foreign_id, order.external_id]
      const after = await until('both lists have it', async () => {
        const lists = await readLists(transfers)
        const isThere = stage.oddRecords.lists.every((list) =>
          setAside(lists[list]).some((id) => !setAside(before[list]).includes(id)),
        )
        const isRead =
          lists.incoming.movements.some(
            (movement) => isArrival(movement) && movement.state === 'FINAL',
          ) &&
          lists.outgoing.movements.some(
            ({ foreign_id, external_id }) =>
              ours.includes(foreign_id) || ours.includes(external_id ?? ''),
          )
        return isThere && isRead ? lists : undefined
      })
      await settle()
      assertStillRead(before.incoming, after.incoming)
      assertStillRead(before.outgoing, after.outgoing)
    },
  ),
  surpriseCase(
    'C34 an entry without a name, in a notification and in a statement, is counted once',
    'entries',
    async ({ venue, transfers, stage, surprise }) => {
      // What has a name until now keeps it.
      await surprise.statement()
      await agrees(venue, surprise.total)
      const before = await allSetAside(transfers)
      const settle = await surprise.unnamed()
      const isArrival = await stage.arrive()
      const ids = await arrived(transfers, isArrival)
      await surprise.statement()
      await agrees(venue, surprise.total)
      assert.deepEqual([ids.length, await arrived(transfers, isArrival)], [1, ids])
      assert.deepEqual(await allSetAside(transfers), before)
      await settle()
    },
  ),
  surpriseCase(
    'C35 a payment that is notified again under another name is counted once, and waits',
    'entries',
    async ({ venue, transfers, stage, surprise }) => {
      const before = await allSetAside(transfers)
      const settle = await surprise.toldAgain()
      const isArrival = await stage.arrive()
      const ids = await arrived(transfers, isArrival)
      const further = async () =>
        (await allSetAside(transfers)).filter((id) => !before.includes(id))
      await until('the other one waits', async () => (await further()).length > 0)
      await surprise.statement()
      await agrees(venue, surprise.total)
      assert.deepEqual([ids.length, await arrived(transfers, isArrival)], [1, ids])
      assert.equal((await further()).length, 1)
      await settle()
    },
  ),
]

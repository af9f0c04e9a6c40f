/** A deposit and the withdrawals that return it tell one story, from either side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReturns } from '../deposits/returns.testing.ts'
import { treasuryTimelines } from './timeline.ts'

test('the timelines of a deposit and of its return name each other', async (t) => {
  const returns = await openReturns()
  t.after(() => returns.close())
  const { db, workspace } = returns.place
  const resourcesOf = async (kind: string, id: string) => {
    const source = treasuryTimelines.find((timeline) => timeline.kind === kind) ?? assert.fail()
    const parts = await source.parts(db, workspace, id)
    return (parts?.resources ?? []).map((resource) => `${resource.kind} ${resource.id}`)
  }
  const deposit = await returns.arrives('9')
  const made = await returns.sends(deposit.id)
  await returns.ends(made)
  const both = [`deposit ${deposit.id}`, `withdrawal ${made.id}`]
  assert.deepEqual(await resourcesOf('deposit', deposit.id), both)
  assert.deepEqual((await resourcesOf('withdrawal', made.id)).toSorted(), both.toSorted())
})

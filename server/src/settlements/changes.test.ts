import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import type { Change } from '../ledger/index.ts'
import { commitSettlement, SettlementDraft } from './changes.ts'
import type { SettlementRow, SettlementsApp } from './rows.ts'

const workspace = newId<WorkspaceId>()
const before = {
  id: newId(),
  workspace,
  state: 'READY',
  parts: [],
  version: 1,
} as unknown as SettlementRow

/** What reaches the lane. */
async function committed(effects: Parameters<SettlementDraft['add']>[0][]): Promise<Change> {
  const changes: Change[] = []
  const app = {
    clock: manualClock(0),
    lane: {
      commit: async (change: Change) => {
        changes.push(change)
        return { verdict: 'accepted', at: 0, bookings: [] }
      },
    },
  } as unknown as SettlementsApp
  const api_key = { id: 'key', permissions: new Set<string>(), networks: [] }
  const caller: Caller = {
    workspace,
    by: 'key',
    idempotency: undefined,
    api_key: { ...api_key, expires_at: 0, limited: true },
  }
  const draft = new SettlementDraft(before)
  for (const effect of effects) draft.add(effect)
  await commitSettlement(caller, app, draft, { name: 'test', after: draft.after() })
  const [change] = changes
  assert.ok(change !== undefined)
  return change
}

test('what each part moves is told together, for the limits of a program', async () => {
  const part = (quantity: string) => ({
    moves: [{ asset: 'EUR', quantity: decimal(quantity), route_id: 'route' }],
  })
  const change = await committed([part('1'), part('2')])
  assert.deepEqual(change.api_key, { id: 'key' })
  assert.deepEqual(change.moves, [...part('1').moves, ...part('2').moves])
})

test('where no withdrawal is made, what it books is judged', async () => {
  assert.equal((await committed([{}])).moves, undefined)
})

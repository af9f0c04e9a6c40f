import { newId } from '../core/ids.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { assetByCode } from './assets.ts'

test('requests at the same time read the assets once, and a failure is forgotten', async () => {
  const workspace = newId<WorkspaceId>()
  let reads = 0
  let answers = false
  const reader: Reader = {
    async query<Row>() {
      reads += 1
      await new Promise(setImmediate)
      if (!answers) throw new Error('the database does not answer')
      return [
        { code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2, circulating_supply: null },
      ] as Row[]
    },
  }
  const together = () =>
    Promise.allSettled(Array.from({ length: 50 }, () => assetByCode(reader, workspace, 'EUR')))
  assert.ok((await together()).every((result) => result.status === 'rejected'))
  answers = true
  assert.ok(
    (await together()).every((result) => result.status === 'fulfilled' && result.value.scale === 2),
  )
  assert.ok((await together()).every((result) => result.status === 'fulfilled'))
  assert.equal(reads, 2)
})

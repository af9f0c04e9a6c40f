/** What real banks do differently, one by one; and it lasts. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bob, has, pain, start, withBank } from './rig.ts'

const change = async (bank: ReturnType<typeof start>, habits: object) => {
  const answer = await bank.server.inject({
    method: 'POST',
    url: '/control/bank/habits',
    payload: habits,
  })
  assert.equal(answer.statusCode, 200, answer.body)
}

async function pay(bank: ReturnType<typeof start>): Promise<void> {
  const to = await bob(bank)
  bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to, amount: '100.00' }))
  await bank.taken('p1.xml')
  bank.world.advance(3000)
}

test('NONREF, an entry of another currency, a second notification, another amount', () =>
  withBank(async (bank) => {
    await change(bank, { references: 'NONREF', other_currency: true, notifications: 'AGAIN' })
    await change(bank, { booked_amount: '40' })
    await pay(bank)
    const [first = '', again = '', ...further] = bank.files('camt.054').map(bank.read)
    assert.deepEqual(further, [])
    has(first, '<AcctSvcrRef>NONREF</AcctSvcrRef>', '<Amt Ccy="USD">1.00</Amt>', '40.00')
    has(again, '<MsgId>AN')
    assert.equal(await bank.quantity('kontor'), '499960')
  }))

test('another reference in the statement', () =>
  withBank(async (bank) => {
    await change(bank, { statement_references: 'OTHER' })
    await pay(bank)
    await bank.server.inject({ method: 'POST', url: '/control/bank/statement', payload: {} })
    has(bank.read(bank.files('camt.054')[0] ?? ''), '<AcctSvcrRef>SB')
    has(bank.read(bank.files('camt.053').at(-1) ?? ''), '<AcctSvcrRef>SSB')
  }))

test('habits survive a restart, and only known ones are taken', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-habits-'))
  try {
    const before = start(dir)
    await change(before, { reversals: 'UNMARKED' })
    await before.stop()
    const after = start(dir)
    const kept = await after.server.inject({ url: '/control/bank/habits' })
    assert.equal(kept.json<{ reversals: string }>().reversals, 'UNMARKED')
    const wrong = await after.server.inject({
      method: 'POST',
      url: '/control/bank/habits',
      payload: { references: 'ANY' },
    })
    assert.equal(wrong.statusCode, 400)
    await after.stop()
  } finally {
    rmSync(dir, { recursive: true })
  }
})

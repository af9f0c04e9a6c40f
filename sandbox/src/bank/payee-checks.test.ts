/** Files whose payees are checked, and what their customer decides about them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bob, has, pain, start, withBank } from './rig.ts'

type Bank = ReturnType<typeof start>

async function pay(bank: Bank, id: string, name: string): Promise<string> {
  bank.drop(`${id}.xml`, pain({ id, from: bank.iban, to: await bob(bank), amount: '10.00', name }))
  await bank.taken(`${id}.xml`)
  bank.world.advance(1)
  return bank.read(bank.files('pain.002').at(-1) ?? '')
}

const decide = (bank: Bank, message_id: string, decision: string) =>
  bank.server.inject({
    method: 'POST',
    url: '/control/bank/payee-checks',
    payload: { message_id, decision },
  })

test('a payee that does not match holds the file until it is released, and lasts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-'))
  const first = start(dir)
  has(
    await pay(first, 'v1', 'Close match Bob Example'),
    '<GrpSts>RVCM</GrpSts>',
    'RVNM The name does not match.',
    '<TxSts>RVMC</TxSts>',
    '<AddtlInf>Bob Example</AddtlInf>',
  )
  first.world.advance(60_000)
  assert.equal(await first.quantity('kontor'), '500000')
  has(await pay(first, 'v1', 'Bob Example'), '<Cd>DU01</Cd>')
  await first.stop()
  const bank = start(dir)
  try {
    assert.deepEqual((await bank.server.inject({ url: '/control/bank/payee-checks' })).json(), [
      { message_id: 'v1', payments: [{ end_to_end_id: 'v1', name: 'Close match Bob Example' }] },
    ])
    assert.equal((await decide(bank, 'v1', 'RELEASE')).statusCode, 200)
    has(bank.read(bank.files('pain.002').at(-1) ?? ''), '<TxSts>ACCP</TxSts>')
    assert.equal((await decide(bank, 'v1', 'RELEASE')).statusCode, 409)
    bank.world.advance(3000)
    assert.equal(await bank.quantity('kontor'), '499990')
  } finally {
    await bank.stop()
    rmSync(dir, { recursive: true })
  }
})

test('a file that is canceled pays nothing; a match holds nothing', () =>
  withBank(async (bank) => {
    await bank.server.inject({
      method: 'POST',
      url: '/control/bank/habits',
      payload: { payee_check_codes: 'MIXED' },
    })
    has(await pay(bank, 'v2', 'No match'), '<GrpSts>RVMC</GrpSts>', '<TxSts>RVNM</TxSts>')
    await decide(bank, 'v2', 'CANCEL')
    has(bank.read(bank.files('pain.002').at(-1) ?? ''), '<GrpSts>CANC</GrpSts>')
    await pay(bank, 'v3', 'Match Bob Example')
    has(bank.read(bank.files('pain.002').at(-2) ?? ''), '<TxSts>RCVC</TxSts>')
    bank.world.advance(3000)
    assert.equal(await bank.quantity('kontor'), '499990')
  }))

test('an instant payment is refused by the code in the name of its payee', () =>
  withBank(async (bank) => {
    const to = await bob(bank)
    for (const [id, code] of [
      ['i1', 'AB06'],
      ['i2', 'AM23'],
    ] as const) {
      const xml = pain({ id, from: bank.iban, to, amount: '10.00', name: `Refused ${code}` })
      const instant = '<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf><ReqdExctnDt>'
      bank.drop(`${id}.xml`, xml.replace('<ReqdExctnDt>', instant))
      await bank.taken(`${id}.xml`)
      bank.world.advance(1)
      has(bank.read(bank.files('pain.002').at(-1) ?? ''), `<Cd>${code}</Cd>`)
    }
  }))

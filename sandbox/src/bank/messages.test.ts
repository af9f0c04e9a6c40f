import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '../testing.ts'
import { SCHEMAS, UNKNOWN_IBAN, has, pain, withBank } from './rig.ts'

test('a payment outside SEPA is slower, is charged, and goes to an account number', () =>
  withBank(async (bank) => {
    const post = (what: string, payload: object) =>
      bank.server.inject({ method: 'POST', url: `/control/bank/${what}`, payload })
    const agent = (inner: string) => `<CdtrAgt><FinInstnId>${inner}</FinInstnId></CdtrAgt>`
    const foreign = (id: string, to: string, inner: string) =>
      pain({ id, from: bank.iban, to, amount: '100.00' })
        .replace(`<IBAN>${to}</IBAN>`, `<Othr><Id>${to}</Id></Othr>`)
        .replace('<CdtTrfTxInf>', '<ChrgBr>SHAR</ChrgBr><CdtTrfTxInf>')
        .replace('</Amt><Cdtr>', `</Amt>${agent(inner)}<Cdtr>`)
    const aba = (number: string) =>
      `<ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>${number}</MmbId></ClrSysMmbId>`
    for (const [id, inner] of [
      ['f1', '<Nm>Bank</Nm>'],
      ['f2', aba('021000022')],
    ] as const) {
      bank.drop(`${id}.xml`, foreign(id, '123456789', inner))
      await bank.taken(`${id}.xml`)
      has(
        await until(id, () =>
          bank
            .files('pain.002')
            .map(bank.read)
            .find((xml) => xml.includes(`>${id}<`)),
        ),
        '<Cd>RC01</Cd>',
      )
    }
    bank.drop('f3.xml', foreign('f3', '123456789', aba('021000021')))
    await bank.taken('f3.xml')
    bank.world.advance(3000)
    assert.equal(await bank.quantity('kontor'), '500000')
    bank.world.advance(27_000)
    assert.equal(await bank.quantity('kontor'), '499887.5')
    const [charge, payment] = bank.files('camt.054').map(bank.read)
    has(charge ?? '', '12.50', '<SubFmlyCd>CHRG</SubFmlyCd>', '<EndToEndId>f3</EndToEndId>')
    has(
      payment ?? '',
      '100.00',
      '<SubFmlyCd>XBCT</SubFmlyCd>',
      '<EndToEndId>f3</EndToEndId>',
      '<Othr>',
    )
    bank.world.advance(60_000)
    await post('statement', {})
  }))

test('debits without a payment file, and reversals', () =>
  withBank(async (bank) => {
    const post = (what: string, payload: object) =>
      bank.server.inject({ method: 'POST', url: `/control/bank/${what}`, payload })
    const { wire_id } = (
      await post('wire', {
        from_name: 'Carol',
        to_iban: bank.iban,
        quantity: '7',
        currency: 'EUR',
        reference: 'r',
      })
    ).json() as { wire_id: string }
    assert.equal((await post('reverse', { wire_id })).statusCode, 409)
    bank.world.advance(10_000)
    assert.equal((await post('reverse', { wire_id })).statusCode, 200)
    assert.equal(
      (await post('debit', { quantity: '1.50', reference: 'account charges' })).statusCode,
      200,
    )
    assert.equal(
      (await post('debit', { quantity: '600000', reference: 'too much' })).statusCode,
      409,
    )
    bank.world.advance(10_000)
    has(
      bank
        .files('camt.054')
        .map(bank.read)
        .find((xml) => xml.includes('RvslInd')) ?? '',
      '<CdtDbtInd>DBIT</CdtDbtInd>',
      `<TxId>${wire_id}</TxId>`,
    )
    assert.equal(await bank.quantity('kontor'), '499998.5')
    assert.equal(await bank.quantity('outside', 'Carol'), '1000000')
    await post('statement', {})
  }))

test(
  'a payment file that is not valid by the ISO schema is refused, and others are booked',
  { skip: existsSync(SCHEMAS) ? false : 'the schemas are not there' },
  () =>
    withBank(async (bank) => {
      await bank.server.inject({
        method: 'POST',
        url: '/control/bank/wire',
        payload: { to_iban: bank.iban, quantity: '7.7', currency: 'EUR', reference: 'r' },
      })
      bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to: UNKNOWN_IBAN, amount: '2.00' }))
      await bank.taken('p1.xml')
      bank.drop(
        'p2.xml',
        pain({ id: 'p2', from: bank.iban, to: UNKNOWN_IBAN, amount: '2.00' }).replace(
          '<PmtMtd>',
          '<Extra/><PmtMtd>',
        ),
      )
      await bank.taken('p2.xml')
      has(
        await until('refusal', () =>
          bank
            .files('pain.002')
            .map(bank.read)
            .find((xml) => xml.includes('>p2<')),
        ),
        '<Cd>FF01</Cd>',
      )
      for (const step of [3000, 10_000, 10_000]) bank.world.advance(step)
      await bank.server.inject({ method: 'POST', url: '/control/bank/statement' })
      assert.deepEqual([bank.files('camt.054').length, bank.files('camt.053').length], [3, 2])
    }, SCHEMAS),
)

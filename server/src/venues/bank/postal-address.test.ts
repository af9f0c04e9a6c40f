/** Addresses of payer and payee, in their elements. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { order, withFiles } from './bank-files.testing.ts'
import { accountOf, bankConfig } from './config.ts'

const PAYEE = { name: 'A', reference: 'r' }
const ADDRESS = {
  street: 'Bahnhofstraße',
  building_number: '12a',
  post_code: '3011',
  town: 'Bern',
  country: 'CH',
}
const WRITTEN =
  '<PstlAdr><StrtNm>Bahnhofstrasse</StrtNm><BldgNb>12a</BldgNb><PstCd>3011</PstCd>' +
  '<TwnNm>Bern</TwnNm><Ctry>CH</Ctry></PstlAdr>'
const HOLDER = { TwnNm: 'Wien', Ctry: 'AT' }

test('either message has the address of the payee, and of the holder', () =>
  withFiles(
    async ({ outbox }, bank) => {
      for (const [external_id, protocol, more] of [
        ['a-1', 'SEPA', {}],
        ['a-2', 'FOREIGN', { bic: 'CHASUS33XXX' }],
      ] as const) {
        const to = { ...PAYEE, ...ADDRESS, ...more }
        const sent = await bank.transfers?.send(
          order({ external_id, protocol, transfer: { from: {}, to } }),
        )
        assert.equal(sent?.outcome, 'accepted')
        const xml = readFileSync(join(outbox, `${external_id}.xml`), 'utf8')
        assert.ok(xml.includes(`<Nm>A</Nm>${WRITTEN}</Cdtr>`), xml)
        assert.ok(xml.includes('<PstlAdr><TwnNm>Wien</TwnNm><Ctry>AT</Ctry></PstlAdr></Dbtr>'), xml)
      }
    },
    { address: HOLDER },
  ))

test('without an address a file has none', () =>
  withFiles(async ({ outbox }, bank) => {
    await bank.transfers?.send(order({ external_id: 'a-3' }))
    assert.ok(!readFileSync(join(outbox, 'a-3.xml'), 'utf8').includes('PstlAdr'))
  }))

test('an address that a bank would refuse is refused, and leaves no file', () =>
  withFiles(async ({ outbox }, bank) => {
    for (const wrong of [
      { street: 'Main Street' },
      { town: 'Bern' },
      { country: 'CH' },
      { ...ADDRESS, street: '' },
      { ...ADDRESS, country: 'ZZ' },
      { ...ADDRESS, country: 'ch' },
      { ...ADDRESS, town: 'B'.repeat(36) },
      { ...ADDRESS, town: '東京' },
    ]) {
      const to = { ...PAYEE, ...wrong }
      const sent = await bank.transfers?.send(order({ transfer: { from: {}, to } }))
      assert.equal(sent?.outcome, 'refused', JSON.stringify(wrong))
    }
    assert.deepEqual(readdirSync(outbox), ['done'])
  }))

test('the configuration names the address of the holder', () => {
  const values = {
    outbox_dir: 'out',
    inbox_dir: 'in',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    name: 'Kontor',
    currency: 'EUR',
  }
  const opened = (more: Record<string, string>) => accountOf(bankConfig({ ...values, ...more }))
  assert.deepEqual(opened({}).address, {})
  assert.deepEqual(opened({ holder_town: 'Wien', holder_country: 'AT' }).address, HOLDER)
  assert.throws(() => opened({ holder_street: 'Ring' }), /account holder.*no town/)
})

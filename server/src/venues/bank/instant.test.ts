/** Instant payments in euros: at any hour, at once or not at all. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import { openBank } from './bank.ts'
import { BARE, IBAN, lookup, order, withFiles } from './bank-files.testing.ts'
import { accountOf, bankConfig } from './config.ts'
import { calendarOf } from './calendar.ts'
import { OPEN_EVERY_DAY, openSandboxBank, orderTo } from './sandbox-bank.testing.ts'

const VALUES = {
  outbox_dir: 'out',
  inbox_dir: 'in',
  iban: IBAN,
  bic: 'COBADEFFXXX',
  name: 'Kontor',
  currency: 'EUR',
}
const UNKNOWN_IBAN = 'NL91ABNA0417164300'
const instant = { fee: 0n, maximum: decimal('15000') }
const SEPA_INSTANT = 'SEPA_INSTANT'

test('a bank offers instant payments where its configuration says so, in euros', () => {
  assert.equal(accountOf(bankConfig(VALUES)).instant, null)
  assert.deepEqual(accountOf(bankConfig({ ...VALUES, instant: 'true' })).instant, {
    fee: 0n,
    maximum: decimal('999999999.99'),
  })
  const limited = { ...VALUES, instant: 'true', instant_maximum: '15000', instant_fee: '0.20' }
  assert.deepEqual(accountOf(bankConfig(limited)).instant, { ...instant, fee: decimal('0.2') })
  for (const wrong of [
    { instant: 'yes' },
    { instant: 'true', currency: 'CHF' },
    { instant_fee: '1' },
    { instant: 'true', instant_fee: '0.001' },
    { instant: 'true', instant_maximum: '0' },
    { instant: 'true', instant_maximum: '1000000000' },
  ])
    assert.throws(() => bankConfig({ ...VALUES, ...wrong }), RangeError, JSON.stringify(wrong))
})

test('a bank without instant payments refuses them, one with them names its limit', async () => {
  await withFiles(async ({ outbox }, bank) => {
    const sent = await bank.transfers?.send(order({ protocol: SEPA_INSTANT }))
    assert.equal(sent?.outcome, 'refused')
    assert.throws(() => bank.transfers?.fields('EUR', SEPA_INSTANT))
    assert.deepEqual(readdirSync(outbox), ['done'])
  })
  await withFiles(
    async ({ outbox }, bank) => {
      const [euros] = await bank.protocols()
      assert.deepEqual(
        euros?.protocols.map(({ protocol, max_withdrawal }) => [
          protocol,
          max_withdrawal === null ? null : format(max_withdrawal),
        ]),
        [
          ['SEPA', '999999999.99'],
          ['SEPA_INSTANT', '15000'],
          ['FOREIGN', '999999999.99'],
        ],
      )
      const refused = async (change: Parameters<typeof order>[0]) => {
        const sent = await bank.transfers?.send(order({ protocol: SEPA_INSTANT, ...change }))
        return sent?.outcome === 'refused' ? sent.reason : sent?.outcome
      }
      assert.match((await refused({ quantity: decimal('15000.01') })) ?? '', /and 15000 EUR/)
      assert.match((await refused({ destination_address: '12-3456' })) ?? '', /not a valid IBAN/)
      assert.deepEqual(readdirSync(outbox), ['done'])
    },
    { instant },
  )
})

test('it is asked for as INST and for today, on a day on which the bank is closed', () => {
  const today = new Date().toISOString().slice(0, 10)
  const calendar = calendarOf({ calendar: 'LISTED', holidays: today, time_zone: 'UTC' }, 'EUR')
  return withFiles(
    async ({ outbox }, bank) => {
      const { transfers } = bank
      const instantOrder = order({ protocol: SEPA_INSTANT, execution_date: '2031-01-02' })
      assert.equal(transfers?.executionDate?.(instantOrder, Date.now()), today)
      assert.equal((await transfers?.send(instantOrder))?.outcome, 'accepted')
      const xml = readFileSync(join(outbox, `${BARE}.xml`), 'utf8')
      assert.ok(
        xml.includes(
          '<SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>' +
            `<ReqdExctnDt><Dt>${today}</Dt></ReqdExctnDt>`,
        ),
        xml,
      )
      const plain = order({ external_id: 'w-1' })
      assert.equal((await transfers?.send(plain))?.outcome, 'accepted')
      assert.ok(!readFileSync(join(outbox, 'w-1.xml'), 'utf8').includes('LclInstrm'))
    },
    { instant, calendar },
  )
})

test('a silent bank leaves it open, a refusal ends it, and nothing is sent in its place', () =>
  withFiles(
    async ({ outbox, put }, bank) => {
      const { transfers } = bank
      const sent = order({ protocol: SEPA_INSTANT })
      const find = async () => {
        const found = await transfers?.find({ ...lookup(), ...sent })
        return found?.lookup === 'found' && [found.report.state, found.report.sub_state]
      }
      assert.equal((await transfers?.send(sent))?.outcome, 'accepted')
      const files = readdirSync(outbox)
      assert.deepEqual(await find(), ['PENDING', 'WAITING'])
      put(
        '0001.xml',
        '<Document><CstmrPmtStsRpt><OrgnlGrpInfAndSts>' +
          `<OrgnlMsgId>${BARE}</OrgnlMsgId><GrpSts>RJCT</GrpSts>` +
          '<StsRsnInf><Rsn><Cd>AB06</Cd></Rsn></StsRsnInf></OrgnlGrpInfAndSts>' +
          '</CstmrPmtStsRpt></Document>',
      )
      assert.deepEqual(await find(), ['REJECTED', 'RJCT AB06'])
      assert.equal((await transfers?.send(sent))?.outcome, 'accepted')
      assert.deepEqual(readdirSync(outbox), files)
    },
    { instant },
  ))

test("the sandbox's bank executes it at once, and refuses it without a payee's bank", async () => {
  const problems: string[] = []
  const world = await openSandboxBank(problems, async (sandbox) => {
    const credentials = JSON.parse(await sandbox.credential('bank.json')) as Record<string, string>
    const at = (name: string) => join(sandbox.dir, 'bank/kontor', name)
    const places = { outbox_dir: at('outbox'), inbox_dir: at('inbox') }
    const config = bankConfig({ ...credentials, ...OPEN_EVERY_DAY, ...places, instant: 'true' })
    return openBank(config, (problem) => problems.push(problem))
  })
  try {
    const { iban, quantity } = await world.account('Bob Example')
    const paid = { ...orderTo(iban, '1.23'), protocol: SEPA_INSTANT }
    assert.equal((await world.transfers.send(paid)).outcome, 'accepted')
    const { fee } = await world.reaches(paid, 'SUCCESS')
    assert.equal(fee, 0n)
    const arrived = format(decimal(quantity) + decimal('1.23'))
    await until(
      'it has arrived, and no time has passed',
      async () => (await world.account('Bob Example')).quantity === arrived || undefined,
    )
    const refused = { ...orderTo(UNKNOWN_IBAN, '1'), protocol: SEPA_INSTANT }
    await world.transfers.send(refused)
    await world.reaches(refused, 'REJECTED', 'RJCT AC01')
    await world.fault('payment', 'REFUSE')
    const timedOut = { ...orderTo(iban, '2'), protocol: SEPA_INSTANT }
    await world.transfers.send(timedOut)
    await world.reaches(timedOut, 'REJECTED', 'RJCT AB05')
    for (const code of ['AB06', 'AM23']) {
      const named = { ...orderTo(iban, '2'), protocol: SEPA_INSTANT }
      const transfer = { from: {}, to: { name: `Refused ${code}`, reference: 'invoice 7' } }
      await world.transfers.send({ ...named, transfer })
      await world.reaches(named, 'REJECTED', `RJCT ${code}`)
    }
    await world.agrees()
    assert.deepEqual(problems, [])
  } finally {
    await world.close()
  }
})

import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../testing.ts'
import { dayBegins } from './payment-orders.ts'
import { UNKNOWN_IBAN, bob, has, pain, start, withBank } from './rig.ts'

test('a payment is accepted, booked, reported and arrives', () =>
  withBank(async (bank) => {
    await until('first statement', () => bank.files('camt.053')[0])
    const to = await bob(bank)
    bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to, amount: '1234.56' }))
    await bank.taken('p1.xml')
    const accepted = await until('pain.002', () => bank.files('pain.002')[0])
    has(bank.read(accepted), '<OrgnlMsgId>p1</OrgnlMsgId>', '<TxSts>ACCP</TxSts>')
    assert.equal(await bank.quantity('kontor'), '500000')
    bank.world.advance(3000)
    assert.equal(await bank.quantity('kontor'), '498765.44')
    assert.equal((await bank.accounts()).in_transit, '1234.56')
    has(
      bank.read(bank.files('camt.054')[0] ?? ''),
      '<CdtDbtInd>DBIT</CdtDbtInd>',
      '<EndToEndId>p1</EndToEndId>',
      'invoice 7',
    )
    has(bank.read(bank.files('pain.002')[1] ?? ''), '<TxSts>ACSC</TxSts>')
    bank.world.advance(10_000)
    assert.equal(await bank.quantity('outside', 'Bob Example'), '1001234.56')
    assert.deepEqual(
      { ...bank.world.counts()[0] },
      { venue: 'bank', operation: 'payment', reference: 'p1', count: 1 },
    )
  }))

test('a payment waits at the bank for the day for which it is asked', () =>
  withBank(async (bank) => {
    const day = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)
    const date = day(bank.world.now() + 2 * 86_400_000)
    const midnight = dayBegins(date)
    const order = { id: 'w1', from: bank.iban, to: await bob(bank), amount: '10.00' }
    bank.drop('w1.xml', pain(order).replace('<Dt>2026-11-21</Dt>', `<Dt>${date}</Dt>`))
    await bank.taken('w1.xml')
    bank.world.advance(midnight - bank.world.now() - 1)
    assert.equal(bank.files('camt.054').length, 0)
    bank.world.advance(3001)
    assert.equal(bank.files('camt.054').length, 1)
    assert.deepEqual(
      ['2026-11-24', '2026-07-01'].map((one) => new Date(dayBegins(one)).toISOString()),
      ['2026-11-23T23:00:00.000Z', '2026-06-30T22:00:00.000Z'],
    )
    bank.drop('w2.xml', pain({ ...order, id: 'w2' }).replace('2026-11-21</Dt>', 'soon</Dt>'))
    await bank.taken('w2.xml')
    bank.world.advance(1)
    has(bank.read(bank.files('pain.002').at(-1) ?? ''), '<Cd>DT01</Cd>')
  }))

test('refusals, each with its code', () =>
  withBank(async (bank) => {
    const to = await bob(bank)
    const base = { from: bank.iban, to, amount: '10.00' }
    const cases: [string, string, string][] = [
      ['AM04', 'a1', pain({ ...base, id: 'a1', amount: '500000.01' })],
      ['AC03', 'a2', pain({ ...base, id: 'a2', to: 'DE00500204000000000001' })],
      ['AC01', 'a3', pain({ ...base, id: 'a3', to: 'DE88500204000000009999' })],
      ['AC02', 'a4', pain({ ...base, id: 'a4', from: to })],
      ['AM03', 'a5', pain({ ...base, id: 'a5', currency: 'USD' })],
      ['AM12', 'a6', pain({ ...base, id: 'a6', amount: '1.005', control: '1.00' })],
      ['AM10', 'a7', pain({ ...base, id: 'a7', control: '9.99' })],
      ['AM18', 'a8', pain({ ...base, id: 'a8', count: '2' })],
      [
        'BE04',
        'b1',
        pain({ ...base, id: 'b1' }).replace(
          '</Nm></Cdtr>',
          '</Nm><PstlAdr><AdrLine>Main Street 1, Bern</AdrLine></PstlAdr></Cdtr>',
        ),
      ],
      ['FF01', 'a9', 'not xml <'],
    ]
    const { composeIBAN } = await import('ibantools')
    for (const [code, id, xml] of cases) {
      const before = bank.files('pain.002').length
      bank.drop(
        `${id}.xml`,
        id === 'a3'
          ? xml.replace(
              'DE88500204000000009999',
              composeIBAN({ countryCode: 'DE', bban: '500204000000009999' }) ?? '',
            )
          : xml,
      )
      await bank.taken(`${id}.xml`)
      const report = bank.read(await until(`answer to ${id}`, () => bank.files('pain.002')[before]))
      has(report, 'RJCT', `<Cd>${code}</Cd>`)
    }
    bank.world.advance(60_000)
    assert.equal(await bank.quantity('kontor'), '500000')
  }))

test('the same message or end-to-end id is refused as a duplicate and executed once', () =>
  withBank(async (bank) => {
    const to = await bob(bank)
    const xml = pain({ id: 'p1', from: bank.iban, to, amount: '1.00' })
    bank.drop('p1.xml', xml)
    await bank.taken('p1.xml')
    bank.drop('p1.xml', xml)
    has(bank.read(await until('second answer', () => bank.files('pain.002')[1])), '<Cd>DU01</Cd>')
    bank.drop('other.xml', xml.replace('<MsgId>p1', '<MsgId>p2'))
    has(bank.read(await until('third answer', () => bank.files('pain.002')[2])), '<Cd>AM05</Cd>')
    bank.world.advance(60_000)
    assert.equal(await bank.quantity('kontor'), '499999')
    assert.equal(bank.world.counts()[0]?.count, 3)
  }))

test('nobody at the IBAN: the money comes back with its end-to-end id', () =>
  withBank(async (bank) => {
    bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to: UNKNOWN_IBAN, amount: '5.50' }))
    await bank.taken('p1.xml')
    bank.world.advance(3000)
    bank.world.advance(10_000)
    bank.world.advance(5000)
    assert.equal(await bank.quantity('kontor'), '500000')
    has(
      bank.read(bank.files('camt.054')[1] ?? ''),
      '<CdtDbtInd>CRDT</CdtDbtInd>',
      '<EndToEndId>p1</EndToEndId>',
      '<Cd>AC01</Cd>',
      'RRTN',
    )
  }))

test('faults: refuse, silence, late, twice, down; notifications late, twice and never', () =>
  withBank(async (bank) => {
    const to = await bob(bank)
    const send = async (id: string) => {
      bank.drop(`${id}.xml`, pain({ id, from: bank.iban, to, amount: '1.00' }))
      await bank.taken(`${id}.xml`)
    }
    const mentions = (kind: string, id: string) =>
      bank
        .files(kind)
        .map(bank.read)
        .filter((xml) => xml.includes(`>${id}<`))
    const settle = () => {
      for (let n = 0; n < 4; n += 1) bank.world.advance(5000)
    }

    bank.fault('payment', 'REFUSE')
    await send('refuse')
    has(await until('refusal', () => mentions('pain.002', 'refuse')[0]), '<Cd>MS03</Cd>')

    bank.fault('payment', 'TIMEOUT_AFTER_ACCEPT')
    await send('silent')
    settle()
    assert.equal(mentions('pain.002', 'silent').length, 0)
    assert.equal(mentions('camt.054', 'silent').length, 1)

    bank.fault('payment', 'LATE', 60_000)
    await send('late')
    has(await until('receipt', () => mentions('pain.002', 'late')[0]), '<GrpSts>RCVD</GrpSts>')
    settle()
    assert.equal(mentions('camt.054', 'late').length, 0)
    bank.world.advance(60_000)
    assert.equal(mentions('camt.054', 'late').length, 1)
    assert.equal(mentions('pain.002', 'late').length, 3)

    bank.fault('payment', 'TWICE')
    await send('twice')
    settle()
    const [one, two, ...more] = mentions('camt.054', 'twice')
    assert.deepEqual([one === two, more.length], [true, 0])

    bank.fault('payment', 'DOWN', 120_000)
    bank.drop('down.xml', pain({ id: 'down', from: bank.iban, to, amount: '1.00' }))
    await until('the fault used', () => (bank.world.faults.list().length === 0 ? true : undefined))
    assert.ok(existsSync(join(bank.outbox, 'down.xml')))
    bank.world.advance(120_000)
    await bank.taken('down.xml')

    bank.fault('notification', 'TIMEOUT_AFTER_ACCEPT')
    settle()
    assert.equal(mentions('camt.054', 'down').length, 0)
    await bank.server.inject({ method: 'POST', url: '/control/bank/statement' })
    has(
      bank.read(bank.files('camt.053').at(-1) ?? ''),
      '<EndToEndId>down</EndToEndId>',
      '499996.00',
    )
  }))

test('money from outside arrives within 30 s, unless the sender has too little', () =>
  withBank(async (bank) => {
    const wire = (payload: object) =>
      bank.server.inject({ method: 'POST', url: '/control/bank/wire', payload })
    const sent = await wire({
      from_name: 'Carol Example',
      to_iban: bank.iban,
      quantity: '25000',
      currency: 'EUR',
      reference: 'CUST-1 <&> hello',
    })
    assert.equal(sent.statusCode, 200)
    bank.world.advance(10_000)
    assert.equal(await bank.quantity('kontor'), '525000')
    has(
      bank.read(bank.files('camt.054')[0] ?? ''),
      'Carol Example',
      'CUST-1 &lt;&amp;&gt; hello',
      '25000.00',
    )
    assert.equal(
      (
        await wire({
          from_name: 'Carol Example',
          to_iban: bank.iban,
          quantity: '2500000',
          currency: 'EUR',
          reference: 'x',
        })
      ).statusCode,
      409,
    )
    assert.equal(
      (await wire({ to_iban: 'DE1', quantity: '1', currency: 'EUR', reference: 'x' })).statusCode,
      400,
    )
    assert.equal(
      (await wire({ to_iban: bank.iban, quantity: '1e3', currency: 'EUR', reference: 'x' }))
        .statusCode,
      400,
    )
    const named = await wire({
      from_name: 'Dave',
      from_iban: UNKNOWN_IBAN,
      to_iban: bank.iban,
      quantity: '1',
      currency: 'EUR',
      reference: 'y',
    })
    assert.equal((named.json() as { from_iban: string }).from_iban, UNKNOWN_IBAN)
  }))

test('parts own accounts; a wire waits until its part listens', () =>
  withBank(async (bank) => {
    const owner = { part: 'kraken', locator: 'eur', name: 'Kraken' }
    // Opening moves money inside the bank, so it comes before the sum is compared.
    const { iban } = bank.bank.rails.account(owner, 'EUR')
    assert.equal(bank.bank.rails.account(owner, 'EUR').iban, iban)
    bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to: iban, amount: '100.10' }))
    await bank.taken('p1.xml')
    bank.world.advance(3000)
    bank.world.advance(10_000)
    assert.equal((await bank.accounts()).in_transit, '100.1')
    const seen: string[] = []
    bank.bank.rails.onArrival('kraken', (wire, locator) => {
      seen.push(`${locator} ${wire.quantity} ${wire.from_iban === bank.iban} ${wire.reference}`)
    })
    bank.world.advance(1)
    assert.deepEqual(seen, ['eur 100.1 true invoice 7'])
    bank.world.commit(() =>
      bank.bank.rails.wire({
        from_iban: iban,
        to_iban: bank.iban,
        to_name: 'Kontor',
        quantity: '0.05',
        currency: 'EUR',
        reference: 'withdrawal',
      }),
    )
    bank.world.advance(10_000)
    assert.equal(await bank.quantity('kontor'), '499899.95')
  }))

test('a statement every hour, complete and continuous; a restart repeats and loses nothing', () =>
  withBank(async (bank, dir) => {
    bank.drop('p1.xml', pain({ id: 'p1', from: bank.iban, to: await bob(bank), amount: '2.00' }))
    await bank.taken('p1.xml')
    bank.world.advance(3_600_000)
    bank.world.advance(3_600_000)
    const statements = bank.files('camt.053').map(bank.read)
    assert.equal(statements.length, 3)
    has(statements[1] ?? '', '500000.00', '499998.00', '<EndToEndId>p1</EndToEndId>')
    assert.ok(!statements[2]?.includes('EndToEndId'))
    const before = readdirSync(bank.inbox).toSorted()

    // Killed between storing and moving: the file lies in the outbox although it was taken.
    renameSync(join(bank.outbox, 'done/p1.xml'), join(bank.outbox, 'p1.xml'))
    await bank.bank.close?.()
    const again = start(dir)
    try {
      await again.taken('p1.xml')
      assert.deepEqual(readdirSync(again.inbox).toSorted(), before)
      assert.equal(again.world.counts()[0]?.count, 1)
    } finally {
      await again.stop()
    }
  }))

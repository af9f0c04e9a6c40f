import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Fastify from 'fastify'
import { validateXML } from 'xmllint-wasm'
import { until } from '../testing.ts'
import type { FaultKind } from '../faults.ts'
import { openWorld } from '../world.ts'
import { openBank } from './bank.ts'

const SCHEMAS = join(import.meta.dirname, '../../../../shared/iso20022')
const HOUR = 3_600_000
const UNKNOWN_IBAN = 'NL91ABNA0417164300'

type Accounts = {
  accounts: { iban: string; name: string; owner: string; quantity: string }[]
  in_transit: string
  total: string
}

function start(dir: string, schemas?: string) {
  const fresh = !existsSync(join(dir, 'world.sqlite'))
  const world = openWorld(dir)
  // Time goes on only when the test says so: nothing is booked between two looks. It begins after
  // a full hour, at which there is a statement.
  world.setPace(0)
  if (fresh) world.advance(HOUR - (world.now() % HOUR) + 60_000)
  const bank = openBank(world, schemas)
  const server = Fastify()
  bank.mount(server)
  const outbox = join(dir, 'bank/kontor/outbox')
  const inbox = join(dir, 'bank/kontor/inbox')
  const files = (kind: string) =>
    readdirSync(inbox)
      .filter((name) => name.endsWith(`${kind}.xml`))
      .toSorted()
  const accounts = async (): Promise<Accounts> =>
    (await server.inject({ url: '/control/bank/accounts' })).json()
  const quantity = async (owner: string, name?: string) =>
    (await accounts()).accounts.find(
      (account) => account.owner === owner && (name === undefined || account.name === name),
    )?.quantity
  return {
    world,
    bank,
    server,
    outbox,
    inbox,
    files,
    accounts,
    quantity,
    read: (name: string) => readFileSync(join(inbox, name), 'utf8'),
    iban: (JSON.parse(readFileSync(join(dir, 'credentials/bank.json'), 'utf8')) as { iban: string })
      .iban,
    drop: (name: string, xml: string) => {
      writeFileSync(join(outbox, `.${name}`), xml)
      renameSync(join(outbox, `.${name}`), join(outbox, name))
    },
    taken: (name: string) =>
      until(`${name} taken`, () =>
        existsSync(join(outbox, 'done', name)) && !existsSync(join(outbox, name))
          ? true
          : undefined,
      ),
    fault: (operation: string, kind: FaultKind, delay_ms = 0) => {
      world.faults.add({ venue: 'bank', operation, kind, remaining: 1, delay_ms })
    },
    stop: async () => {
      await server.close()
      await bank.close?.()
      world.close()
    },
  }
}

async function withBank(
  work: (bank: ReturnType<typeof start>, dir: string) => Promise<void>,
  schemas?: string,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-'))
  const bank = start(dir, schemas)
  try {
    const before = (await bank.accounts()).total
    await work(bank, dir)
    assert.equal((await bank.accounts()).total, before, 'no money made or lost')
  } finally {
    await bank.stop()
    rmSync(dir, { recursive: true })
  }
}

type Order = {
  id: string
  from: string
  to: string
  amount: string
  control?: string
  count?: string
  currency?: string
  name?: string
}

const pain = ({
  id,
  from,
  to,
  amount,
  control = amount,
  count = '1',
  currency = 'EUR',
  name = 'Bob Example',
}: Order) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-11-21T10:00:00</CreDtTm><NbOfTxs>${count}</NbOfTxs><CtrlSum>${control}</CtrlSum><InitgPty><Nm>Kontor</Nm></InitgPty></GrpHdr>
<PmtInf><PmtInfId>${id}.0</PmtInfId><PmtMtd>TRF</PmtMtd><NbOfTxs>1</NbOfTxs><CtrlSum>${amount}</CtrlSum><ReqdExctnDt><Dt>2026-11-21</Dt></ReqdExctnDt><Dbtr><Nm>Kontor</Nm></Dbtr><DbtrAcct><Id><IBAN>${from}</IBAN></Id></DbtrAcct>
<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>
<CdtTrfTxInf><PmtId><EndToEndId>${id}</EndToEndId></PmtId><Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt><Cdtr><Nm>${name}</Nm></Cdtr><CdtrAcct><Id><IBAN>${to}</IBAN></Id></CdtrAcct><RmtInf><Ustrd>invoice 7</Ustrd></RmtInf></CdtTrfTxInf>
</PmtInf></CstmrCdtTrfInitn></Document>`

const bob = async (bank: ReturnType<typeof start>) =>
  (await bank.accounts()).accounts.find((account) => account.name === 'Bob Example')?.iban ?? ''
const has = (text: string, ...parts: string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part} in ${text}`)
}

test('a payment is accepted, booked, told and arrives', () =>
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

test('the same message, or the same end-to-end id, is refused as a duplicate and executed once', () =>
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

test('a payment outside SEPA: slower, charged, to an account number; debits made outside and reversals; all valid by the schemas', () =>
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
    assert.equal(await bank.quantity('kontor'), '499886')
    assert.equal(await bank.quantity('outside', 'Carol'), '1000000')
    await post('statement', {})
    if (!existsSync(SCHEMAS)) return
    for (const [kind, schema] of [
      ['camt.054', 'camt.054.001.08.xsd'],
      ['camt.053', 'camt.053.001.08.xsd'],
    ] as const) {
      for (const name of bank.files(kind)) {
        const result = await validateXML({
          xml: { fileName: 'm.xml', contents: bank.read(name) },
          schema: { fileName: 's.xsd', contents: readFileSync(join(SCHEMAS, schema), 'utf8') },
        })
        assert.deepEqual(result.errors, [], name)
      }
    }
  }))

test(
  'messages are valid by the ISO schemas, and a file that is not valid is refused',
  { skip: existsSync(SCHEMAS) ? false : 'the schemas are not there' },
  () =>
    withBank(async (bank) => {
      const valid = async (name: string, schema: string) => {
        const result = await validateXML({
          xml: { fileName: 'm.xml', contents: bank.read(name) },
          schema: { fileName: 's.xsd', contents: readFileSync(join(SCHEMAS, schema), 'utf8') },
        })
        assert.deepEqual(result.errors, [], name)
      }
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
      for (const name of bank.files('camt.054')) await valid(name, 'camt.054.001.08.xsd')
      for (const name of bank.files('camt.053')) await valid(name, 'camt.053.001.08.xsd')
      assert.deepEqual([bank.files('camt.054').length, bank.files('camt.053').length], [3, 2])
    }, SCHEMAS),
)

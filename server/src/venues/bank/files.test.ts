/**
 * The adapter against files written here by hand: formats and accidents that the sandbox bank does
 * not produce.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
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
import { validateXML } from 'xmllint-wasm'
import { decimal, format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { TransferLookup, TransferOrder } from '../contract.ts'
import { openBank, type BankConfig } from './bank.ts'
import { fromMessageId, remittanceText, sepaText, toMessageId } from './reference.ts'

const SCHEMAS = join(import.meta.dirname, '../../../../../shared/iso20022')
const IBAN = 'DE89370400440532013000'
const PAYEE = 'AT611904300234573201'
const ID = '0192f5a1-7c00-7abc-8def-0123456789ab'
const BARE = ID.replaceAll('-', '')

type Files = {
  outbox: string
  inbox: string
  problems: string[]
  config: BankConfig
  put(name: string, xml: string): void
}

async function withFiles(
  work: (files: Files, bank: Awaited<ReturnType<typeof openBank>>) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-files-'))
  const [outbox, inbox] = [join(dir, 'outbox'), join(dir, 'inbox')]
  mkdirSync(join(outbox, 'done'), { recursive: true })
  mkdirSync(inbox)
  const problems: string[] = []
  const config: BankConfig = {
    outbox_dir: outbox,
    inbox_dir: inbox,
    iban: IBAN,
    bic: 'COBADEFFXXX',
    name: 'Müller & Söhne',
    currency: 'EUR',
  }
  try {
    const bank = await openBank(config, (problem) => {
      problems.push(problem)
    })
    await work(
      {
        outbox,
        inbox,
        problems,
        config,
        put: (name, xml) => {
          writeFileSync(join(inbox, name), xml)
        },
      },
      bank,
    )
    await bank.close()
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const order = (change: Partial<TransferOrder> = {}): TransferOrder => ({
  external_id: ID,
  asset: 'EUR',
  protocol: 'SEPA',
  quantity: decimal('1234.5'),
  speed_level: 'DEFAULT',
  fee: 0n,
  source_wallet: IBAN,
  destination_address: PAYEE,
  tag: null,
  transfer: { from: {}, to: { name: 'Jörg Weiß', reference: 'Rechnung 7' } },
  recipient_name: null,
  ...change,
})
const lookup = (external_id = ID): TransferLookup => ({
  ...order({ external_id }),
  foreign_id: null,
  submitted_at: 0,
  claimed: [],
})

type EntryOptions = {
  reversal?: boolean
  family?: string
  transaction?: string
  ref: string
  sign: 'CRDT' | 'DBIT'
  amount: string
  at: string
  end?: string
  status?: string
  extra?: string
  currency?: string
}
const entryXml = ({
  ref,
  sign,
  amount,
  at,
  end = 'NOTPROVIDED',
  status = '<Cd>BOOK</Cd>',
  extra = '',
  currency = 'EUR',
  reversal = false,
  family = '',
  transaction = '',
}: EntryOptions) => `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>${reversal ? '<RvslInd>true</RvslInd>' : ''}
<Sts>${status}</Sts><BookgDt>${at.length > 10 ? `<DtTm>${at}</DtTm>` : `<Dt>${at}</Dt>`}</BookgDt><AcctSvcrRef>${ref}</AcctSvcrRef><BkTxCd>${family === '' ? '' : `<Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${family}</SubFmlyCd></Fmly></Domn>`}</BkTxCd>
<NtryDtls><TxDtls><Refs><EndToEndId>${end}</EndToEndId>${transaction === '' ? '' : `<TxId>${transaction}</TxId>`}</Refs><RltdPties><Dbtr><Pty><Nm>Alice</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>${PAYEE}</IBAN></Id></DbtrAcct></RltdPties>
<RltdAgts><DbtrAgt><FinInstnId><BICFI>OTHRATWW</BICFI></FinInstnId></DbtrAgt></RltdAgts><RmtInf><Ustrd>CUST-1</Ustrd><Ustrd>second line</Ustrd></RmtInf>${extra}</TxDtls></NtryDtls></Ntry>`
const notificationXml = (entries: string, iban = IBAN) =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn><GrpHdr/><Ntfctn><Id>1</Id><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries}</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`
const statementXml = (
  closing: string,
  to: string,
  entries = '',
  sign = 'CRDT',
) => `<?xml version="1.0"?><c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><c:BkToCstmrStmt><c:Stmt>${
  to.length > 10
    ? `<c:FrToDt><c:FrDtTm>2026-01-01T00:00:00Z</c:FrDtTm><c:ToDtTm>${to}</c:ToDtTm></c:FrToDt>`
    : ''
}<c:Acct><c:Id><c:IBAN>${IBAN}</c:IBAN></c:Id></c:Acct>
<c:Bal><c:Tp><c:CdOrPrtry><c:Cd>OPBD</c:Cd></c:CdOrPrtry></c:Tp><c:Amt Ccy="EUR">1.00</c:Amt><c:CdtDbtInd>CRDT</c:CdtDbtInd><c:Dt><c:Dt>2026-01-01</c:Dt></c:Dt></c:Bal>
<c:Bal><c:Tp><c:CdOrPrtry><c:Cd>CLBD</c:Cd></c:CdOrPrtry></c:Tp><c:Amt Ccy="EUR">${closing}</c:Amt><c:CdtDbtInd>${sign}</c:CdtDbtInd><c:Dt><c:Dt>${to.slice(0, 10)}</c:Dt></c:Dt></c:Bal>${entries}</c:Stmt></c:BkToCstmrStmt></c:Document>`
const statusXml = (group: string | null, payment: string | null, code = '', id = BARE) => {
  const why = code === '' ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr/><OrgnlGrpInfAndSts><OrgnlMsgId>${id}</OrgnlMsgId>${group === null ? '' : `<GrpSts>${group}</GrpSts>${why}`}</OrgnlGrpInfAndSts>${
    payment === null
      ? ''
      : `<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${payment}</TxSts>${why}</TxInfAndSts></OrgnlPmtInfAndSts>`
  }</CstmrPmtStsRpt></Document>`
}

test('the purpose follows the reference where there is room for all of it', () => {
  assert.equal(remittanceText('RF18', 'Invoice 7, für März'), 'RF18 Invoice 7, fuer Maerz')
  assert.equal(remittanceText('RF18', 'p'.repeat(135)), `RF18 ${'p'.repeat(135)}`)
  assert.equal(remittanceText('RF18', 'p'.repeat(136)), 'RF18')
  assert.equal(remittanceText('RF18', '李'), 'RF18')
  assert.equal(remittanceText('RF18', null), 'RF18')
})

test('references travel both ways and never meet', () => {
  for (const id of [ID, 'w-1', 'A', 'x'.repeat(35)])
    assert.equal(fromMessageId(toMessageId(id) ?? ''), id)
  for (const id of [BARE, '', 'x'.repeat(36), '../etc', 'a/b', 'a b', '-a', ID.toUpperCase()])
    assert.equal(toMessageId(id), undefined, id)
  assert.equal(sepaText('Łukasz  Ørsted & Çelik_1'), 'Lukasz Oersted + Celik-1')
  assert.equal(sepaText('日本'), undefined)
})

test('a payment file is exact, valid by the ISO schema, whole and hidden from nobody', () =>
  withFiles(async ({ outbox }, bank) => {
    for (const [n, quantity] of [
      '0.01',
      '0.07',
      '1234.5',
      '999999999.99',
      '123456789.07',
      '4503599.63',
    ].entries()) {
      const external_id = `w-${n}`
      const sent = await bank.transfers?.send(order({ external_id, quantity: decimal(quantity) }))
      assert.equal(sent?.outcome, 'accepted')
      const xml = readFileSync(join(outbox, `${external_id}.xml`), 'utf8')
      assert.match(
        xml,
        new RegExp(`<InstdAmt Ccy="EUR">0*${quantity.replace('.', '\\.')}0*</InstdAmt>`),
      )
      assert.match(
        xml,
        /<Nm>Mueller \+ Soehne<\/Nm>.*<Nm>Joerg Weiss<\/Nm>.*<Ustrd>Rechnung 7<\/Ustrd>/,
      )
      if (existsSync(SCHEMAS)) {
        const result = await validateXML({
          xml: { fileName: 'm.xml', contents: xml },
          schema: {
            fileName: 's.xsd',
            contents: readFileSync(join(SCHEMAS, 'pain.001.001.09.xsd'), 'utf8'),
          },
        })
        assert.deepEqual(result.errors, [])
      }
    }
    assert.deepEqual(
      readdirSync(outbox).filter((name) => name.startsWith('.')),
      [],
    )
  }))

test('a payment outside SEPA: charges shared, BIC and clearing number, IBAN or account number, valid by the ISO schema', () =>
  withFiles(async ({ outbox }, bank) => {
    const foreign = (to: Record<string, string>, change: Partial<TransferOrder> = {}) =>
      order({
        protocol: 'FOREIGN',
        transfer: { from: {}, to: { name: 'Jörg Weiß', reference: 'Rechnung 7', ...to } },
        ...change,
      })
    const cases: [string, Record<string, string>, string, RegExp][] = [
      [
        'f-1',
        { bic: 'CHASUS33XXX' },
        PAYEE,
        /<ChrgBr>SHAR<\/ChrgBr>.*<CdtrAgt><FinInstnId><BIC>CHASUS33XXX<\/BIC><\/FinInstnId><\/CdtrAgt>.*<CdtrAcct><Id><IBAN>AT6/,
      ],
      [
        'f-2',
        { aba: '021000021', credit_institution: 'Größte & Co' },
        '000123456789',
        /<ClrSysId><Cd>USABA<\/Cd><\/ClrSysId><MmbId>021000021<\/MmbId><\/ClrSysMmbId><Nm>Groesste \+ Co<\/Nm>.*<CdtrAcct><Id><Othr><Id>000123456789<\/Id>/,
      ],
      [
        'f-3',
        { bic: 'CHASUS33', aba: '021000021' },
        '12-3456',
        /<BIC>CHASUS33<\/BIC><ClrSysMmbId>/,
      ],
    ]
    for (const [external_id, to, destination_address, content] of cases) {
      assert.equal(
        (await bank.transfers?.send(foreign(to, { external_id, destination_address })))?.outcome,
        'accepted',
      )
      const xml = readFileSync(join(outbox, `${external_id}.xml`), 'utf8')
      assert.match(xml, content)
      assert.match(xml, /<InstdAmt Ccy="EUR">1234\.50<\/InstdAmt>/)
      if (!existsSync(SCHEMAS)) continue
      const result = await validateXML({
        xml: { fileName: 'm.xml', contents: xml },
        schema: {
          fileName: 's.xsd',
          contents: readFileSync(join(SCHEMAS, 'pain.001.001.03.xsd'), 'utf8'),
        },
      })
      assert.deepEqual(result.errors, [])
    }
    const files = readdirSync(outbox)
    for (const [to, address] of [
      [{}, PAYEE],
      [{ bic: 'CHASUS3' }, PAYEE],
      [{ aba: '021000022' }, PAYEE],
      [{ bic: 'CHASUS33' }, 'AT611904300234573202'],
      [{ bic: 'CHASUS33' }, 'none'],
    ] as const) {
      assert.equal(
        (
          await bank.transfers?.send(
            foreign(to, { external_id: 'f-9', destination_address: address }),
          )
        )?.outcome,
        'refused',
        JSON.stringify(to),
      )
    }
    assert.deepEqual(readdirSync(outbox), files)
    assert.deepEqual(bank.transfers?.fields('EUR', 'FOREIGN').one_of, ['bic', 'aba'])
  }))

test('sent again, also at once or after the bank took it: one file', () =>
  withFiles(async ({ outbox }, bank) => {
    const sends = await Promise.all([
      bank.transfers?.send(order()),
      bank.transfers?.send(order()),
      bank.transfers?.send(order()),
    ])
    assert.deepEqual(
      sends.map((sent) => sent?.outcome),
      ['accepted', 'accepted', 'accepted'],
    )
    const path = join(outbox, `${BARE}.xml`)
    const content = readFileSync(path, 'utf8')
    renameSync(path, join(outbox, 'done', `${BARE}.xml`))
    assert.equal(
      (await bank.transfers?.send(order({ quantity: decimal('9') })))?.outcome,
      'accepted',
    )
    assert.deepEqual(readdirSync(outbox), ['done'])
    assert.equal(readFileSync(join(outbox, 'done', `${BARE}.xml`), 'utf8'), content)
  }))

test('what the bank could never execute is refused and leaves no file', () =>
  withFiles(async ({ outbox }, bank) => {
    const wrong: Partial<TransferOrder>[] = [
      { asset: 'USD' },
      { protocol: 'FOREIGN' },
      { speed_level: 'CUSTOM' },
      { source_wallet: PAYEE },
      { destination_address: 'DE00' },
      { destination_address: IBAN },
      { quantity: decimal('0.001') },
      { quantity: 0n },
      { quantity: decimal('-1') },
      { quantity: decimal('1000000000') },
      { external_id: 'x'.repeat(40) },
      { transfer: { from: {}, to: { reference: 'r' } } },
      { transfer: { from: {}, to: { name: 'A' } } },
      { transfer: { from: {}, to: { name: 'A'.repeat(71), reference: 'r' } } },
      { transfer: { from: {}, to: { name: 'A', reference: 'r'.repeat(141) } } },
      { transfer: { from: {}, to: { name: '李', reference: 'r' } } },
    ]
    for (const change of wrong)
      assert.equal(
        (await bank.transfers?.send(order(change)))?.outcome,
        'refused',
        JSON.stringify(Object.keys(change)),
      )
    assert.deepEqual(readdirSync(outbox), ['done'])
    assert.throws(() => bank.transfers?.fields('BTC', 'BTC'), ApiError)
    assert.deepEqual(
      bank.transfers?.fields('EUR', 'SEPA').to.map((field) => [field.name, field.required]),
      [
        ['name', true],
        ['reference', true],
      ],
    )
  }))

test('the state of a payment, from everything the bank may say', async (t) => {
  const debit = notificationXml(
    entryXml({ ref: 'R1', sign: 'DBIT', amount: '1.00', at: '2026-11-21', end: BARE }),
  )
  const pending = notificationXml(
    entryXml({
      ref: 'R1',
      sign: 'DBIT',
      amount: '1.00',
      at: '2026-11-21',
      end: BARE,
      status: 'PDNG',
    }),
  )
  const table: [string, string, string[]][] = [
    ['PENDING', 'WAITING', []],
    ['PENDING', 'RCVD', [statusXml('RCVD', null)]],
    ['PENDING', 'ACCP', [statusXml('RCVD', null), statusXml('ACCP', 'ACCP')]],
    ['PENDING', 'ACSP', [statusXml('PART', 'ACSP')]],
    ['SUCCESS', 'ACSC', [statusXml('ACCP', 'ACCP'), statusXml(null, 'ACSC')]],
    ['SUCCESS', 'ACSC', [statusXml(null, 'ACSC'), statusXml('ACCP', 'ACCP')]],
    ['SUCCESS', 'BOOK', [statusXml('ACCP', 'ACCP'), debit]],
    ['SUCCESS', 'BOOK', [debit]],
    ['PENDING', 'PDNG', [pending]],
    ['REJECTED', 'RJCT AC04', [statusXml('RJCT', null, 'AC04')]],
    ['REJECTED', 'RJCT AM04', [statusXml('ACCP', 'ACCP'), statusXml('RJCT', 'RJCT', 'AM04')]],
    ['CANCELED', 'CANC', [statusXml(null, 'CANC')]],
    ['PENDING', 'ACCP', [statusXml('ACCP', 'ACCP'), statusXml('RJCT', null, 'DU01')]],
    ['SUCCESS', 'BOOK', [statusXml('RJCT', 'RJCT', 'AM05'), debit]],
    ['UNKNOWN', 'RJCT DU01', [statusXml('RJCT', null, 'DU01')]],
    ['UNKNOWN', 'XXXX', [statusXml(null, 'XXXX')]],
    ['UNKNOWN', 'RJCT AC04', [statusXml('RJCT', null, 'AC04'), debit]],
    ['UNKNOWN', 'RJCT AC04', [statusXml(null, 'ACSC'), statusXml(null, 'RJCT', 'AC04')]],
  ]
  for (const [n, [state, sub_state, messages]] of table.entries()) {
    await t.test(`${n} ${state} ${sub_state}`, () =>
      withFiles(async ({ put }, bank) => {
        assert.deepEqual(await bank.transfers?.find(lookup()), { lookup: 'absent' })
        await bank.transfers?.send(order())
        put('1-other.xml', statusXml('RJCT', 'RJCT', 'AC04', 'another'))
        for (const [position, xml] of messages.entries()) put(`2-${position}.xml`, xml)
        const found = await bank.transfers?.find(lookup())
        assert.ok(found?.lookup === 'found')
        assert.deepEqual(
          [found.report.state, found.report.sub_state, found.report.foreign_id],
          [state, sub_state, BARE],
        )
      }),
    )
  }
})

test('where the directories cannot be read nothing is claimed', () =>
  withFiles(async ({ outbox, inbox }, bank) => {
    renameSync(join(outbox, 'done'), join(outbox, 'gone'))
    assert.equal((await bank.transfers?.find(lookup()))?.lookup, 'unknown')
    assert.equal((await bank.transfers?.send(order()))?.outcome, 'unknown')
    assert.deepEqual(readdirSync(outbox), ['gone'])
    rmSync(inbox, { recursive: true })
    const unreachable = { kind: 'VenueUnreachable' }
    await assert.rejects(bank.balances(), unreachable)
    await assert.rejects(bank.transfers?.incoming(null) ?? Promise.resolve(), unreachable)
  }))

test('the balance is the newest closing and what was booked since, each once', () =>
  withFiles(async ({ put, inbox, problems }, bank) => {
    const total = async () =>
      (await bank.balances()).map((balance) =>
        balance.total === null ? null : format(balance.total),
      )
    const booked = (
      ref: string,
      sign: 'CRDT' | 'DBIT',
      amount: string,
      at: string,
      more: Partial<EntryOptions> = {},
    ) => entryXml({ ref, sign, amount, at, ...more })
    await assert.rejects(total(), { kind: 'VenueUnreachable' })
    put('01.xml', notificationXml(booked('A', 'CRDT', '0.10', '2026-11-20T09:00:00Z')))
    put(
      '02.xml',
      statementXml(
        '1000.10',
        '2026-11-20T10:00:00Z',
        booked('A', 'CRDT', '0.10', '2026-11-20T09:00:00Z'),
      ),
    )
    assert.deepEqual(await total(), ['1000.1'])
    put('03.xml', notificationXml(booked('B', 'CRDT', '0.20', '2026-11-20T10:00:00Z')))
    put('04.xml', notificationXml(booked('B', 'CRDT', '0.20', '2026-11-20T10:00:00Z')))
    put('05.xml', notificationXml(booked('C', 'DBIT', '100.00', '2026-11-20T11:00:00Z')))
    put(
      '06.xml',
      notificationXml(
        booked('D', 'DBIT', '1.00', '2026-11-20T11:00:00Z', { status: '<Cd>PDNG</Cd>' }),
      ),
    )
    put('07.xml', notificationXml(booked('E', 'DBIT', '1.00', '2026-11-20T11:00:00Z'), PAYEE))
    assert.deepEqual(await total(), ['900.3'])
    put('08.xml', statementXml('900.30', '2026-11-20T12:00:00Z'))
    // An entry told late, that the older statement already held; and an older statement told again.
    put('09.xml', notificationXml(booked('A0', 'CRDT', '7.00', '2026-11-20T08:00:00Z')))
    put('10.xml', statementXml('1000.10', '2026-11-20T10:00:00Z'))
    assert.deepEqual(await total(), ['900.3'])
    // A statement by date alone holds its day; entries by date alone count from the day after.
    put('11.xml', statementXml('5.00', '2026-11-21', '', 'DBIT'))
    put(
      '12.xml',
      notificationXml(
        booked('F', 'CRDT', '1.00', '2026-11-21') + booked('G', 'CRDT', '2.00', '2026-11-22'),
      ),
    )
    assert.deepEqual(await total(), ['-3'])
    put('13.xml', '<Document><broken')
    assert.deepEqual(await total(), [null])
    assert.equal(problems.length, 1)
    assert.deepEqual(await total(), [null])
    assert.equal(problems.length, 1, 'said once')
    assert.deepEqual(readdirSync(join(inbox, 'aside')), ['13.xml'])
    put('14.xml', statementXml('8.00', '2026-11-23'))
    assert.deepEqual(await total(), ['8'])
  }))

test('what cannot be read is set aside with a reason and holds up nobody', () =>
  withFiles(async ({ put, problems, inbox }, bank) => {
    const entry = (change: Partial<EntryOptions>) =>
      notificationXml(
        entryXml({ ref: 'X', sign: 'CRDT', amount: '1.00', at: '2026-11-21', ...change }),
      )
    const bad = [
      'hello',
      '<Document><Other/></Document>',
      entry({ amount: '1e3' }),
      entry({ amount: '-1' }),
      entry({ amount: '0' }),
      entry({ amount: '' }),
      entry({ ref: '' }),
      entry({ at: 'soon' }),
      entry({ currency: 'USD' }),
      '<!DOCTYPE x [<!ENTITY a "b">]><Document/>',
      entry({}).replace('<CdtDbtInd>CRDT', '<CdtDbtInd>CREDIT'),
      entry({}).replace('</NtryDtls>', '<TxDtls><Amt Ccy="EUR">5</Amt></TxDtls></NtryDtls>'),
    ]
    for (const [n, xml] of bad.entries()) put(`bad-${n}.xml`, xml)
    put('a.xml', entry({ ref: 'first' }))
    put('z.xml', entry({ ref: 'last' }))
    writeFileSync(join(inbox, 'notes.txt'), 'not a message')
    const { movements } = (await bank.transfers?.incoming(null)) ?? { movements: [] }
    assert.deepEqual(
      movements.map((movement) => movement.foreign_id),
      ['first', 'last'],
    )
    assert.equal(problems.length, bad.length, problems.join('\n'))
  }))

test('movements: once each by cursor, also out of order; returns name our reference, payers cannot', () =>
  withFiles(async ({ put }, bank) => {
    const returned = '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>'
    put(
      '0001.xml',
      notificationXml(
        entryXml({
          ref: 'A',
          sign: 'CRDT',
          amount: '25000.00',
          at: '2026-11-21T10:00:00.123Z',
          end: BARE,
        }) + entryXml({ ref: 'B', sign: 'DBIT', amount: '1', at: '2026-11-21' }),
      ),
    )
    put(
      '0003.xml',
      notificationXml(
        entryXml({
          ref: 'C',
          sign: 'CRDT',
          amount: '1',
          at: '2026-11-21',
          end: BARE,
          extra: returned,
          status: 'BOOK',
        }),
      ),
    )
    const transfers = bank.transfers
    assert.ok(transfers)
    const first = await transfers.incoming(null)
    assert.deepEqual(
      first.movements.map(({ foreign_id, related_external_id }) => [
        foreign_id,
        related_external_id,
      ]),
      [
        ['A', null],
        ['C', ID],
      ],
    )
    assert.deepEqual(
      { ...first.movements[0], quantity: '' },
      {
        foreign_id: 'A',
        state: 'FINAL',
        wallet: IBAN,
        asset: 'EUR',
        protocol: 'SEPA',
        quantity: '',
        transaction_hash: null,
        output_index: null,
        source_address: PAYEE,
        destination_address: IBAN,
        tag: null,
        reference_text: 'CUST-1 second line',
        counterparty: { name: 'Alice', iban: PAYEE, bic: 'OTHRATWW' },
        confirmations: null,
        required_confirmations: null,
        related_external_id: null,
        occurred_at: Date.parse('2026-11-21T10:00:00.123Z'),
      },
    )
    assert.equal(first.movements[0]?.quantity, decimal('25000'))
    put(
      '0002.xml',
      notificationXml(
        entryXml({
          ref: 'D',
          sign: 'CRDT',
          amount: '1',
          at: '2026-11-21',
          status: '<Cd>PDNG</Cd>',
        }),
      ),
    )
    const second = await transfers.incoming(first.cursor)
    assert.deepEqual(
      second.movements.map(({ foreign_id, state }) => [foreign_id, state]),
      [['D', 'PENDING']],
    )
    let cursor = second.cursor
    for (let n = 4; n < 200; n += 1)
      put(
        `${String(n).padStart(4, '0')}.xml`,
        notificationXml(entryXml({ ref: `N${n}`, sign: 'CRDT', amount: '1', at: '2026-11-21' })),
      )
    const third = await transfers.incoming(cursor)
    assert.equal(third.movements.length, 196)
    cursor = third.cursor
    assert.ok((cursor ?? '').length < 1000)
    assert.deepEqual(await transfers.incoming(cursor), { movements: [], cursor })
  }))

test('an entry counts once: notified and stated in any order, as a sum or in parts, pending and booked', () =>
  withFiles(async ({ put }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    const at = '2026-11-20T11:00:00Z'
    const batch = (details: string) =>
      `<Ntry><Amt Ccy="EUR">3.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>${at}</DtTm></BookgDt><AcctSvcrRef>BATCH</AcctSvcrRef>${details}</Ntry>`
    const parts =
      '<NtryDtls><TxDtls><Amt Ccy="EUR">1.00</Amt></TxDtls><TxDtls><Amt Ccy="EUR">2.00</Amt></TxDtls></NtryDtls>'
    const booked = entryXml({ ref: 'A', sign: 'CRDT', amount: '10', at })
    put('01.xml', statementXml('100.00', '2026-11-20T10:00:00Z'))
    put('02.xml', notificationXml(booked + batch(parts)))
    put(
      '03.xml',
      notificationXml(
        entryXml({ ref: 'A', sign: 'CRDT', amount: '10', at, status: '<Cd>PDNG</Cd>' }),
      ),
    )
    const first = await transfers.incoming(null)
    assert.deepEqual(
      first.movements.map((movement) => [
        movement.foreign_id,
        movement.state,
        format(movement.quantity),
      ]),
      [
        ['A', 'FINAL', '10'],
        ['BATCH/1', 'FINAL', '1'],
        ['BATCH/2', 'FINAL', '2'],
      ],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['113'],
    )
    put('04.xml', statementXml('113.00', '2026-11-20T12:00:00Z', booked + batch('')))
    assert.deepEqual(
      (await transfers.incoming(first.cursor)).movements.map((movement) => movement.foreign_id),
      ['A'],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['113'],
    )
  }))

test("a reversal takes its credit back, by reference, by the banks' id or by the only payer; without one it is a debit", () =>
  withFiles(async ({ put }, bank) => {
    const { transfers } = bank
    assert.ok(transfers)
    const entry = (
      ref: string,
      sign: 'CRDT' | 'DBIT',
      amount: string,
      more: Partial<EntryOptions> = {},
    ) => entryXml({ ref, sign, amount, at: '2026-11-21T10:00:00Z', ...more })
    const back = { reversal: true }
    put('01.xml', statementXml('100.00', '2026-11-21T09:00:00Z'))
    put(
      '02.xml',
      notificationXml(
        ['A', 'B', 'C', 'D']
          .map((ref) =>
            entry(ref, 'CRDT', '5', {
              transaction: `T${ref}`,
              end: ref === 'C' ? 'PAYER-C' : 'SAME',
            }),
          )
          .join(''),
      ),
    )
    const first = await transfers.incoming(null)
    assert.deepEqual(
      first.movements.map((movement) => movement.state),
      ['FINAL', 'FINAL', 'FINAL', 'FINAL'],
    )
    put(
      '03.xml',
      notificationXml(
        entry('A', 'DBIT', '5', back) +
          entry('R1', 'DBIT', '5', { ...back, transaction: 'TB' }) +
          entry('R2', 'DBIT', '5', { ...back, end: 'PAYER-C' }) +
          entry('R3', 'DBIT', '4', { ...back, transaction: 'TD' }),
      ),
    )
    assert.deepEqual(
      (await transfers.incoming(first.cursor)).movements
        .map((movement) => [movement.foreign_id, movement.state])
        .toSorted(),
      [
        ['A', 'REVERSED'],
        ['B', 'REVERSED'],
        ['C', 'REVERSED'],
      ],
    )
    assert.deepEqual(
      (await transfers.outgoing?.(null))?.movements.map((movement) => [
        movement.foreign_id,
        movement.external_id,
        format(movement.quantity),
      ]),
      [['R3', null, '4']],
    )
    assert.deepEqual(
      (await bank.balances()).map((balance) => format(balance.total ?? 0n)),
      ['101'],
    )
  }))

test('what leaves: ours by its reference, a second booking of it as another, charges apart', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const at = '2026-11-21T10:00:00Z'
    put(
      '01.xml',
      notificationXml(
        entryXml({ ref: 'CH', sign: 'DBIT', amount: '12.50', at, end: BARE, family: 'CHRG' }) +
          entryXml({ ref: 'P1', sign: 'DBIT', amount: '1234.50', at, end: BARE, family: 'XBCT' }),
      ),
    )
    put(
      '02.xml',
      notificationXml(
        entryXml({ ref: 'P2', sign: 'DBIT', amount: '1234.50', at, end: BARE }) +
          entryXml({ ref: 'P3', sign: 'DBIT', amount: '1', at, status: 'PDNG' }) +
          entryXml({ ref: 'C1', sign: 'CRDT', amount: '1', at }),
      ),
    )
    const { movements, cursor } = (await bank.transfers?.outgoing?.(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map((movement) => [
        movement.foreign_id,
        movement.kind,
        movement.external_id,
        movement.state,
        movement.left,
        movement.protocol,
      ]),
      [
        ['CH', 'CHARGE', ID, 'SUCCESS', true, 'SEPA'],
        ['P1', 'TRANSFER', ID, 'SUCCESS', true, 'FOREIGN'],
        ['P2', 'TRANSFER', null, 'SUCCESS', true, 'SEPA'],
        ['P3', 'TRANSFER', null, 'PENDING', false, 'SEPA'],
      ],
    )
    assert.deepEqual((await bank.transfers?.outgoing?.(cursor))?.movements, [])
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    assert.deepEqual([found.report.state, found.report.fee], ['SUCCESS', 0n])
  }))

/** What is handed to the bank, file by file. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { TransferOrder } from '../contract.ts'
import { BARE, IBAN, ID, order, PAYEE, withFiles } from './bank-files.testing.ts'
import { fromMessageId, remittanceText, sepaText, toMessageId } from './reference.ts'

/** These texts, one after the other. */
const inOrder = (...texts: string[]) =>
  new RegExp(texts.map((text) => text.replaceAll('+', String.raw`\+`)).join('.*'))

test('the purpose follows the reference where there is room for all of it', () => {
  assert.equal(remittanceText('RF18', 'Invoice 7, für März'), 'RF18 Invoice 7, fuer Maerz')
  assert.equal(remittanceText('RF18', 'p'.repeat(135)), `RF18 ${'p'.repeat(135)}`)
  assert.equal(remittanceText('RF18', 'p'.repeat(136)), 'RF18')
  assert.equal(remittanceText('RF18', '李'), 'RF18')
  assert.equal(remittanceText('RF18', null), 'RF18')
})

test('a payment file carries the purpose', () =>
  withFiles(async ({ outbox }, bank) => {
    const sent = await bank.transfers?.send(order({ external_id: 'w-1', purpose: 'Rent, May' }))
    assert.equal(sent?.outcome, 'accepted')
    const xml = readFileSync(join(outbox, 'w-1.xml'), 'utf8')
    assert.match(xml, /<Ustrd>Rechnung 7 Rent, May<\/Ustrd>/)
  }))

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
    }
    assert.deepEqual(
      readdirSync(outbox).filter((name) => name.startsWith('.')),
      [],
    )
  }))

const foreign = (to: Record<string, string>, change: Partial<TransferOrder> = {}) =>
  order({
    protocol: 'FOREIGN',
    transfer: { from: {}, to: { name: 'Jörg Weiß', reference: 'Rechnung 7', ...to } },
    ...change,
  })

test('a payment outside SEPA: charges shared, bank and account as they are named', () =>
  withFiles(async ({ outbox }, bank) => {
    const cases: [string, Record<string, string>, string, RegExp][] = [
      [
        'f-1',
        { bic: 'CHASUS33XXX' },
        PAYEE,
        inOrder(
          '<ChrgBr>SHAR</ChrgBr>',
          '<CdtrAgt><FinInstnId><BIC>CHASUS33XXX</BIC></FinInstnId></CdtrAgt>',
          '<CdtrAcct><Id><IBAN>AT6',
        ),
      ],
      [
        'f-2',
        { aba: '021000021', credit_institution: 'Größte & Co' },
        '000123456789',
        inOrder(
          '<ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>021000021</MmbId></ClrSysMmbId>' +
            '<Nm>Groesste + Co</Nm>',
          '<CdtrAcct><Id><Othr><Id>000123456789</Id>',
        ),
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
    }
  }))

test('an account in another currency pays outside SEPA only', () =>
  withFiles(
    async ({ outbox }, bank) => {
      const to = { bic: 'CHASUS33XXX' }
      const abroad = foreign(to, { external_id: 'f-4', asset: 'CHF' })
      assert.equal((await bank.transfers?.send(abroad))?.outcome, 'accepted')
      const xml = readFileSync(join(outbox, 'f-4.xml'), 'utf8')
      assert.match(xml, /<InstdAmt Ccy="CHF">1234\.50<\/InstdAmt>/)
      const sepa = order({ external_id: 'f-5', asset: 'CHF' })
      assert.equal((await bank.transfers?.send(sepa))?.outcome, 'refused')
      assert.deepEqual(
        (await bank.protocols()).map(({ asset, protocols }) => [
          asset,
          protocols.map(({ protocol }) => protocol),
        ]),
        [['CHF', ['FOREIGN']]],
      )
    },
    { currency: 'CHF' },
  ))

test('an American account pays by wire: account number, routing numbers, no IBAN', () =>
  withFiles(
    async ({ outbox }, bank) => {
      const sent = await bank.transfers?.send(
        foreign(
          { aba: '026009593' },
          {
            external_id: 'f-6',
            asset: 'USD',
            source_wallet: '000123456789',
            destination_address: '000987654321',
          },
        ),
      )
      assert.equal(sent?.outcome, 'accepted')
      const routing = (aba: string) =>
        `<FinInstnId><ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>${aba}</MmbId>`
      assert.match(
        readFileSync(join(outbox, 'f-6.xml'), 'utf8'),
        inOrder(
          '<SvcLvl><Cd>URGP</Cd></SvcLvl>',
          '<DbtrAcct><Id><Othr><Id>000123456789</Id></Othr></Id><Ccy>USD</Ccy></DbtrAcct>',
          `<DbtrAgt>${routing('021000021')}`,
          '<InstdAmt Ccy="USD">1234.50</InstdAmt>',
          `<CdtrAgt>${routing('026009593')}`,
          '<CdtrAcct><Id><Othr><Id>000987654321</Id>',
        ),
      )
    },
    { account_number: '000123456789', aba: '021000021', currency: 'USD' },
  ))

test('a bank that wants the later message for all payments gets it', () =>
  withFiles(
    async ({ outbox }, bank) => {
      const abroad = foreign({ bic: 'CHASUS33XXX' }, { external_id: 'f-7', asset: 'CHF' })
      assert.equal((await bank.transfers?.send(abroad))?.outcome, 'accepted')
      const path = join(outbox, 'f-7.xml')
      const xml = readFileSync(path, 'utf8')
      // The schema of SEPA banks for this message has no FOREIGN payments.
      rmSync(path)
      assert.match(
        xml,
        inOrder(
          'pain.001.001.09',
          '<ReqdExctnDt><Dt>',
          '</Id><Ccy>CHF</Ccy></DbtrAcct>',
          '<BICFI>COBADEFFXXX',
          '<BICFI>CHASUS33XXX',
        ),
      )
    },
    { currency: 'CHF', foreign_message: 'pain.001.001.09' },
  ))

test('amounts have the decimals of their currency', async () => {
  for (const [currency, quantity, written, refused] of [
    ['JPY', '1234', '1234', '1234.5'],
    ['KWD', '1234.505', '1234.505', '1234.5055'],
    ['USD', '1234.5', '1234.50', '1234.505'],
  ] as const)
    await withFiles(
      async ({ outbox }, bank) => {
        const send = (external_id: string, text: string) =>
          bank.transfers?.send(
            foreign(
              { bic: 'CHASUS33XXX' },
              { external_id, asset: currency, quantity: decimal(text) },
            ),
          )
        assert.equal((await send('f-8', quantity))?.outcome, 'accepted')
        assert.match(
          readFileSync(join(outbox, 'f-8.xml'), 'utf8'),
          inOrder(
            `<CtrlSum>${written}</CtrlSum>`,
            `<InstdAmt Ccy="${currency}">${written}</InstdAmt>`,
          ),
        )
        assert.equal((await send('f-9', refused))?.outcome, 'refused')
        const [asset] = await bank.protocols()
        assert.equal(asset?.protocols[0]?.decimals, written.split('.')[1]?.length ?? 0)
      },
      { currency },
    )
})

test('a payment outside SEPA is refused when bank or account cannot be right', () =>
  withFiles(async ({ outbox }, bank) => {
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
    assert.deepEqual(readdirSync(outbox), ['done'])
    assert.deepEqual(bank.transfers?.fields('EUR', 'FOREIGN').one_of, ['bic', 'aba'])
  }))

test('a payment whose file cannot be written is refused: nothing has left', () =>
  withFiles(
    async ({ outbox }, bank) => {
      const sent = await bank.transfers?.send(order())
      assert.match(
        sent?.outcome === 'refused' ? sent.reason : '',
        /cannot be written: country mismatch in BIC\/IBAN/,
      )
      assert.deepEqual(readdirSync(outbox), ['done'])
    },
    { bic: 'BNPAFRPPXXX' },
  ))

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
      bank.transfers
        ?.fields('EUR', 'SEPA')
        .to.map((field) => ({ name: field.name, required: field.required })),
      [
        { name: 'name', required: true },
        { name: 'reference', required: true },
        { name: 'street', required: false },
        { name: 'building_number', required: false },
        { name: 'post_code', required: false },
        { name: 'town', required: false },
        { name: 'country', required: false },
      ],
    )
  }))

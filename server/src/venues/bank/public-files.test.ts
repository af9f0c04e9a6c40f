/**
 * Files of real banks that others have published: read where BANK_FILES names a folder with copies
 * of the repositories, as `<owner>/<name>/<path>`. Some show real people, so none is kept here.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { readBankMessage } from './messages.ts'
import { decodeXml } from './xml.ts'

const FOLDER =
  process.env['BANK_FILES'] ?? join(import.meta.dirname, '../../../../../shared/bank-files')

type Expected = {
  /** IBAN or number of the account, and its currency. */
  account: string
  currency?: string
  entries: number
  /** Movements of which they consist, where they are more or less. */
  parts?: number
  /** The balance of the last statement. */
  closing?: string
  unread?: string[]
}

const SWISS = { account: 'CH2909000000250094239', currency: 'CHF' }
const DVBERN = 'dvbern/iso20022/iso20022-ch-impl/src/test/resources/ch/dvbern/oss/lib/iso20022'
const HBCI = 'hbci4j/hbci4java/src/test/resources/org/kapott/hbci4java/sepa'
const MOOV = 'moov-io/iso20022/test/testdata'

const MESSAGES: Record<string, Expected> = {
  'viafintech/camt_parser/spec/fixtures/053/valid_example_v4.xml': {
    account: 'CH0309000000250090342',
    currency: 'CHF',
    entries: 13,
    parts: 32,
    closing: '322689.77',
  },
  'svapnil/iso20022.js/test/assets/ing/example_camt.xml': {
    account: 'NL08INGB0000001234',
    entries: 9,
    closing: '1605',
  },
  'viafintech/camt_parser/spec/fixtures/053/valid_example_with_batch.xml': {
    account: 'NL18INGB00012345678',
    entries: 3,
    closing: '23038.2',
  },
  [`${MOOV}/statement_1.xml`]: { account: 'LT007180000000000000', entries: 4, closing: '0' },
  [`${MOOV}/FI_camt_054_sample.xml.xml`]: {
    account: 'FI7433010001222090',
    entries: 5,
    parts: 11,
  },
  [`${MOOV}/FI_camt_053_sample.xml.xml`]: {
    account: 'FI7433010001222090',
    entries: 10,
    parts: 13,
    closing: '23644.83',
  },
  [`${MOOV}/200519_camt.052_P_CH2909000000250094239_1110092686_0_2019042416072347.xml`]: {
    ...SWISS,
    entries: 2,
    closing: '207596.19',
  },
  [`${MOOV}/camt.053_P_CH2909000000250094239_1110092698_0_2020112503071366.xml`]: {
    ...SWISS,
    entries: 5,
    closing: '215112.21',
  },
  [`${MOOV}/camt054-returns_p_ch5109000000250092291_1110097606_0_2020112500512470.xml`]: {
    account: 'CH5109000000250092291',
    currency: 'CHF',
    entries: 1,
  },
  'railslove/ebicsbox/spec/fixtures/camt_statement_with_trx_ids.xml': {
    account: 'iban1234567',
    entries: 4,
    parts: 5,
    closing: '23.06',
    unread: ['the entry 2013122711513230000 stands twice in one message'],
  },
  'Subite-eu/camt-to-coda/example-files/CAMT/LT625883379695428516/CAMT_053/2024-04-05.xml': {
    account: 'LT625883379695428516',
    entries: 5,
    closing: '19314114.37',
  },
  'Subite-eu/camt-to-coda/example-files/CAMT/LT809872649478701594/CAMT_054/2024-04-05.xml': {
    account: 'LT809872649478701594',
    entries: 0,
  },
  [`${HBCI}/test-camt-parse-05200102.xml`]: {
    account: 'DE12345678901234567890',
    entries: 2,
    closing: '110.5',
  },
  [`${HBCI}/test-camt-ruecklastschrift.xml`]: {
    account: 'DE1234567890',
    entries: 1,
    parts: 2,
    closing: '100',
  },
  [`${DVBERN}/camt054/v00104/camt_054_Beispiel_NoCrdtBookedNotReversed.xml`]: {
    account: 'CH160077401231234567',
    currency: 'CHF',
    entries: 3,
  },
  'stanisci/libeufin/nexus/sample/platform/gls_camt053.xml': {
    account: 'not named',
    entries: 0,
    unread: ['it does not name its account'],
  },
  'mpdroog/invoiced/invoice/camt053/CAMT053.xml': {
    account: 'NL17RABO0310029597',
    entries: 8,
    closing: '7639.08',
  },
  'genkgo/camt/test/data/camt052.v1.xml': {
    account: 'CH2801234000123456789',
    currency: 'SEK',
    entries: 1,
  },
  'genkgo/camt/test/data/camt053.v2.five.decimals.xml': {
    account: 'NL26VAYB8060476890',
    entries: 1,
    closing: '27.05',
  },
  'genkgo/camt/test/data/camt53.only-Dt-with-DtTm.xml': {
    account: 'GB33BUKB20201555555555',
    currency: 'RON',
    entries: 0,
    closing: '5442.09',
  },
  'svapnil/iso20022.js/test/assets/goldman_sachs/camt_053_us_v2_sample.xml': {
    account: 'DD01100056869',
    currency: 'USD',
    entries: 14,
    closing: '-846665.15',
    unread: ['an amount is in EUR, not in USD'],
  },
  'svapnil/iso20022.js/test/assets/nordea/example_camt.xml': {
    account: 'FI8529501800030574',
    entries: 6,
    closing: '8800.5',
  },
  'kajala/django-jbank/data/xt/772864574.XT': {
    account: 'FI4947300010416310',
    entries: 1,
    closing: '55',
  },
  'kajala/django-jbank/data/xm/camt_054_credit_notoification_example_finland.xml': {
    account: 'FI1431313001234567',
    entries: 4,
  },
  'OCA/bank-statement-import/account_statement_import_camt/test_files/test-camt053': {
    account: 'NL77ABNA0574908765',
    entries: 3,
    parts: 4,
    closing: '15121.12',
  },
  'viafintech/camt_parser/spec/fixtures/054/valid_example.xml': {
    account: 'CH0309000000250090342',
    currency: 'CHF',
    entries: 4,
    parts: 5,
  },
}

for (const [path, expected] of Object.entries(MESSAGES))
  test(`reads ${path}`, { skip: !existsSync(join(FOLDER, path)) }, () => {
    const { account: iban, currency = 'EUR', entries, unread = [] } = expected
    const message = readBankMessage(decodeXml(readFileSync(join(FOLDER, path))), {
      number: iban,
      currency,
    })
    const closing = message.statements.at(-1)?.closing
    assert.deepEqual(
      {
        entries: message.entries.length,
        parts: message.entries.flatMap(({ parts }) => parts).length,
        closing: closing === undefined ? undefined : format(closing),
        unread: message.unread.map(({ reason }) => reason),
      },
      { entries, parts: expected.parts ?? entries, closing: expected.closing, unread },
    )
  })

const STATUSES: Record<string, string[]> = {
  [`${HBCI}/test-pain-parse-0020110-03.xml`]: ['RCVC', 'RCVC'],
  [`${MOOV}/pain002-epo_p_0_0_0_2018031510491259.xml`]: ['ACTC'],
  [`${MOOV}/pain002-epo_p_ch5109000000250092291_1110097605_0_2018031511252307.xml`]: [
    'PART',
    'RJCT',
  ],
  'svapnil/iso20022.js/test/assets/cross_river/pain_002_transaction_rejected.xml': [
    'ACTC',
    'RJCT',
    'RJCT',
    'RJCT',
    'RJCT',
  ],
  'svapnil/iso20022.js/test/assets/nordea/pain_002_v3_txn_reject.xml': ['RJCT', 'RJCT', 'RJCT'],
  'kajala/django-jbank/data/xp/547958656.XP': ['ACCP'],
}

for (const [path, expected] of Object.entries(STATUSES))
  test(`reads ${path}`, { skip: !existsSync(join(FOLDER, path)) }, () => {
    const xml = decodeXml(readFileSync(join(FOLDER, path)))
    const { statuses, unread } = readBankMessage(xml, { number: 'any', currency: 'EUR' })
    assert.deepEqual(
      statuses.map(({ status }) => status),
      expected,
    )
    assert.deepEqual(unread, [])
  })

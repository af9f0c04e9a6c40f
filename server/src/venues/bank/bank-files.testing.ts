/** For tests of the adapter: its directories, and the messages of a bank written by hand. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decimal } from '../../core/decimal.ts'
import type { TransferLookup, TransferOrder } from '../contract.ts'
import { openBank } from './bank.ts'
import type { BankConfig } from './config.ts'
import { mustBeValid } from './schemas.testing.ts'

export const IBAN = 'DE89370400440532013000'
export const PAYEE = 'AT611904300234573201'
export const ID = '0192f5a1-7c00-7abc-8def-0123456789ab'
export const BARE = ID.replaceAll('-', '')

type Files = {
  outbox: string
  inbox: string
  problems: string[]
  config: BankConfig
  put(name: string, xml: string): void
}

/** A bank whose files a test writes itself. */
export async function withFiles(
  work: (files: Files, bank: Awaited<ReturnType<typeof openBank>>) => Promise<void>,
  change: Partial<BankConfig> = {},
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'kontor-bank-files-'))
  const [outbox, inbox] = [join(dir, 'outbox'), join(dir, 'inbox')]
  mkdirSync(join(outbox, 'done'), { recursive: true })
  mkdirSync(inbox)
  const problems: string[] = []
  const config: BankConfig = {
    outbox_dir: outbox,
    inbox_dir: inbox,
    ...(change.account_number === undefined ? { iban: IBAN, bic: 'COBADEFFXXX' } : {}),
    name: 'Müller & Söhne',
    currency: 'EUR',
    ...change,
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
    // Whatever a test makes the adapter write is valid.
    for (const folder of [outbox, join(outbox, 'done')]) await mustBeValid(folder)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

export const order = (change: Partial<TransferOrder> = {}): TransferOrder => ({
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
export const lookup = (external_id = ID): TransferLookup => ({
  ...order({ external_id }),
  foreign_id: null,
  submitted_at: 0,
  claimed: [],
})

export type EntryOptions = {
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
  /** The value date; none when absent. */
  value?: string
}

const PARTIES = [
  '<RltdPties><Dbtr><Pty><Nm>Alice</Nm></Pty></Dbtr>',
  `<DbtrAcct><Id><IBAN>${PAYEE}</IBAN></Id></DbtrAcct></RltdPties>`,
  '<RltdAgts><DbtrAgt><FinInstnId><BICFI>OTHRATWW</BICFI></FinInstnId></DbtrAgt></RltdAgts>',
  '<RmtInf><Ustrd>CUST-1</Ustrd><Ustrd>second line</Ustrd></RmtInf>',
].join('')

const familyXml = (family: string) =>
  `<Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${family}</SubFmlyCd></Fmly></Domn>`

/** An entry of the account, with its payer and text. */
export function entryXml({
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
  value = '',
}: EntryOptions): string {
  return [
    `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>`,
    reversal ? '<RvslInd>true</RvslInd>' : '',
    `<Sts>${status}</Sts>`,
    `<BookgDt>${at.length > 10 ? `<DtTm>${at}</DtTm>` : `<Dt>${at}</Dt>`}</BookgDt>`,
    value === '' ? '' : `<ValDt><Dt>${value}</Dt></ValDt>`,
    `<AcctSvcrRef>${ref}</AcctSvcrRef>`,
    `<BkTxCd>${family === '' ? '' : familyXml(family)}</BkTxCd>`,
    `<NtryDtls><TxDtls><Refs><EndToEndId>${end}</EndToEndId>`,
    transaction === '' ? '' : `<TxId>${transaction}</TxId>`,
    `</Refs>${PARTIES}${extra}</TxDtls></NtryDtls></Ntry>`,
  ].join('')
}

/** camt.054; one without an id is told from others by its file. */
export function notificationXml(entries: string, iban = IBAN, id = ''): string {
  return [
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08">',
    `<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-11-21T12:00:00Z</CreDtTm>`,
    '</GrpHdr><Ntfctn><Id>1</Id>',
    `<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries}`,
    '</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>',
  ].join('')
}

/** camt.053, by a time or by a date alone. */
export function statementXml(closing: string, to: string, entries = '', sign = 'CRDT'): string {
  const period = `<c:FrDtTm>2026-01-01T00:00:00Z</c:FrDtTm><c:ToDtTm>${to}</c:ToDtTm>`
  const balance = (code: string, amount: string, side: string, date: string) =>
    [
      `<c:Bal><c:Tp><c:CdOrPrtry><c:Cd>${code}</c:Cd></c:CdOrPrtry></c:Tp>`,
      `<c:Amt Ccy="EUR">${amount}</c:Amt><c:CdtDbtInd>${side}</c:CdtDbtInd>`,
      `<c:Dt><c:Dt>${date}</c:Dt></c:Dt></c:Bal>`,
    ].join('')
  return [
    '<?xml version="1.0"?><c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    '<c:BkToCstmrStmt><c:Stmt>',
    to.length > 10 ? `<c:FrToDt>${period}</c:FrToDt>` : '',
    `<c:Acct><c:Id><c:IBAN>${IBAN}</c:IBAN></c:Id></c:Acct>`,
    balance('OPBD', '1.00', 'CRDT', '2026-01-01'),
    balance('CLBD', closing, sign, to.slice(0, 10)),
    `${entries}</c:Stmt></c:BkToCstmrStmt></c:Document>`,
  ].join('')
}

/** pain.002: the status of the message, of its payment, or of both. */
export function statusXml(
  group: string | null,
  payment: string | null,
  code = '',
  id = BARE,
): string {
  const why = code === '' ? '' : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`
  const status = `<OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${payment}</TxSts>${why}`
  return [
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr/>',
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${id}</OrgnlMsgId>`,
    group === null ? '' : `<GrpSts>${group}</GrpSts>${why}`,
    '</OrgnlGrpInfAndSts>',
    payment === null
      ? ''
      : `<OrgnlPmtInfAndSts><TxInfAndSts>${status}</TxInfAndSts></OrgnlPmtInfAndSts>`,
    '</CstmrPmtStsRpt></Document>',
  ].join('')
}

/**
 * The messages the bank writes: pain.002.001.10, camt.054.001.08, camt.053.001.08. Pure: facts
 * in, XML out.
 */
import { isValidIBAN } from 'ibantools'
import { create } from 'xmlbuilder2'
import { abaOf, BANK } from './accounts.ts'
import type { Account } from './accounts.ts'
import { formatCents } from './cents.ts'
import type { Habits } from './habits.ts'
import type { Refusal } from './payments.ts'
import { wireId } from './wires.ts'
import type { Entry, Wire } from './wires.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'
const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

type Xml = { [name: string]: Xml | Xml[] | string | Xml[][] | undefined }

function write(message: string, root: string, content: Xml): string {
  return create(
    { version: '1.0', encoding: 'UTF-8' },
    { Document: { '@xmlns': NAMESPACE + message, [root]: content } },
  ).end({ prettyPrint: true })
}

export type PaymentStatus = {
  status: 'ACCP' | 'ACSC' | 'RJCT' | 'RCVC' | 'RVMC' | 'RVNM' | 'RVNA'
  payment_information_id: string
  instruction_id: string | null
  end_to_end_id: string
  refusal: Refusal | null
  texts?: string[]
}

export type StatusReport = {
  /** Ours, at most 35 characters. */
  id: string
  created_at: number
  original_message_id: string
  original_message_name: string
  group_status: string | null
  refusal: Refusal | null
  texts?: string[]
  payments: PaymentStatus[]
}

function reason({ refusal, texts = [] }: Pick<PaymentStatus, 'refusal' | 'texts'>): Xml {
  if (refusal !== null)
    return { StsRsnInf: { Rsn: { Cd: refusal.code }, AddtlInf: refusal.text.slice(0, 105) } }
  return texts.length === 0 ? {} : { StsRsnInf: texts.map((text) => ({ AddtlInf: text })) }
}

export function statusReport(report: StatusReport): string {
  const blocks = Map.groupBy(report.payments, (payment) => payment.payment_information_id)
  return write('pain.002.001.10', 'CstmrPmtStsRpt', {
    GrpHdr: { MsgId: report.id, CreDtTm: iso(report.created_at), InitgPty: { Nm: BANK.name } },
    OrgnlGrpInfAndSts: {
      OrgnlMsgId: report.original_message_id,
      OrgnlMsgNmId: report.original_message_name,
      ...(report.group_status === null ? {} : { GrpSts: report.group_status }),
      ...reason(report),
    },
    ...(blocks.size === 0
      ? {}
      : {
          OrgnlPmtInfAndSts: [...blocks].map(([id, payments]) => ({
            OrgnlPmtInfId: id,
            TxInfAndSts: payments.map((payment) => ({
              ...(payment.instruction_id === null ? {} : { OrgnlInstrId: payment.instruction_id }),
              OrgnlEndToEndId: payment.end_to_end_id,
              TxSts: payment.status,
              ...reason(payment),
            })),
          })),
        }),
  })
}

function entryReference(entry_id: number): string {
  return `SB${entry_id.toString().padStart(12, '0')}`
}

/** `place`: a further message about the entry may have a name of its own for it. */
function bankReference({ id }: Entry, habits: Habits, place: '' | 'S' | 'A'): string {
  return habits.references === 'NONREF' ? 'NONREF' : place + entryReference(id)
}

const institution = (bic: string | null): Xml => ({
  FinInstnId: bic === null ? { Othr: { Id: 'NOTPROVIDED' } } : { BICFI: bic },
})

const accountIdOf = (number: string): Xml => ({
  Id: isValidIBAN(number) ? { IBAN: number } : { Othr: { Id: number } },
})

const accountOf = (account: Account): Xml => ({
  ...accountIdOf(account.iban),
  Ccy: account.currency,
  Ownr: { Nm: account.name },
  Svcr: servicerOf(account),
})

/** The ISO external clearing system code of American routing numbers is USABA. */
function servicerOf({ bic, currency }: Account): Xml {
  const aba = abaOf(currency)
  if (aba === null) return institution(bic)
  return {
    FinInstnId: { BICFI: bic, ClrSysMmbId: { ClrSysId: { Cd: 'USABA' }, MmbId: aba } },
  }
}

const SUB_FAMILY: Record<Wire['kind'], string> = {
  PAYMENT: 'ESCT',
  FOREIGN: 'XBCT',
  INSTANT: 'ESCT',
  RETURN: 'RRTN',
  CHARGE: 'CHRG',
  REVERSAL: 'RRTN',
}

/** Real-time transfers have families of their own (ISO external code set, payments). */
function familyOf({ direction, wire }: Entry): string {
  if (wire.kind === 'INSTANT') return direction === 'CRDT' ? 'RRCT' : 'IRCT'
  return direction === 'CRDT' ? 'RCDT' : 'ICDT'
}

function entryOf(entry: Entry, habits: Habits, place: '' | 'S' | 'A'): Xml {
  const { wire } = entry
  const unmarked = wire.kind === 'REVERSAL' && habits.reversals === 'UNMARKED'
  const family = familyOf(entry)
  const reference = bankReference(entry, habits, place)
  return {
    NtryRef: String(entry.id),
    Amt: { '@Ccy': wire.currency, '#': formatCents(entry.cents) },
    CdtDbtInd: entry.direction,
    ...(wire.kind === 'REVERSAL' ? { RvslInd: unmarked ? 'false' : 'true' } : {}),
    Sts: { Cd: 'BOOK' },
    BookgDt: { DtTm: iso(entry.booked_at) },
    ValDt: { Dt: iso(entry.booked_at).slice(0, 10) },
    AcctSvcrRef: reference,
    BkTxCd: { Domn: { Cd: 'PMNT', Fmly: { Cd: family, SubFmlyCd: SUB_FAMILY[wire.kind] } } },
    NtryDtls: {
      TxDtls: {
        Refs: {
          ...(entry.direction === 'DBIT' && wire.message_id !== null
            ? { MsgId: wire.message_id }
            : {}),
          AcctSvcrRef: reference,
          ...(entry.direction === 'DBIT' && wire.payment_information_id !== null
            ? { PmtInfId: wire.payment_information_id }
            : {}),
          ...(entry.direction === 'DBIT' && wire.kind !== 'REVERSAL' && wire.instruction_id !== null
            ? { InstrId: wire.instruction_id }
            : {}),
          EndToEndId: wire.end_to_end_id ?? 'NOTPROVIDED',
          TxId:
            wire.kind === 'REVERSAL' && wire.instruction_id !== null
              ? wire.instruction_id
              : wireId(wire),
        },
        Amt: { '@Ccy': wire.currency, '#': formatCents(entry.cents) },
        CdtDbtInd: entry.direction,
        RltdPties: {
          Dbtr: { Pty: { Nm: wire.from_name } },
          DbtrAcct: accountIdOf(wire.from_iban),
          Cdtr: { Pty: { Nm: wire.to_name } },
          CdtrAcct: accountIdOf(wire.to_iban),
        },
        RltdAgts: { DbtrAgt: institution(wire.from_bic), CdtrAgt: institution(wire.to_bic) },
        ...(wire.reference === '' ? {} : { RmtInf: { Ustrd: wire.reference } }),
        ...returnOf(unmarked ? 'FOCR' : wire.return_reason),
      },
    },
  }
}

/** One entry for all payments of a message. */
function batchEntryOf(
  entries: readonly [Entry, ...Entry[]],
  habits: Habits,
  place: '' | 'S' | 'A',
): Xml {
  const [first] = entries
  const { wire } = first
  const { NtryDtls: details, ...entry } = entryOf(first, habits, place)
  const cents = entries.reduce((total, one) => total + one.cents, 0n)
  return {
    ...entry,
    Amt: { '@Ccy': wire.currency, '#': formatCents(cents) },
    NtryDtls: {
      Btch: {
        ...(wire.message_id === null ? {} : { MsgId: wire.message_id }),
        ...(wire.payment_information_id === null ? {} : { PmtInfId: wire.payment_information_id }),
        NbOfTxs: String(entries.length),
      },
      ...(habits.batches === 'FIRST' ? (details as Xml) : {}),
    },
  }
}

/** The entries of a statement, as the bank shows those of one message. */
function listOf(entries: readonly Entry[], habits: Habits, place: '' | 'S' | 'A'): Xml[] {
  const groups = Map.groupBy(entries, ({ id, direction, wire }) =>
    habits.batches === 'SINGLE' || direction === 'CRDT' || wire.kind === 'REVERSAL'
      ? id
      : (wire.message_id ?? id),
  )
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    return others.length === 0
      ? [entryOf(first, habits, place)]
      : [batchEntryOf([first, ...others], habits, place)]
  })
}

/** FOCR follows a request for cancellation: the payer's bank has recalled the money. */
function returnOf(reason: string | null): Xml {
  if (reason === null) return {}
  const text = reason === 'FOCR' ? 'Recall' : 'Account unknown'
  return { RtrInf: { Rsn: { Cd: reason }, AddtlInf: text } }
}

/** An entry that no books of the account can hold. */
function otherCurrencyEntry({ id, booked_at, wire }: Entry): Xml {
  return {
    NtryRef: `X${id}`,
    Amt: { '@Ccy': wire.currency === 'USD' ? 'EUR' : 'USD', '#': '1.00' },
    CdtDbtInd: 'DBIT',
    Sts: { Cd: 'BOOK' },
    BookgDt: { DtTm: iso(booked_at) },
    AcctSvcrRef: `X${entryReference(id)}`,
    BkTxCd: { Domn: { Cd: 'PMNT', Fmly: { Cd: 'ICDT', SubFmlyCd: 'OTHR' } } },
  }
}

/** One booked entry, at once. It carries no balance. `again`: as a message of its own. */
export function notification(
  account: Account,
  entry: Entry,
  habits: Habits,
  again = false,
): string {
  const id = `${again ? 'A' : ''}N${entryReference(entry.id)}`
  return write('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', {
    GrpHdr: { MsgId: id, CreDtTm: iso(entry.booked_at) },
    Ntfctn: {
      Id: id,
      CreDtTm: iso(entry.booked_at),
      Acct: accountOf(account),
      Ntry: [
        ...(habits.other_currency ? [otherCurrencyEntry(entry)] : []),
        entryOf(entry, habits, again ? 'A' : ''),
      ],
    },
  })
}

type Statement = {
  number: number
  from: number
  to: number
  opening_cents: bigint
  closing_cents: bigint
  entries: Entry[]
}

export function statement(account: Account, period: Statement, habits: Habits): string {
  const place = habits.statement_references === 'OTHER' ? 'S' : ''
  const id = `S${period.number.toString().padStart(9, '0')}`
  const balance = (type: string, cents: bigint, time: number): Xml => ({
    Tp: { CdOrPrtry: { Cd: type } },
    Amt: { '@Ccy': account.currency, '#': formatCents(cents < 0n ? -cents : cents) },
    CdtDbtInd: cents < 0n ? 'DBIT' : 'CRDT',
    Dt: { DtTm: iso(time) },
  })
  return write('camt.053.001.08', 'BkToCstmrStmt', {
    GrpHdr: { MsgId: id, CreDtTm: iso(period.to) },
    Stmt: {
      Id: id,
      ElctrncSeqNb: String(period.number),
      CreDtTm: iso(period.to),
      FrToDt: { FrDtTm: iso(period.from), ToDtTm: iso(period.to) },
      Acct: accountOf(account),
      Bal: [
        balance('OPBD', period.opening_cents, period.from),
        balance('CLBD', period.closing_cents, period.to),
      ],
      ...(period.entries.length === 0 ? {} : { Ntry: listOf(period.entries, habits, place) }),
    },
  })
}

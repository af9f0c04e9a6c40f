/** What the form of a payment orders, and what is confirmed of it. */
import type { DataOf } from '@kontor/client'
import { filledTexts } from '../../action/filled.ts'
import type { Fact, Values } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { Amount, Name, Time } from '../../parts/values.tsx'
import { textsOf } from './payment-texts.tsx'
import { protocolWords } from './protocol-words.ts'
import { factsOfThirdParty, thirdPartyOf } from './third-party.tsx'

/** Values of the form; the fields that the venue asks for stand where a route has them. */
type Transfer = Partial<Record<'from' | 'to', Record<string, string | undefined>>>

export function bodyOf(values: Values) {
  const transfer = (values['transfer'] ?? {}) as Transfer
  const { reference, ...to } = filledTexts(transfer.to ?? {}) as Record<string, string>
  const from = filledTexts(transfer.from ?? {}) as Record<string, string>
  const isSaid = Object.keys(to).length + Object.keys(from).length > 0
  const isNew = values['payee'] === 'new'
  const { wallet_id, label, address, account_id, send_at } = values
  return {
    from_wallet_id: String(values['from_wallet_id']),
    protocol: String(values['protocol']),
    payee: {
      ...(isNew
        ? { label: String(label ?? '').trim(), address: String(address ?? '').trim() }
        : { wallet_id: String(wallet_id) }),
      ...(isSaid ? { transfer: { from, to } } : {}),
    },
    ...(account_id === undefined || values['house_pays'] === true
      ? {}
      : { account_id: String(account_id) }),
    quantity: String(values['quantity']),
    ...(reference === undefined ? {} : { reference }),
    ...textsOf(values),
    ...thirdPartyOf(values),
    ...(values['when'] === 'later' && typeof send_at === 'number' ? { send_at } : {}),
  }
}

const PAYEE_WORDS = {
  KNOWN: t('known, over a route that is there'),
  NEW_ROUTE: t('known; the route to it is made'),
  NEW: t('new; it is stored with the customer, and the route to it is made'),
} as const

type Preview = DataOf<'post', '/treasury/payments/preview'>

/**
 * What is to be said where somebody names another payee than the one who is stored with this
 * address; undefined where they are the same.
 */
export function doubtOf(
  { known_label, known_names }: Pick<Preview, 'known_label' | 'known_names'>,
  named: readonly (string | null)[],
): string | undefined {
  if (known_label === null) return undefined
  const known = new Set([known_label, ...known_names].map(bareName))
  const other = named.find((name) => name !== null && !known.has(bareName(name)))
  if (other === undefined || other === null) return undefined
  const told = known_names.filter((name) => name !== known_label)
  return told.length === 0
    ? t('This address is stored as “{{label}}”, not as “{{other}}”', { label: known_label, other })
    : t('This address is stored as “{{label}}” (the bank is told {{names}}), not as “{{other}}”', {
        label: known_label,
        names: told.join(', '),
        other,
      })
}

const bareName = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** Checked by the service before anybody confirms it. `waits`: it is not sent at once. */
export async function factsOf(values: Values): Promise<{ facts: Fact[]; waits: boolean }> {
  const body = bodyOf(values)
  const preview = await client().post('/treasury/payments/preview', { body })
  const { payee } = body
  const to = 'wallet_id' in payee ? <Name of="wallet" id={payee.wallet_id} /> : payee.label
  const { payee_name } = preview
  const doubt = doubtOf(preview, 'label' in payee ? [payee.label, payee_name] : [payee_name])
  const texts = [
    { label: t('Reference'), value: 'reference' in body ? body.reference : undefined },
    { label: t('Purpose'), value: body.purpose },
  ].filter(({ value }) => value !== undefined)
  const facts = [
    { label: t('Arrives'), value: <Amount value={body.quantity} asset={preview.asset} /> },
    { label: t('Payee'), value: to },
    ...(payee_name === null ? [] : [{ label: t('The bank is told'), value: payee_name }]),
    ...(preview.address === null ? [] : [{ label: t('Address'), value: preview.address }]),
    { label: t('The payee is'), value: PAYEE_WORDS[preview.payee] },
    ...(doubt === undefined
      ? []
      : [{ label: t('Warning'), value: <span className="warns">{doubt}</span> }]),
    ...(preview.waits_for_halt
      ? [
          {
            label: t('Before that'),
            value: <span className="warns">{t('A halt of withdrawals must end')}</span>,
          },
        ]
      : []),
    ...(preview.waits_for_allowlist
      ? [
          {
            label: t('Before that'),
            value: t('The venue’s allow-list must approve the destination'),
          },
        ]
      : []),
    { label: t('From'), value: <Name of="wallet" id={body.from_wallet_id} /> },
    { label: t('Protocol'), value: protocolWords(body.protocol) },
    {
      label: t('Account'),
      value:
        body.account_id === undefined ? (
          <strong>{t('The house pays. No customer is debited.')}</strong>
        ) : (
          <Name of="account" id={body.account_id} />
        ),
    },
    ...factsOfThirdParty(values),
    ...texts,
    {
      label: t('Send'),
      value: 'send_at' in body ? <Time at={body.send_at ?? null} /> : t('At once'),
    },
  ]
  return { facts, waits: preview.waits_for_halt || preview.waits_for_allowlist }
}

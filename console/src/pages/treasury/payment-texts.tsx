/**
 * What a user writes about a payment. A further text is one line here: the forms ask for it, the
 * requests carry it, list, record and batch show it.
 */
import type { ReactNode } from 'react'
import type { Fact, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { t } from '../../language/index.ts'

type Text = {
  key: string
  title: string
  /** Who withdraws confirms it, since it may leave the house. */
  forPayee?: true
  limit?: number
  help?: string
}

const TEXTS = [
  {
    key: 'purpose',
    title: t('Purpose'),
    forPayee: true,
    limit: 140,
    help: t(
      'What the payment is for, at most 140 characters. A bank sends it to the payee ' +
        'where it fits beside the reference.',
    ),
  },
  { key: 'note', title: t('Note') },
  { key: 'client_ref', title: t('Your reference'), limit: 200 },
] as const satisfies readonly Text[]

export type PaymentTexts = { [K in (typeof TEXTS)[number]['key']]?: string }

/** As fields of a record and columns of a list. */
export const TEXT_FIELDS = TEXTS.map(({ key, title }) => ({ key, title }))

/** `within` is the path of the payment in the form. */
export function TextInputs({ within }: { within?: number }): ReactNode {
  return TEXTS.map(({ key, title, ...text }: Text) => (
    <InputItem
      key={key}
      field={{
        name: within === undefined ? key : [within, key],
        label: title,
        kind: 'text',
        limit: text.limit,
        ...(within === undefined ? { help: text.help } : {}),
      }}
    />
  ))
}

/** Those that say something, for a request. */
export function textsOf(values: Values): PaymentTexts {
  const texts = TEXTS.map(({ key }) => [key, values[key]] as const)
  return Object.fromEntries(
    texts.filter(([, text]) => typeof text === 'string' && text.trim() !== ''),
  )
}

/** What is confirmed of them. `sent` says whether the payee may get them. */
export function factsOfTexts(values: Values, { sent }: { sent: boolean }): Fact[] {
  const texts = textsOf(values)
  return TEXTS.filter((text: Text) => text.forPayee === true && text.key in texts).map(
    ({ key, title }) => ({
      label: title,
      value: sent ? texts[key] : t('{{key}} (not sent to the payee)', { key: texts[key] }),
    }),
  )
}

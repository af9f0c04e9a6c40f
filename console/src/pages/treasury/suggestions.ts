/** Whose a deposit could be, best first, each with the reason: from what it says of itself and what is known of customers. */

export type Known = {
  accounts: readonly { id: string; customer_id: string | null }[]
  customers: readonly { id: string; label: string; foreign_id?: string | null }[]
  wallets: readonly { customer_id: string | null; address: string; label: string }[]
  matchings: readonly { resource_id: string; state: string; details: { asset: string; is_withdrawal_matching: boolean; destination_address: string | null; source_address: string | null; reference: string | null } }[]
  /** Accounts of successful assignments of earlier deposits from the same sender. */
  earlier: readonly string[]
}

export type Unclear = {
  asset: string
  source_address: string | null
  destination_address: string | null
  tag: string | null
  reference_text: string | null
  counterparty: { name: string | null; iban: string | null } | null
}

export type Suggestion = { account_id: string; why: string }
type Hint = Suggestion & { weight: number }

const MAXIMUM_SUGGESTIONS = 5
/** Shorter words say nothing: AG, de, von. */
const SHORTEST_WORD = 4

const plain = (text: string | null | undefined): string => (text ?? '').normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '').toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ').trim()
const words = (text: string | null | undefined): string[] => plain(text).split(' ').filter((word) => word.length >= SHORTEST_WORD)
const same = (a: string | null | undefined, b: string | null | undefined): boolean => plain(a) !== '' && plain(a).replaceAll(' ', '') === plain(b).replaceAll(' ', '')

export function suggestionsFor(deposit: Unclear, known: Known): Suggestion[] {
  const accountOf = new Map(known.accounts.flatMap(({ id, customer_id }) => (customer_id === null ? [] : [[customer_id, id]])))
  const sender = [deposit.counterparty?.iban, deposit.source_address]
  const text = ` ${plain(deposit.reference_text)} `
  const hints: Hint[] = []
  const ofCustomer = (customer_id: string | null, weight: number, why: string): void => {
    const account_id = customer_id === null ? undefined : accountOf.get(customer_id)
    if (account_id !== undefined) hints.push({ account_id, weight, why })
  }

  for (const [account_id, all] of Map.groupBy(known.earlier, (each) => each)) hints.push({ account_id, weight: 90, why: `${all.length === 1 ? 'An earlier deposit' : `${all.length} earlier deposits`} from this sender went there` })
  for (const { resource_id, state, details } of known.matchings) {
    if (state !== 'ACTIVE' || details.is_withdrawal_matching || details.asset !== deposit.asset) continue
    if (details.source_address !== null && sender.some((each) => same(each, details.source_address))) hints.push({ account_id: resource_id, weight: 85, why: 'A matching names this sender' })
    const near = words(details.reference).find((word) => text.includes(word))
    if (details.reference !== null && (same(details.reference, deposit.tag) || near !== undefined)) hints.push({ account_id: resource_id, weight: 70, why: `The reference resembles that of a matching: ${details.reference}` })
  }
  for (const { customer_id, address, label } of known.wallets) {
    if (sender.some((each) => same(each, address))) ofCustomer(customer_id, 95, `It was sent from their wallet ${label}`)
  }
  for (const { id, label, foreign_id } of known.customers) {
    if (same(deposit.counterparty?.name, label)) ofCustomer(id, 80, 'The sender has their name')
    else {
      const names = words(label)
      const met = names.filter((word) => words(deposit.counterparty?.name).includes(word))
      if (met.length > 0) ofCustomer(id, 30 + 30 * met.length / names.length, `The sender's name has "${met.join(' ')}" in it`)
      const told = names.filter((word) => text.includes(` ${word} `))
      if (told.length > 0) ofCustomer(id, 25 + 30 * told.length / names.length, `The reference names "${told.join(' ')}"`)
    }
    if (plain(foreign_id) !== '' && text.includes(` ${plain(foreign_id)} `)) ofCustomer(id, 75, 'The reference has your reference of them')
  }
  return [...Map.groupBy(hints, (hint) => hint.account_id).values()]
    .map((own) => own.toSorted((a, b) => b.weight - a.weight))
    .toSorted((a, b) => weightOf(b) - weightOf(a))
    .slice(0, MAXIMUM_SUGGESTIONS)
    .map((own) => ({ account_id: own[0]?.account_id ?? '', why: [...new Set(own.map((hint) => hint.why))].slice(0, 2).join('; ') }))
}

/** The best reason counts, each further one a little. */
const weightOf = (own: readonly Hint[]): number => (own[0]?.weight ?? 0) + (own.length - 1) * 5

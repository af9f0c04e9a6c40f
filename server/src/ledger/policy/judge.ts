/**
 * What a policy says of a command: pure, so that the lane's fold, a preview and a try on last
 * month's movements say the same. The first rule that matches decides. A condition about what the
 * command does not have (an amount, a destination) does not hold.
 */
import { assert } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Approve, Command, Per, Policy, PolicyVerdict, Rule, When } from './policy.schema.ts'
import { windowAt } from './windows.ts'

const DAY_MILLISECONDS = 86_400_000
const HOUR_MILLISECONDS = 3_600_000

/** Of whose account an amount is, and how much of it. */
type CustomerPart = { customer_id: string; quantity: Decimal }

export type Facts = {
  command: Command
  /** Domain time, ms. */
  at: number
  /** A user or a program; neither for what nobody in particular asked for. */
  requester: { user_id: string | null; api_key_id: string | null; roles: readonly string[] }
  asset?: string
  quantity?: Decimal
  route_id?: string | null
  customers?: readonly CustomerPart[]
  /** `since`: when it was added or last changed. */
  destination?: { is_new: boolean; since: number }
}

/** One sum of a day: what moved of an asset, of whom. */
export type TotalKey = { per: Per; key: string; asset: string; day: number }
/** What was counted before the command that is judged. */
export type Totals = (key: TotalKey) => Decimal

export type Judgement = {
  verdict: PolicyVerdict
  /** Its place among the rules, from 1; null: none matched. */
  rule: number | null
  rule_name: string | null
  approve?: Approve
  reason: string
  /** From when on the rule no longer stands against it by itself. */
  possible_at: number | null
}

const dayOf = (at: number): number => at - (at % DAY_MILLISECONDS)

/** As it is stored with what was counted, to be taken back at an end at which nothing moved. */
export type Counted = TotalKey & { quantity: string }

/** The parts of a movement by the sums that they count for. */
export function countedParts(facts: Facts): (TotalKey & { quantity: Decimal })[] {
  const { command, asset, quantity } = facts
  if (command !== 'WITHDRAWAL' || asset === undefined || quantity === undefined) return []
  const day = dayOf(facts.at)
  return (['CUSTOMER', 'ROUTE', 'USER', 'KEY', 'WORKSPACE'] as const)
    .flatMap((per) => partsOf(per, facts).map((part) => ({ per, asset, day, ...part })))
    .filter((part) => part.quantity > 0n)
}

function partsOf(per: Per, facts: Facts): { key: string; quantity: Decimal }[] {
  const { requester, route_id = null, customers = [], quantity = 0n } = facts
  if (per === 'CUSTOMER') {
    const sums = new Map<string, Decimal>()
    for (const part of customers)
      sums.set(part.customer_id, (sums.get(part.customer_id) ?? 0n) + part.quantity)
    return [...sums].map(([key, sum]) => ({ key, quantity: sum }))
  }
  const keys: Readonly<Record<Exclude<Per, 'CUSTOMER'>, string | null>> = {
    ROUTE: route_id,
    USER: requester.user_id,
    KEY: requester.api_key_id,
    WORKSPACE: '',
  }
  const key = keys[per]
  return key === null ? [] : [{ key, quantity }]
}

export function judge(policy: Policy, facts: Facts, totals: Totals): Judgement {
  for (const [place, rule] of policy.rules.entries()) {
    const match = matchOf(rule.when, facts, totals)
    if (match !== undefined) return judgementOf(rule, place + 1, match)
  }
  const { otherwise: verdict } = policy
  const reason =
    verdict === 'ALLOW' ? 'no rule of the policy is against it' : 'no rule of the policy allows it'
  return { verdict, rule: null, rule_name: null, reason, possible_at: null }
}

/** What held, in words, and until when by itself. */
type Match = { because: string[]; until: number[] }

function judgementOf({ name, verdict, approve }: Rule, place: number, match: Match): Judgement {
  const because = match.because.length === 0 ? '' : `: ${match.because.join(', ')}`
  const possible_at = match.until.length === 0 ? null : Math.min(...match.until)
  assert(verdict !== 'APPROVE' || approve !== undefined, 'a rule says who approves')
  return {
    verdict,
    rule: place,
    rule_name: name,
    ...(approve === undefined ? {} : { approve }),
    reason: `rule ${place} of the policy, "${name}"${because}`,
    possible_at,
  }
}

/** Whether a condition holds; what is to be said of it, and until when it holds by itself. */
type Held = { because?: string; until?: number | undefined } | undefined
type Condition<Wanted> = (wanted: Wanted, facts: Facts, totals: Totals, when: When) => Held

const held = (holds: boolean): Held => (holds ? {} : undefined)
const among = (wanted: readonly string[], value: string | null | undefined): Held =>
  held(value !== null && value !== undefined && wanted.includes(value))

const CONDITIONS: { readonly [Name in keyof When]-?: Condition<NonNullable<When[Name]>> } = {
  commands: (wanted, { command }) => among(wanted, command),
  assets: (wanted, { asset }) => among(wanted, asset),
  amount_at_least: (wanted, { asset, quantity }) =>
    quantity === undefined || quantity < decimal(wanted)
      ? undefined
      : { because: `${format(quantity)} ${asset} is ${wanted} or more` },
  amount_per_day_at_least: perDay,
  destination_is_new: (wanted, { destination }) =>
    destination === undefined || destination.is_new !== wanted
      ? undefined
      : {
          because: wanted
            ? 'nothing was ever sent to this destination'
            : 'something was sent to this destination before',
        },
  destination_younger_than_hours: youngerThan,
  routes: (wanted, { route_id }) => among(wanted, route_id),
  requesters: (wanted, { requester }) => among(wanted, requester.user_id),
  roles: (wanted, { requester }) => held(requester.roles.some((role) => wanted.includes(role))),
  api_keys: (wanted, { requester }) => among(wanted, requester.api_key_id),
  time_of_day: (wanted, { at }) => {
    const window = windowAt(wanted, at)
    return window === undefined
      ? undefined
      : { because: `it is between ${wanted.from} and ${wanted.to}`, until: window.ends_at }
  },
}

const NAMES = Object.keys(CONDITIONS) as (keyof When)[]

function matchOf(when: When, facts: Facts, totals: Totals): Match | undefined {
  const match: Match = { because: [], until: [] }
  for (const name of NAMES) {
    const wanted = when[name]
    if (wanted === undefined) continue
    const condition = CONDITIONS[name] as Condition<unknown>
    const found = condition(wanted, facts, totals, when)
    if (found === undefined) return undefined
    if (found.because !== undefined) match.because.push(found.because)
    if (found.until !== undefined) match.until.push(found.until)
  }
  return match
}

/** On the next day nothing has moved yet: what is below the limit by itself may pass then. */
function perDay(
  { per, amount }: NonNullable<When['amount_per_day_at_least']>,
  facts: Facts,
  totals: Totals,
): Held {
  const limit = decimal(amount)
  for (const part of countedParts(facts)) {
    const { quantity, day, asset } = part
    if (part.per !== per) continue
    const before = totals(part)
    if (before + quantity < limit) continue
    return {
      because:
        `${format(before)} ${asset} moved that day ${IN_WORDS[per]}; with ${format(quantity)} ` +
        `more it is ${amount} or more`,
      until: quantity < limit ? day + DAY_MILLISECONDS : undefined,
    }
  }
  return undefined
}

const IN_WORDS: Readonly<Record<Per, string>> = {
  CUSTOMER: 'for this customer',
  ROUTE: 'over this route',
  USER: 'for this user',
  KEY: 'for this API key',
  WORKSPACE: 'in all',
}

function youngerThan(hours: number, { destination, at }: Facts): Held {
  if (destination === undefined) return undefined
  const until = destination.since + hours * HOUR_MILLISECONDS
  if (at >= until) return undefined
  return { because: `its destination was added or changed less than ${hours} hours ago`, until }
}

/** 1003 POLICY_DENIED. */
export function deniedError({ rule, reason, possible_at }: Judgement): ApiError {
  const later = possible_at === null ? '' : `; possible from ${new Date(possible_at).toISOString()}`
  const message = `${rule === null ? 'denied:' : 'denied by'} ${reason}${later}`
  return new ApiError('PermissionDenied', message, [{ path: '', code: 'POLICY_DENIED', message }])
}

export const isPolicyDenied = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.details[0]?.code === 'POLICY_DENIED'

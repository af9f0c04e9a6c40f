/**
 * The one check of a route's transfer fields, against what the sending venue declares, and of its
 * destination. Pure.
 */
import { refuse } from '../../core/errors.ts'
import type { TransferDetails, TransferField, TransferFields } from '../../venues/index.ts'
import {
  charactersOutsideSepa,
  checkAba,
  checkAddress,
  checkBic,
  checkCountry,
  checkIban,
  isInSepa,
  sepaText,
} from '../../venues/index.ts'
import type { TransferRequestBody } from './routes.schema.ts'

/** What we tell of the allow-list is not sent back to us. */
const READ_ONLY_FIELDS = new Set(['on_allowlist', 'allowlist_state'])

type TransferValues = Record<string, string | boolean | null>

/**
 * Throws 3001 naming the field: UNKNOWN_FIELD, REQUIRED, TAG_REQUIRED, TYPE, ENUM, FORMAT, RANGE.
 * Blank text is absence.
 */
export function transferDetails(
  fields: TransferFields,
  given: TransferRequestBody,
): TransferDetails {
  const details = {
    from: checkSide(fields.from, given.from ?? {}, 'transfer.from'),
    to: checkSide(fields.to, given.to ?? {}, 'transfer.to'),
  }
  const { one_of = [] } = fields
  if (one_of.length > 0 && one_of.every((name) => details.to[name] === undefined))
    throw refuse(
      'REQUIRED',
      `transfer.to.${one_of[0]}`,
      `one of ${one_of.map((name) => `transfer.to.${name}`).join(', ')} is required`,
    )
  return details
}

const CHECKS = { BIC: checkBic, ABA: checkAba, COUNTRY: checkCountry } as const

function checkSide(
  fields: readonly TransferField[],
  given: TransferValues,
  path: string,
): Record<string, string> {
  const known = fields.filter((field) => !READ_ONLY_FIELDS.has(field.name))
  for (const name of Object.keys(given)) {
    if (!READ_ONLY_FIELDS.has(name) && !known.some((field) => field.name === name)) {
      const names = known.map((field) => field.name).join(', ')
      throw refuse(
        'UNKNOWN_FIELD',
        `${path}.${name.slice(0, 100)}`,
        `${path}.${name.slice(0, 100)} is not known for these wallets and this ` +
          `protocol${names === '' ? '' : `; known: ${names}`}`,
      )
    }
  }
  const details: Record<string, string> = {}
  for (const field of known) {
    const value = given[field.name]
    if (value === undefined || value === null || value === '') {
      if (field.required)
        throw refuse(
          field.name === 'tag' ? 'TAG_REQUIRED' : 'REQUIRED',
          `${path}.${field.name}`,
          `${path}.${field.name} is required: ${field.description}`,
        )
      continue
    }
    if (typeof value !== field.type)
      throw refuse('TYPE', `${path}.${field.name}`, `${path}.${field.name} must be a ${field.type}`)
    if (field.enum !== undefined && !field.enum.includes(String(value)))
      throw refuse(
        'ENUM',
        `${path}.${field.name}`,
        `${path}.${field.name} must be one of ${field.enum.join(', ')}`,
      )
    assertText(field, String(value), `${path}.${field.name}`)
    details[field.name] = String(value)
  }
  assertNeeds(known, details, path)
  return details
}

function assertText(field: TransferField, value: string, path: string): void {
  const { format, characters, maximum } = field
  if (value.trim() === '') throw refuse('FORMAT', path, `${path} is blank`)
  if (format !== undefined && CHECKS[format](value) !== 'valid')
    throw refuse('FORMAT', path, `${path} ${value.slice(0, 40)} is not a valid ${format}`)
  const sent = characters === undefined ? value : sepaText(value)
  if (!sent) throw refuse('FORMAT', path, `${path} ${outsideSepa(value)}`)
  if (maximum !== undefined && sent.length > maximum)
    throw refuse(
      'RANGE',
      path,
      `${path} has ${sent.length} characters as it is sent, and at most ${maximum} are possible`,
    )
}

/** Throws when payments over this route cannot carry this reference. */
export function assertReference(fields: TransferFields, reference: string): void {
  const field = fields.to.find(({ name }) => name === 'reference')
  if (field === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'reference', 'payments over this route carry no reference')
  assertText(field, reference, 'reference')
}

const MOST_NAMED = 10

function outsideSepa(value: string): string {
  const characters = charactersOutsideSepa(value)
  return characters.length === 0
    ? 'is blank in the characters of SEPA'
    : `has characters that a payment cannot carry: ${characters.slice(0, MOST_NAMED).join(' ')}`
}

/** Texts that are sent in other characters than they were typed, as they are sent. */
export function textsAsSent(fields: TransferFields, { to }: TransferDetails) {
  const texts = fields.to.flatMap(({ name, characters }) => {
    const typed = to[name] ?? ''
    const sent = characters === undefined ? typed : (sepaText(typed) ?? typed)
    return sent === typed ? [] : [[name, sent] as const]
  })
  return Object.fromEntries(texts)
}

function assertNeeds(
  fields: readonly TransferField[],
  details: Readonly<Record<string, string>>,
  path: string,
): void {
  for (const { name, needs = [] } of fields) {
    const missing = name in details ? needs.find((needed) => !(needed in details)) : undefined
    if (missing !== undefined)
      throw refuse(
        'REQUIRED',
        `${path}.${missing}`,
        `${path}.${missing} is required with ${path}.${name}`,
      )
  }
}

/** Throws TAG_REQUIRED or INVALID_ADDRESS. An address that nobody here can judge passes. */
export function assertDestination(destination: {
  asset: string
  protocol: string
  address: string
  tag: string | null
  tag_required: boolean
}): void {
  const { asset, protocol, address, tag } = destination
  if (address === '')
    throw refuse('INVALID_ADDRESS', 'to_wallet_id', 'the destination wallet has no address')
  if (destination.tag_required && tag === null)
    throw refuse(
      'TAG_REQUIRED',
      'transfer.to.tag',
      `transfer.to.tag is required: ${asset} on ${protocol} needs a destination tag`,
    )
  if (checkAddress({ asset, protocol, address, tag }) !== 'invalid') return
  if (checkIban(address) === 'valid' && !isInSepa(address))
    throw refuse(
      'INVALID_ADDRESS',
      'to_wallet_id',
      `the destination's account ${address} is outside SEPA: it cannot be paid by ${protocol}`,
    )
  const byTag = tag !== null && checkAddress({ asset, protocol, address, tag: null }) !== 'invalid'
  if (byTag)
    throw refuse(
      'INVALID_ADDRESS',
      'transfer.to.tag',
      `transfer.to.tag ${tag} is not valid for ${address} on ${protocol}`,
    )
  throw refuse(
    'INVALID_ADDRESS',
    'to_wallet_id',
    BANK_PROTOCOLS.has(protocol)
      ? `the destination's address ${address} is not a valid IBAN`
      : `the destination's address ${address} is not valid for ${asset} on ${protocol}`,
  )
}

/** Those that pay to an IBAN alone. */
const BANK_PROTOCOLS: ReadonlySet<string> = new Set(['SEPA', 'SEPA_INSTANT'])

/**
 * What of a venue may not be said over the API. Files, variables and folders of the machine are the
 * operator's: a declaration that names them could read what it wants, and send it where it wants.
 */
import { refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { canonicalJson } from '../core/json.ts'
import type { TargetRules } from '../core/targets.ts'
import {
  FOLDERS,
  hasOwnFolder,
  namedFolders,
  NO_BANK_FOLDERS,
  problemsOfPlace,
  secretNamesOf,
  withCalendarOf,
} from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import { isPlacedByFile } from './declarations.ts'

type Declared = Omit<DeclaredVenue, 'key'>

type Machine = {
  rules: TargetRules
  /** Where banks have folders for which nobody names any. */
  banks: string | undefined
  path: string
}

/** `file`: what the configuration file says of it; `before`: what counts until now. */
export function problemsOfHand(
  value: Declared,
  { file, before }: { file: Declared | null; before: Declared | null },
  { rules, banks, path }: Machine,
): ErrorDetail[] {
  const isPlaced = isPlacedByFile({ file, value })
  return [
    ...problemsOfReferences(value, isPlaced ? file : null, path),
    ...problemsOfFolders(value, file, path),
    ...problemsOfOwnFolder(value, before, { banks, path }),
    ...problemsOfCalendar(value, before, path),
    ...problemsOfExchange(value, before, path),
    ...(isPlaced ? [] : problemsOfPlace(value.options ?? {}, rules, `${path}.options`)),
  ]
}

/**
 * A secret of the operator goes where the operator said, and nowhere else. None stands in the place
 * of an option: errors quote options, and some of them say where a venue lies.
 */
const problemsOfReferences = (
  { kind, secrets = {} }: Declared,
  file: Declared | null,
  path: string,
): ErrorDetail[] =>
  Object.entries(secrets).flatMap(([name, reference]) => {
    const named = file?.secrets?.[name]
    const isNamed = named !== undefined && canonicalJson(named) === canonicalJson(reference)
    if (isNamed) return []
    const place = `${path}.secrets.${name}`
    if (!secretNamesOf(kind).includes(name)) {
      const message = `${place}: it is no secret of a venue of kind ${kind}: give it in options`
      return [{ path: place, code: 'CONFLICT' as const, message }]
    }
    if ('stored' in reference && isOther(kind, name, reference.stored)) {
      const message = `${place}: a secret stands under its own name: give {"stored": "${name}"}`
      return [{ path: place, code: 'CONFLICT' as const, message }]
    }
    if ('stored' in reference) return []
    const message =
      `${place}: only the configuration file names files and variables, for the address that ` +
      `it says: give {"stored": "${name}"} and write the secret`
    return [{ path: place, code: 'CONFLICT' as const, message }]
  })

/** Another secret that there is; what there is not is refused as unknown. */
const isOther = (kind: Declared['kind'], name: string, stored: string): boolean =>
  stored !== name && secretNamesOf(kind).includes(stored)

const problemsOfFolders = (
  { options = {} }: Declared,
  file: Declared | null,
  path: string,
): ErrorDetail[] =>
  FOLDERS.filter(
    (name) => options[name] !== undefined && options[name] !== file?.options?.[name],
  ).map((name) => {
    const place = `${path}.options.${name}`
    return {
      path: place,
      code: 'CONFLICT',
      message: `${place}: only the configuration file names folders of the machine`,
    }
  })

/** What was handed over before lies in the folders that it had. */
function problemsOfOwnFolder(
  value: Declared,
  before: Declared | null,
  { banks, path }: Pick<Machine, 'banks' | 'path'>,
): ErrorDetail[] {
  if (!hasOwnFolder(value)) return []
  const place = `${path}.options.outbox_dir`
  const problem = (objection: string): ErrorDetail[] => [
    { path: place, code: 'CONFLICT', message: `${place}: ${objection}` },
  ]
  if (before !== null && namedFolders(before).length > 0)
    return problem('the folders of this bank are those of the configuration file: they stay')
  return banks === undefined ? problem(NO_BANK_FOLDERS) : []
}

/** Its wallets, cursors and balances are those of one exchange. */
function problemsOfExchange(
  { kind, options = {} }: Declared,
  before: Declared | null,
  path: string,
): ErrorDetail[] {
  const known = before?.options?.['exchange']
  if (before?.kind !== kind || known === undefined || known === options['exchange']) return []
  const place = `${path}.options.exchange`
  const message = `${place}: the venue is ${known}; another exchange needs another key`
  return [{ path: place, code: 'IN_USE', message }]
}

function problemsOfCalendar(
  { kind, options = {} }: Declared,
  before: Declared | null,
  path: string,
): ErrorDetail[] {
  const kept = withCalendarOf(options, before?.options)
  if (kind !== 'BANK' || before === null || canonicalJson(kept) === canonicalJson(options))
    return []
  const message = `${path}.options: the calendar of a bank is a setting: PUT /settings/calendar.…`
  return [{ path: `${path}.options`, code: 'CONFLICT', message }]
}

/** Throws 3001: a scale only grows, and what an asset is never changes. */
export function assertAssetMayChange(
  stored: { kind: string; scale: number } | undefined,
  { kind, scale }: { kind: string; scale: number },
): void {
  if (stored === undefined) return
  if (scale < stored.scale)
    throw refuse(
      'RANGE',
      'declaration.scale',
      `declaration.scale: the books keep ${stored.scale} decimals, and their number only grows`,
    )
  if (kind !== stored.kind)
    throw refuse('CONFLICT', 'declaration.kind', `declaration.kind: the asset is ${stored.kind}`)
}

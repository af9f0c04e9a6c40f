/** An operation of the API as a command: `kontor <group> <verb> <path parameters> --fields`. */
export type Operation = {
  /** `operationId` of the document. */
  id: string
  group: string
  verb: string
  method: string
  path: string
  summary: string
  says?: string
  permission?: string
  query: readonly Field[]
  body: readonly Field[]
  /** Of the body; absent where the operation takes none. */
  example?: unknown
  paged?: boolean
  csv?: boolean
  /** The fields of each row, or of the one record, that it answers. Absent where they vary. */
  columns?: readonly string[]
}

export type Field = {
  name: string
  kind: string
  required?: boolean
  /** What it may be, where that is a list. */
  words?: readonly string[]
  says?: string
}

/** Where the service says what would come of it, without doing it. */
export const hasPreview = ({ id, query }: Operation): boolean =>
  id === 'createWithdrawal' || query.some(({ name }) => name === 'dry_run')

export const optionOf = (name: string): string => name.replaceAll('_', '-')

export const pathParameters = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** What fits share: they find records that the service will accept. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'

/**
 * Changes a body that its schema takes into one that the endpoint may accept; may answer path
 * parameters.
 */
export type Fit = (body: JsonRecord, author: Author) => Record<string, string> | void

/** By method and path. */
export type Fits = Readonly<Record<string, Fit>>

export const known = (
  { draws, own }: Author,
  resource: string,
  fits?: (record: JsonRecord) => boolean,
): JsonRecord | undefined => own.find(draws, resource, fits)

/** A customer whose balance is not checked, who can pay anything. */
export const generousCustomer = (author: Author) =>
  known(author, 'customer_id', (record) => record['ignore_balance_check'] === true)

export const parameterOf = (parameter: string, id: unknown): Record<string, string> | undefined =>
  typeof id === 'string' ? { [parameter]: id } : undefined

/** The newest that fits. */
export const withdrawalThat = (author: Author, fits: (record: JsonRecord) => boolean) =>
  parameterOf('withdrawal_id', author.own.newest('withdrawal_id', fits)?.['id'])

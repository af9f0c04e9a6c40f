/** An action as data: who may do it, what it asks for, what it sends and what it says. */
import type { DataOf, Method, PathOf, RequestOf } from '@kontor/client'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { Permission } from '../api/query.ts'
import type { FormField } from './inputs.tsx'

export type Values = Record<string, unknown>
/** One line of a confirmation: amount, asset, from, to, address, tag, fee, account … */
export type Fact = { label: string; value: ReactNode }
export type Write = Exclude<Method, 'get'>

export type ActionPlan<M extends Write, P extends PathOf<M>, Row = undefined> = {
  label: string
  /** Of the form, where the label does not name what is changed or deleted. */
  title?(row: Row): ReactNode
  /** Absent: everybody may. */
  permission?: Permission
  /** Why the action is not possible with this row now; undefined when it is. */
  why?(row: Row): string | undefined
  danger?: boolean
  /** It cancels something: “Cancel” beside it could mean either. */
  cancels?: boolean
  /** Above the form: what the action does. */
  explain?(row: Row): ReactNode
  fields?: readonly FormField[] | ((row: Row) => readonly FormField[])
  initial?(row: Row): Values
  /**
   * Instead of `fields`: a form of your own, of antd's Form.Items named like the request's fields.
   */
  form?(row: Row, form: FormInstance<Values>): ReactNode
  width?: number
  method: M
  path: P
  /** The request, made from the values. */
  request(row: Row, values: Values): RequestOf<M, P>
  /** From then on it cannot be sent any more, in Unix milliseconds. */
  over?(row: Row): number | undefined
  /** For everything that moves money: shown after the form, and sent only when confirmed. */
  confirm?(row: Row, values: Values): readonly Fact[] | Promise<readonly Fact[]>
  /** The form's field of an error detail's path, where they differ. */
  fieldOf?(path: string): string
  /** The message after success; "Done" when absent. */
  done?(data: DataOf<M, P>, row: Row): string
  /** Called after success, unless the form was closed before the answer. */
  after?(data: DataOf<M, P>, row: Row): void
}

/** What settings and declarations have alike: people and the configuration file change both. */
import { HANDS, PERMISSIONS } from '../access/index.ts'
import type { Permission } from '../access/index.ts'
import type { Json } from '../core/json.ts'
import {
  closed,
  currentVersion,
  flag,
  nullable,
  oneOf,
  optional,
  text,
  time,
  Type,
} from '../http/index.ts'

/** Of a key with what stands before it. */
export const MAXIMUM_KEY = 120

export const value = (description: string) => Type.Unsafe<Json>({ description })

export const changedByName = () => nullable(text(500, 'Of the user or of the API key'))

/** `file` and `record`: what either says. */
export const driftOf = (
  words: { file: string; record: string },
  named: { title: string; description?: string },
) =>
  closed(
    {
      file: value(words.file),
      record: value(words.record),
      since: time('Since when they differ; Unix milliseconds, UTC'),
    },
    named,
  )

export const recordVersion = () =>
  Type.Integer({ minimum: 1, description: 'Grows with each change' })
export const changedBy = () => text(100, 'A user, an API key, or a part of the service')
export const whoseHand = () => oneOf(HANDS, 'A person, a program, or the configuration file')
export const whoMay = () => oneOf(Object.keys(PERMISSIONS) as [Permission], 'Who may change it')

/** Beside the value that is put. */
export const decided = (keeps: string) => ({
  version: optional(currentVersion()),
  keep_against_file: optional(flag(keeps)),
})

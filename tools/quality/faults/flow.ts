/** What a flow of the matrix is: how it begins, what it passes, and how it must end. */
import type { VenueKey, World } from './world.ts'

/** `wrong`: what should not be so, in words. */
export type Outcome = {
  state: string
  asked: number | null
  effects: number
  hold: string
  wrong: string[]
  /** Rightly given up, because this machine was too slow for it: the row is run again. */
  tooSlow?: true
}

/** A flow that has begun. */
export type FlowRun = {
  /** Of the failpoints; undefined: whoever passes them. */
  subject: string | undefined
  /** Texts that the database sees with this row and no other. */
  marks: string[]
  /** Undefined while it is under way. */
  outcome(): Promise<Outcome | undefined>
  /** While the venue is silent: what is wrong about how it waits. */
  waiting(): Promise<string[]>
}

/**
 * What the bank books in place of what was sent: so little that the sum of several, with charges,
 * is not like one that has left with its greatest fee.
 */
export const BOOKED_INSTEAD = '0.5'

/**
 * What a flow may meet. After `refused` nothing may have happened; `late`: it was under way for an
 * hour, and its time may be over; `dropped`: something else took its place, and only the fee is
 * gone; `short`: another amount left, and a person ended it; `recalled`: it was taken back.
 */
export type Expectation = 'done' | 'refused' | 'late' | 'dropped' | 'short' | 'recalled'

export type Flow = {
  name: string
  venue: VenueKey
  /** The venue's operation; none for what arrives by itself. */
  send?: string
  /** An order at an exchange. */
  order?: { market: boolean }
  /** Over a chain that numbers the transactions of each sender. */
  numbered?: true
  /** Meets these faults of its venue only. */
  meets?: readonly string[]
  /**
   * How many rows run at once, while nothing else runs: the flow needs other venues, or everything
   * that there is.
   */
  apart?: number
  /**
   * Passed by a worker that works on the subject, in order; `refused`: as far as one comes that the
   * venue refuses.
   */
  points: readonly string[]
  refused?: readonly string[]
  /** Passed by the process that answers the request. */
  api?: readonly string[]
  /** Only where the answer was lost. */
  lost?: readonly string[]
  /** What has to be there before; repeated it does nothing. */
  prepare?(world: World): Promise<unknown>
  begin(world: World, expected: Expectation, key: string): Promise<FlowRun>
}

export const SET_BACK = 'the database is set back'

/** How the bank writes its entries. */
export const ODD_ENTRIES = [
  'calls every entry NONREF',
  'notifies again under another name',
  'shows what cannot be read',
]

/** The failpoints before and after each of these steps. */
export const around = (flow: string, ...steps: string[]): string[] =>
  steps.flatMap((step) => [`${flow}.${step}.before`, `${flow}.${step}.after`])

/** The complaint, unless all is as it should be. */
export const unless = (isRight: boolean, complaint: string): string[] =>
  isRight ? [] : [complaint]
